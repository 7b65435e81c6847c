// Routes and charges: sections 4, 5 and 13 of docs/MODEL.md, section 5 of docs/WORKLOAD.md.
#include <algorithm>

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

/// The random parts of a key, by level and part.
std::map<std::pair<std::size_t, std::size_t>, RandomSuffix> randoms_of(
    const ContainerSpec& container) {
  std::map<std::pair<std::size_t, std::size_t>, RandomSuffix> randoms;
  for (std::size_t l = 0; l < container.partition_key.size(); ++l) {
    for (std::size_t p = 0; p < container.partition_key[l].parts.size(); ++p) {
      if (const auto* random = std::get_if<RandomSuffix>(&container.partition_key[l].parts[p])) {
        randoms[{l, p}] = *random;
      }
    }
  }
  return randoms;
}

/// How many of the first levels a caller knows who knows these fields; without `random_too` no
/// random part.
std::size_t known_levels(const Operation& op, bool all_fields, bool random_too) {
  std::size_t known = 0;
  const std::vector<std::string>& given = op.spec->given;
  const auto is_known = [&](const KeyPart& part) {
    const auto* hashed = std::get_if<HashedSuffix>(&part);
    const auto* plain = std::get_if<FieldValue>(&part);
    if (hashed == nullptr && plain == nullptr) {
      return random_too || std::holds_alternative<LiteralText>(part);
    }
    return all_fields ||
           std::count(given.begin(), given.end(), hashed ? hashed->field : plain->field) > 0;
  };
  for (const KeyTemplate& level : op.container->partition_key) {
    if (!std::all_of(level.parts.begin(), level.parts.end(), is_known)) {
      break;
    }
    ++known;
  }
  return known;
}

}  // namespace

void Model::visit(const Operation& op, const KeyParts& key, std::size_t levels,
                  Visits& visits) const {
  const HashPoint point = hash_point(op.container->hash, key_of(key, levels));
  for (const std::uint32_t id : by_range(pool_of(*op.container))) {
    const HashRange& range = partitions[id].range;
    const bool overlaps = levels == 0 || PrefixRange{point}.overlaps(range);
    const bool whole = levels == op.container->partition_key.size();
    if (whole ? range.contains(point) : overlaps) {
      visits[range.min] += 1;
    }
  }
}

/// Every key that the random parts may have made.
void Model::visit_candidates(const Operation& op, KeyParts key, Visits& visits) const {
  const auto randoms = randoms_of(*op.container);
  Number candidates = 1;
  for (const auto& [at, random] : randoms) {
    candidates *= random.count;
  }
  for (Number candidate = 0; candidate < candidates; ++candidate) {
    for (Number digits = candidate; const auto& [at, random] : randoms) {
      key[at.first][at.second] = std::to_string(random.first + digits % random.count);
      digits /= random.count;
    }
    visit(op, key, op.container->partition_key.size(), visits);
  }
}

