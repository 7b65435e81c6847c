// Items and keys, routes, charges: sections 1 to 5 of docs/MODEL.md, and the charges of 13.
#include <algorithm>
#include <charconv>

#include "support/naive_parts.hpp"

namespace partsim::naive {
namespace {

MilliRu charge_by_size(Bytes size, MilliRu ChargeRow::*column) {
  const auto reaches = [&](const ChargeRow& row) { return size <= row.size_bytes; };
  const auto* hi = std::find_if(&kCosmosCharges[1], &kCosmosCharges.back(), reaches);
  const auto* lo = hi - 1;
  const Bytes above = std::max<Bytes>(0, size - lo->size_bytes);
  return lo->*column + (hi->*column - lo->*column) * above / (hi->size_bytes - lo->size_bytes);
}

MilliRu units_of(Bytes size, Bytes unit) {
  return (size + unit - 1) / unit * kMilliPerRu;
}

}  // namespace

std::string text_of(const KeyComponent& value) {
  if (const auto* number = std::get_if<double>(&value)) {
    std::string text(512, '\0');
    std::to_chars(text.data(), text.data() + text.size(), *number, std::chars_format::fixed);
    return text.c_str();
  }
  const auto* text = std::get_if<std::string>(&value);
  const auto* flag = std::get_if<bool>(&value);
  return text != nullptr ? *text : flag == nullptr ? "null" : *flag ? "true" : "false";
}

std::vector<KeyComponent> key_of(const KeyParts& parts, std::size_t levels) {
  std::vector<KeyComponent> key;
  for (std::size_t l = 0; l < levels; ++l) {
    std::string text;
    for (const KeyComponent& part : parts.at(l)) {
      text += text_of(part);
    }
    key.push_back(parts.at(l).size() == 1 ? parts.at(l)[0] : KeyComponent(text));
  }
  return key;
}

std::string identity(const std::vector<KeyComponent>& key) {
  std::string text;
  for (const KeyComponent& level : key) {
    text += std::to_string(level.index()) + text_of(level) + '\0';
  }
  return text;
}

Number Model::draw(const Operation& op, const std::string& purpose, Number slot) const {
  const Number random = RngStream(scenario.seed, op.client->name, purpose).draw(op.number);
  return slot == 0 ? random : mix64(random + slot * kGoldenGamma);
}

Number Model::choose(const ChoiceLaw& law, Number count, Number random) {  // section 3
  if (const auto* zipf = std::get_if<ZipfChoice>(&law)) {
    const double exponent = double(zipf->exponent_micro) / 1e6;
    return zipfs.try_emplace({count, exponent}, count, exponent).first->second.sample(random);
  }
  const auto* set = std::get_if<HotSetChoice>(&law);
  const Number hot = set ? std::max<Number>(1, count * Number(set->of_ppm) / kMillion) : count;
  const Number cold = count - hot;
  const bool is_hot = cold == 0 || bounded(random, kMillion) < Number(set->share_ppm);
  const Number again = cold == 0 ? random : redraw(random);
  return is_hot ? bounded(again, hot) : hot + bounded(again, cold);
}

const FieldSpec& field_of(const ContainerSpec& container, const std::string& name) {
  return *std::find_if(container.fields.begin(), container.fields.end(),
                       [&](const FieldSpec& field) { return field.name == name; });
}

KeyComponent value_at(const FieldSpec& field, Number index) {
  if (const auto* values = std::get_if<ValuesField>(&field.kind)) {
    return values->values.at(index);
  }
  const auto& chosen = std::get<ChooseField>(field.kind);
  std::string text = std::to_string(index);
  text.insert(0, chosen.width - std::min<std::size_t>(chosen.width, text.size()), '0');
  return chosen.is_text ? KeyComponent(chosen.prefix + text + chosen.suffix) : double(index);
}

KeyComponent Model::field_value(const Operation& op, const std::string& name) {
  const FieldSpec& field = field_of(*op.container, name);
  const Number random = draw(op, "field/" + name);
  std::string text;
  if (const auto* clock = std::get_if<TimeField>(&field.kind)) {
    clock->format.append(text, scenario.start_unix_s + op.sent_ns / kSecond);
    return text;
  }
  if (const auto* values = std::get_if<ValuesField>(&field.kind)) {
    return value_at(field, choose(values->law, values->values.size(), random));
  }
  if (const auto* chosen = std::get_if<ChooseField>(&field.kind)) {
    return value_at(field, choose(chosen->law, chosen->count, random));
  }
  for (int shift = 60; shift >= 0; shift -= 4) {
    text += "0123456789abcdef"[(random >> shift) & 15U];
  }
  return text;
}

KeyParts Model::key_parts(const ContainerSpec& container, const KeySource& source) const {
  KeyParts key;
  for (std::size_t l = 0; l < container.partition_key.size(); ++l) {
    for (const KeyPart& part : container.partition_key[l].parts) {
      KeyComponent& value = key[l].emplace_back();
      if (const auto* literal = std::get_if<LiteralText>(&part)) {
        value = literal->text;
      } else if (const auto* random = std::get_if<RandomSuffix>(&part)) {
        value = std::to_string(random->first + source.random(l, key[l].size() - 1, *random));
      } else if (const auto* hashed = std::get_if<HashedSuffix>(&part)) {
        value = std::to_string(hashed_suffix(*hashed, text_of(source.field(hashed->field))));
      } else {
        value = source.field(std::get<FieldValue>(part).field);
      }
    }
  }
  return key;
}

void Model::route(Operation& op) {  // section 4
  auto u = std::int64_t(bounded(draw(op, "operation"), kMillion));
  for (op.spec = op.client->operations.data(); u >= op.spec->share_ppm; ++op.spec) {
    u -= op.spec->share_ppm;
  }
  const std::size_t levels = op.container->partition_key.size();
  const std::vector<std::string>& given = op.spec->given;
  const bool create = op.is(OperationKind::create);
  std::map<std::pair<std::size_t, std::size_t>, RandomSuffix> randoms;  // by level and part
  Number candidates = 1;
  std::size_t unknown_from = levels;  // the first level with an unknown field
  const KeySource items{[&](const std::string& name) { return field_value(op, name); },
                        [&](std::size_t l, std::size_t p, const RandomSuffix& random) {
                          randoms[{l, p}] = random;
                          candidates = std::min<Number>(candidates * random.count, 10'001);
                          const auto drawn =
                              draw(op, "random/" + std::to_string(l) + "/" + std::to_string(p));
                          return bounded(drawn, random.count);
                        }};
  KeyParts key = key_parts(*op.container, items);
  for (std::size_t l = levels; l-- > 0;) {
    for (const KeyPart& part : op.container->partition_key[l].parts) {
      const auto* hashed = std::get_if<HashedSuffix>(&part);
      const auto* plain = std::get_if<FieldValue>(&part);
      const bool is_field = hashed != nullptr || plain != nullptr;
      const bool known =
          create || !is_field ||
          std::count(given.begin(), given.end(), hashed ? hashed->field : plain->field) > 0;
      unknown_from = known ? unknown_from : l;
    }
  }
  const bool fields_known = unknown_from == levels;
  const std::size_t random_from = create || randoms.empty() ? levels : randoms.begin()->first.first;
  const std::size_t known_levels = std::min(unknown_from, random_from);
  using Visits = std::map<HashPoint, std::int64_t>;  // the least key of a partition, its weight
  const std::vector<std::uint32_t> layout = by_range(pool_of(*op.container));
  const auto visit = [&](std::size_t first_levels, Visits& visits) {
    const HashPoint point = hash_point(op.container->hash, key_of(key, first_levels));
    for (const std::uint32_t id : layout) {
      const HashRange& range = partitions[id].range;
      const bool overlaps = first_levels == 0 || PrefixRange{point}.overlaps(range);
      if (first_levels == levels ? range.contains(point) : overlaps) {
        visits[range.min] += 1;
      }
    }
  };
  op.point = hash_point(op.container->hash, key_of(key, levels));
  op.key = identity(key_of(key, levels));
  op.fan_out = known_levels < levels || op.is(OperationKind::query);
  Visits home;
  Visits visits;
  visit(levels, home);
  if (known_levels == levels || !fields_known || candidates > 10'000) {
    visit(known_levels, visits);
  } else {
    for (Number candidate = 0; candidate < candidates; ++candidate) {
      for (Number digits = candidate; const auto& [at, random] : randoms) {
        key[at.first][at.second] = std::to_string(random.first + digits % random.count);
        digits /= random.count;
      }
      visit(levels, visits);
    }
  }
  charge(op, visits, op.is(OperationKind::read) ? home : visits);  // a read matches one item
}

void Model::charge(Operation& op, const std::map<HashPoint, std::int64_t>& visits,
                   const std::map<HashPoint, std::int64_t>& matching) {  // sections 5 and 13
  const ContainerSpec& container = *op.container;
  const auto client = std::uint32_t(op.client - scenario.clients.data());
  const bool is_strong = container.consistency <= Consistency::bounded_staleness;
  const std::int64_t strong_micro = is_strong ? rules.strong_read_multiplier_micro : kMillion;
  const std::int64_t factor_ppm = is_strong ? kMillion : rules.eventual_read_factor_ppm;
  const Bytes size = container.item_size_bytes;
  const MilliRu write = charge_by_size(size, &ChargeRow::write_mru) +
                        rules.index_mru_per_term * container.indexed_terms;
  std::int64_t all = 0;
  for (const auto& [min, weight] : matching) {
    all += weight;
  }
  std::int64_t upto = 0;
  for (const std::uint32_t id : by_range(pool_of(container))) {
    const HashPoint& min = partitions[id].range.min;
    if (!visits.contains(min)) {
      continue;
    }
    const std::int64_t before = upto;
    upto += matching.contains(min) ? matching.at(min) : 0;
    const auto matches = op.spec->matches * upto / all - op.spec->matches * before / all;
    const auto returned = op.spec->returned * upto / all - op.spec->returned * before / all;
    const MilliRu query = rules.query_min_mru_per_partition + rules.query_mru_per_match * matches +
                          rules.query_mru_per_returned_kb * (returned * size) / 1024;
    const MilliRu read = op.fan_out ? query : charge_by_size(size, &ChargeRow::read_mru);
    MilliRu charge = op.is(OperationKind::create) ? write : read * strong_micro / kMillion;
    if (units_apart) {
      const Bytes bytes = op.fan_out ? std::max<Bytes>(1, returned * size) : size;
      charge = op.is(OperationKind::create)
                   ? units_of(size, rules.write_unit_bytes)
                   : units_of(bytes, rules.read_unit_bytes) * factor_ppm / kMillion;
    }
    queue.insert({op.sent_ns, op.number, op.client->name, op.requests.size()});
    op.requests.push_back(
        {{0, op.number, client, id, 0, {}, op.spec->charge_mru.value_or(charge), 0}});
  }
}

}  // namespace partsim::naive
