// Items and keys: sections 1 and 3 of docs/MODEL.md, 5 and 6 of docs/WORKLOAD.md.
#include <algorithm>
#include <charconv>

#include "support/naive_parts.hpp"

namespace partsim::naive {

std::string text_of(const KeyComponent& value) {
  if (const auto* number = std::get_if<double>(&value)) {
    std::string text(512, '\0');
    std::to_chars(text.data(), text.data() + text.size(), *number, std::chars_format::fixed);
    return text.c_str();
  }
  const auto* text = std::get_if<std::string>(&value);
  const auto* flag = std::get_if<bool>(&value);
  const bool undefined = std::holds_alternative<Undefined>(value);
  return text != nullptr   ? *text
         : undefined       ? ""
         : flag == nullptr ? "null"
         : *flag           ? "true"
                           : "false";
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
  if (const auto* weighted = std::get_if<WeightedChoice>(&law)) {
    return AliasTable(weighted->weights).sample(random);
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

namespace {

/// A number as `as:` writes it.
template <class Field>
KeyComponent numbered(const Field& field, Number number) {
  std::string text = std::to_string(number);
  text.insert(0, field.width - std::min<std::size_t>(field.width, text.size()), '0');
  return field.is_text ? KeyComponent(field.prefix + text + field.suffix) : double(number);
}

}  // namespace

KeyComponent value_at(const FieldSpec& field, Number index) {
  if (const auto* values = std::get_if<ValuesField>(&field.kind)) {
    return values->values.at(index);
  }
  return numbered(std::get<ChooseField>(field.kind), index);
}

/// Of a field that has ranks; W6: those of one with a parent are numbered through.
Number Model::index_of(const Operation& op, const FieldSpec& field) {
  const Number random = draw(op, "field/" + field.name);
  if (const auto* values = std::get_if<ValuesField>(&field.kind)) {
    return choose(values->law, values->values.size(), random);
  }
  const auto& chosen = std::get<ChooseField>(field.kind);
  const Number pick = choose(chosen.law, chosen.count, random);
  return chosen.of.empty() ? pick
                           : index_of(op, field_of(*op.container, chosen.of)) * chosen.count + pick;
}

KeyComponent Model::field_value(const Operation& op, const std::string& name) {
  const FieldSpec& field = field_of(*op.container, name);
  const Number random = draw(op, "field/" + name);
  std::string text;
  if (const auto* clock = std::get_if<TimeField>(&field.kind)) {
    clock->format.append(text, scenario.start_unix_s + op.clock_ns / kSecond);
    return text;
  }
  if (const auto* sequence = std::get_if<SequenceField>(&field.kind)) {  // W6
    return numbered(*sequence, op.adds > 0 ? op.number : bounded(random, op.number + 1));
  }
  if (!std::holds_alternative<UniqueField>(field.kind)) {
    return value_at(field, index_of(op, field));
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

/// The key of the operation's item, random parts drawn as for a create.
KeyParts Model::item_key(const Operation& op) {
  return key_parts(*op.container, {[&](const std::string& name) { return field_value(op, name); },
                                   [&](std::size_t l, std::size_t p, const RandomSuffix& random) {
                                     const std::string purpose =
                                         "random/" + std::to_string(l) + "/" + std::to_string(p);
                                     return bounded(draw(op, purpose), random.count);
                                   }});
}

/// W5, within: an item that was made before.
Nanoseconds Model::clock_of(const Operation& op, Nanoseconds at_ns) const {
  const auto within = Number(op.spec->within_ns);
  const auto age = within == 0 ? 0 : Nanoseconds(bounded(draw(op, "age"), within));
  return std::max<Nanoseconds>(0, at_ns - age);
}

Bytes Model::size_of(const Operation& op) const {  // W6
  if (!op.container->item_size_law) {
    return op.container->item_size_bytes;
  }
  const auto [law, low, high] = *op.container->item_size_law;
  const Number random = draw(op, "size");
  if (law == SizeLaw::Law::uniform) {
    return low + Bytes(bounded(random, Number(high - low + 1)));
  }
  const auto size = Bytes(LogNormal(double(low), double(high)).sample(random));
  return std::clamp<Bytes>(size, 1, rules.item_max_bytes);
}

/// What is to be done with which item.
void Model::plan(Operation& op, Nanoseconds at_ns) {
  auto u = std::int64_t(bounded(draw(op, "operation"), kMillion));
  for (op.spec = op.client->operations.data(); u >= op.spec->share_ppm; ++op.spec) {
    u -= op.spec->share_ppm;
  }
  using Kind = OperationKind;
  const bool exists = std::int64_t(bounded(draw(op, "existing"), kMillion)) < op.spec->existing_ppm;
  op.writes = !op.is(Kind::read) && !op.is(Kind::query) && !op.is(Kind::read_feed);
  op.adds = op.is(Kind::create) || (op.is(Kind::upsert) && !exists) ? 1 : 0;
  op.adds = op.is(Kind::batch) || op.is(Kind::script) ? op.spec->items : op.adds;
  op.removes = op.is(Kind::remove) ? 1 : 0;
  op.clock_ns = clock_of(op, at_ns);
  op.size = size_of(op);
  const std::vector<KeyComponent> key = key_of(item_key(op), op.container->partition_key.size());
  op.point = hash_point(op.container->hash, key);
  op.key = identity(key);
  for (const std::uint32_t id : alive(pool_of(*op.container))) {
    op.home = partitions[id].range.contains(op.point) ? id : op.home;
  }
}

}  // namespace partsim::naive