void Model::route(Operation& op) {  // sections 4 and W5
  using Kind = OperationKind;
  const std::size_t levels = op.container->partition_key.size();
  const bool makes_key = op.is(Kind::create) || op.is(Kind::upsert);
  const std::size_t known = known_levels(op, makes_key, makes_key);
  Wide candidates = 1;
  for (const auto& [at, random] : randoms_of(*op.container)) {
    candidates = std::min<Wide>(candidates * random.count, 10'001);
  }
  const bool only_random_unknown = known_levels(op, makes_key, true) == levels;
  const KeyParts key = item_key(op);
  Visits home;
  Visits visits;
  visit(op, key, levels, home);
  op.refused = (op.is(Kind::batch) || op.is(Kind::script)) && known < levels;
  op.fan_out = !op.refused && (known < levels || op.is(Kind::query) || op.is(Kind::read_feed));
  if (op.refused || known == levels) {
    visit(op, key, levels, visits);
    for (Number j = 1; op.is(Kind::query) && j < op.spec->keys; ++j) {
      Operation other = op;
      other.number = op.number + (j << 40U);
      other.clock_ns = clock_of(other, op.sent_ns);
      visit(op, item_key(other), levels, visits);
    }
  } else if (only_random_unknown && candidates <= 10'000 && !op.is(Kind::read_feed)) {
    visit_candidates(op, key, visits);
  } else {
    visit(op, key, known, visits);
  }
  charge(op, visits, home);
}

/// What the write itself costs.
MilliRu Model::write_charge(const Operation& op) const {
  using Kind = OperationKind;
  const MilliRu write = charge_by_size(op.size, &ChargeRow::write_mru);
  const MilliRu created = write + rules.index_mru_per_term * op.container->indexed_terms;
  const MilliRu replaced = write * rules.replace_write_multiplier_micro / kMillion +
                           2 * rules.index_mru_per_term * op.spec->changed_terms;
  const auto items = MilliRu(op.spec->items);
  if (units_apart) {
    const MilliRu units = units_of(op.size, rules.write_unit_bytes);
    return op.is(Kind::batch) || op.is(Kind::script) ? items * 2 * units : units;
  }
  switch (op.spec->kind) {
    case Kind::upsert:
      return op.adds > 0 ? created : replaced;
    case Kind::replace:
      return replaced;
    case Kind::patch:
      return replaced + rules.patch_mru_per_property * op.spec->patched;
    case Kind::remove:
      return created * rules.delete_write_multiplier_micro / kMillion;
    case Kind::batch:
      return items * created;
    case Kind::script:
      return rules.script_overhead_mru +
             items * created * rules.script_operation_factor_micro / kMillion;
    default:
      return created;
  }
}

/// What a read, a query or a feed costs on a partition with so many of its items; a write that has
/// to find its item first is such a query.
MilliRu Model::read_charge(const Operation& op, std::int64_t matches, std::int64_t returned) const {
  const bool is_strong = op.container->consistency <= Consistency::bounded_staleness;
  const auto strong = [&](MilliRu charge) {
    return is_strong ? charge * rules.strong_read_multiplier_micro / kMillion : charge;
  };
  if (units_apart) {
    const Bytes bytes = op.fan_out ? std::max<Bytes>(1, returned * op.size) : op.size;
    const std::int64_t factor_ppm = is_strong ? kMillion : rules.eventual_read_factor_ppm;
    return units_of(bytes, rules.read_unit_bytes) * factor_ppm / kMillion;
  }
  const MilliRu read = strong(charge_by_size(op.size, &ChargeRow::read_mru));
  if (op.is(OperationKind::read_feed)) {
    return std::max(read * returned, rules.read_feed_min_mru);
  }
  return !op.fan_out
             ? read
             : strong(rules.query_min_mru_per_partition + rules.query_mru_per_match * matches +
                      rules.query_mru_per_returned_kb * (returned * op.size) / 1024);
}

/// One request for each visited partition.
void Model::charge(Operation& op, const Visits& visits, const Visits& home) {
  const auto client = std::uint32_t(op.client - scenario.clients.data());
  const bool lists = op.is(OperationKind::query) || op.is(OperationKind::read_feed);
  const Visits& matching = lists ? visits : home;  // others are after one item
  const std::int64_t all_matches = op.is(OperationKind::query) ? op.spec->matches : 1;
  const std::int64_t all_returned = lists ? op.spec->returned : 1;
  std::int64_t all = 0;
  for (const auto& [min, weight] : matching) {
    all += weight;
  }
  std::int64_t upto = 0;
  for (const std::uint32_t id : by_range(pool_of(*op.container))) {
    const HashPoint& min = partitions[id].range.min;
    if (!visits.contains(min)) {
      continue;
    }
    const std::int64_t before = upto;
    upto += matching.contains(min) ? matching.at(min) : 0;
    const std::int64_t matches = all_matches * upto / all - all_matches * before / all;
    const std::int64_t returned = all_returned * upto / all - all_returned * before / all;
    const bool owns = home.contains(min);
    const bool reads = !op.writes || op.fan_out;
    const MilliRu charge = (reads ? read_charge(op, matches, returned) : 0) +
                           (op.writes && owns ? write_charge(op) : 0);
    queue.insert({now, Phase::attempt, op.number, op.client->name, op.requests.size()});
    op.requests.push_back(
        {{0, op.number, client, id, 0, {}, op.spec->charge_mru.value_or(charge), 0}, owns});
  }
}

}  // namespace partsim::naive
