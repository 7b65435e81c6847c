#include "partsim/workload/key_space.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <numeric>

#include "partsim/core/assert.hpp"
#include "partsim/scenario/pools.hpp"
#include "partsim/workload/trace_feed.hpp"

namespace partsim {
namespace {

void append_number(std::string& out, std::uint64_t value, std::uint32_t width = 0) {
  std::array<char, 20> digits{};
  char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  const auto length = static_cast<std::size_t>(end - digits.data());
  if (length < width) {
    out.append(width - length, '0');
  }
  out.append(digits.data(), length);
}

void append_hex16(std::string& out, std::uint64_t value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (int shift = 60; shift >= 0; shift -= 4) {
    out.push_back(kDigits[(value >> shift) & 15U]);
  }
}

/// Text of a listed value inside a longer key. Listed numbers have at most six decimal places.
void append_component(std::string& out, const KeyComponent& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    out += *text;
  } else if (const auto* number = std::get_if<double>(&value)) {
    const double magnitude = *number < 0 ? -*number : *number;
    if (*number < 0) {
      out.push_back('-');
    }
    // a whole number of millionths by construction, so half of one settles the conversion
    const double micro = magnitude * 1e6 + 0.5;
    out += format_decimal_micro(static_cast<std::int64_t>(micro));
  } else if (const auto* truth = std::get_if<bool>(&value)) {
    out += *truth ? "true" : "false";
  } else if (std::holds_alternative<Null>(value)) {
    out += "null";
  }
}

/// A component of a recorded key, which may be any number.
void append_recorded(std::string& out, const KeyComponent& value) {
  constexpr double kWhole = 9'007'199'254'740'992.0;  // 2^53
  if (const auto* number = std::get_if<double>(&value)) {
    std::array<char, 32> text{};
    const bool is_whole = *number > -kWhole && *number < kWhole &&
                          static_cast<double>(static_cast<std::int64_t>(*number)) == *number;
    if (is_whole) {
      out += std::to_string(static_cast<std::int64_t>(*number));
    } else {
      // 17 digits tell any two doubles apart
      const int length = std::snprintf(text.data(), text.size(), "%.17g", *number);
      out.append(text.data(), static_cast<std::size_t>(length));
    }
  } else if (std::holds_alternative<Undefined>(value)) {
    out += "undefined";
  } else {
    append_component(out, value);
  }
}

/// A number with the text around it.
template <class Field>
void append_numbered(std::string& out, const Field& field, std::uint64_t value) {
  out += field.prefix;
  append_number(out, value, field.width);
  out += field.suffix;
}

}  // namespace

KeySpace::KeySpace(const ContainerSpec& container, std::int64_t start_unix_s)
    : container_(&container), start_unix_s_(start_unix_s), version_(hash_version_of(container)) {
  for (std::size_t level = 0; level < container.partition_key.size(); ++level) {
    compile_level(container.partition_key[level], level);
  }
  components_.resize(levels_.size());
  if (takes_row_keys()) {
    axes_.push_back({KeyAxis::Kind::column, "row", kRowKeyField, {}, 0, KeyAxis::kNoParent});
    has_numbers_ = true;
  }
}

std::size_t KeySpace::field_index(const std::string& name) const {
  const auto found = std::find_if(container_->fields.begin(), container_->fields.end(),
                                  [&name](const FieldSpec& field) { return field.name == name; });
  PARTSIM_ASSERT(found != container_->fields.end(), "a key names only fields of its container");
  return static_cast<std::size_t>(found - container_->fields.begin());
}

/// Whether a level of this one part may be something else than text.
bool KeySpace::is_typed(const KeyPart& part) const {
  const auto* value = std::get_if<FieldValue>(&part);
  if (value == nullptr) {
    return false;
  }
  const auto& kind = container_->fields[field_index(value->field)].kind;
  const auto* choose = std::get_if<ChooseField>(&kind);
  const auto* sequence = std::get_if<SequenceField>(&kind);
  return std::holds_alternative<ValuesField>(kind) || (choose != nullptr && !choose->is_text) ||
         (sequence != nullptr && !sequence->is_text);
}

/// Two parts that read the same field, or fields of the same rows, share an axis: one draw decides
/// both.
std::size_t KeySpace::axis_for_field(const std::string& name, std::size_t field) {
  const auto* listed = std::get_if<ValuesField>(&container_->fields[field].kind);
  const std::string purpose =
      listed != nullptr && !listed->rows.empty() ? "rows/" + listed->rows : "field/" + name;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (axes_[i].purpose == purpose) {
      return i;
    }
  }
  KeyAxis axis{KeyAxis::Kind::unique, purpose, field, {}, 0, KeyAxis::kNoParent};
  const auto& kind = container_->fields[field].kind;
  if (const auto* choose = std::get_if<ChooseField>(&kind)) {
    axis.kind = KeyAxis::Kind::choose;
    axis.choice = Choice(choose->count, choose->law);
    if (!choose->of.empty()) {
      axis.parent = axis_for_field(choose->of, field_index(choose->of));
    }
  } else if (std::holds_alternative<SequenceField>(kind)) {
    axis.kind = KeyAxis::Kind::sequence;
    has_numbers_ = true;
  } else if (std::holds_alternative<ColumnField>(kind)) {
    axis.kind = KeyAxis::Kind::column;
    has_numbers_ = true;
  } else if (const auto* values = std::get_if<ValuesField>(&kind)) {
    axis.kind = KeyAxis::Kind::values;
    axis.choice = Choice(values->values.size(), values->law);
  }
  axes_.push_back(std::move(axis));
  return axes_.size() - 1;
}

void KeySpace::compile_level(const KeyTemplate& key, std::size_t level) {
  Level compiled;
  for (std::size_t i = 0; i < key.parts.size(); ++i) {
    Part part{Part::Kind::literal, {}, 0, 0, {}};
    std::string field;
    if (const auto* literal = std::get_if<LiteralText>(&key.parts[i])) {
      part.literal = literal->text;
    } else if (const auto* random = std::get_if<RandomSuffix>(&key.parts[i])) {
      part.kind = Part::Kind::axis;
      part.axis = axes_.size();
      axes_.push_back({KeyAxis::Kind::random,
                       "random/" + std::to_string(level) + "/" + std::to_string(i), 0,
                       Choice(random->count, UniformChoice{}), random->first, KeyAxis::kNoParent});
    } else if (const auto* hashed = std::get_if<HashedSuffix>(&key.parts[i])) {
      part.kind = Part::Kind::hashed_axis;
      part.hash = *hashed;
      field = hashed->field;
    } else {
      part.kind = Part::Kind::axis;
      field = std::get<FieldValue>(key.parts[i]).field;
    }
    if (!field.empty()) {
      part.field = field_index(field);
      if (const auto* clock = std::get_if<TimeField>(&container_->fields[part.field].kind)) {
        part.kind = part.kind == Part::Kind::axis ? Part::Kind::clock : Part::Kind::hashed_clock;
        clock_period_s_ = std::gcd(clock_period_s_, clock->format.period_s());
      } else {
        part.axis = axis_for_field(field, part.field);
      }
    }
    if (part.kind == Part::Kind::axis || part.kind == Part::Kind::hashed_axis) {
      add_to_level(compiled, part.axis);
    }
    compiled.parts.push_back(std::move(part));
  }
  compiled.typed = key.parts.size() == 1 && is_typed(key.parts.front());
  levels_.push_back(std::move(compiled));
}

/// What decides a value decides the level: the field's own pick, and its parent's.
void KeySpace::add_to_level(Level& level, std::size_t axis) const {
  level.axes.push_back(axis);
  if (axes_[axis].parent != KeyAxis::kNoParent) {
    level.axes.push_back(axes_[axis].parent);
  }
}

KeyStreams KeySpace::streams_for(std::uint64_t seed, const ClientSpec& client) const {
  std::vector<RngStream> streams;
  for (const KeyAxis& axis : axes_) {
    streams.emplace_back(seed, client.name, axis.purpose);
  }
  return {std::move(streams), client, seed};
}

void KeySpace::number(const KeyStreams& streams, std::uint64_t operation,
                      KeyChoice& choice) const noexcept {
  number(operation, streams.creates(operation), choice);
}

void KeySpace::number(std::uint64_t operation, bool creates, KeyChoice& choice) const noexcept {
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (axes_[i].kind == KeyAxis::Kind::column ||
        (axes_[i].kind == KeyAxis::Kind::sequence && creates)) {
      choice.index[i] = operation;
    } else if (axes_[i].kind == KeyAxis::Kind::sequence) {
      choice.index[i] = bounded(choice.index[i], operation + 1);
    }
  }
}

void KeySpace::choose_of_set(const KeyStreams& streams, std::uint64_t operation, std::uint64_t key,
                             KeyChoice& choice) const noexcept {
  const std::uint64_t drawn_as = operation + (key << kKeySetShift);
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const std::uint64_t draw = streams[i].draw(drawn_as);
    choice.index[i] = axes_[i].is_finite() ? axes_[i].choice.sample(draw) : draw;
  }
  number(operation, false, choice);
}

void KeySpace::choose_at(const KeyStreams& streams, std::uint64_t operation, Nanoseconds time_ns,
                         KeyChoice& choice) const {
  choice.index.resize(axes_.size());
  Nanoseconds until_ns = 0;
  choice.unix_second =
      clock_second(reads_clock() ? streams.made_ns(operation, time_ns) : time_ns, &until_ns);
  choose(streams, operation, choice);
}

std::int64_t KeySpace::clock_second(Nanoseconds time_ns, Nanoseconds* until_ns) const noexcept {
  if (clock_period_s_ == 0) {
    *until_ns = kNever;
    return start_unix_s_;
  }
  const std::int64_t now = start_unix_s_ + time_ns / kSecond;
  const std::int64_t begin = now - now % clock_period_s_;
  *until_ns = (begin + clock_period_s_ - start_unix_s_) * kSecond;
  return begin;
}

std::uint64_t KeySpace::value_of(std::size_t axis, const KeyChoice& choice) const noexcept {
  const std::size_t parent = axes_[axis].parent;
  const std::uint64_t index = choice.index[axis];
  return parent == KeyAxis::kNoParent ? index
                                      : choice.index[parent] * axes_[axis].choice.count() + index;
}

void KeySpace::append_axis(std::string& out, std::size_t axis_index, std::size_t field,
                           const KeyChoice& choice) const {
  const KeyAxis& axis = axes_[axis_index];
  const std::uint64_t index = value_of(axis_index, choice);
  if (axis.kind == KeyAxis::Kind::random) {
    append_number(out, axis.first + index);
    return;
  }
  const auto& kind = container_->fields[field].kind;
  switch (axis.kind) {
    case KeyAxis::Kind::unique:
      append_hex16(out, index);
      return;
    case KeyAxis::Kind::values:
      append_component(out, std::get<ValuesField>(kind).values[index]);
      return;
    case KeyAxis::Kind::choose:
      append_numbered(out, std::get<ChooseField>(kind), index);
      return;
    case KeyAxis::Kind::sequence:
      append_numbered(out, std::get<SequenceField>(kind), index);
      return;
    case KeyAxis::Kind::column:
    case KeyAxis::Kind::random:
      break;
  }
  PARTSIM_ASSERT(columns_.text != nullptr, "a key with columns is read from a trace");
  out += columns_.text(columns_.trace, field, index);
}

void KeySpace::append_part(std::string& out, const Part& part, const KeyChoice& choice) {
  const bool hashed = part.kind == Part::Kind::hashed_axis || part.kind == Part::Kind::hashed_clock;
  std::string& text = hashed ? hashed_text_ : out;
  if (hashed) {
    hashed_text_.clear();
  }
  switch (part.kind) {
    case Part::Kind::literal:
      text += part.literal;
      break;
    case Part::Kind::axis:
    case Part::Kind::hashed_axis:
      append_axis(text, part.axis, part.field, choice);
      break;
    case Part::Kind::clock:
    case Part::Kind::hashed_clock:
      std::get<TimeField>(container_->fields[part.field].kind)
          .format.append(text, choice.unix_second);
      break;
  }
  if (hashed) {
    append_number(out, hashed_suffix(part.hash, hashed_text_));
  }
}

/// The key component of a level that is exactly one field which is not plain text.
KeyComponent KeySpace::typed_component(const Part& part, const KeyChoice& choice) const {
  const KeyAxis& axis = axes_[part.axis];
  const std::uint64_t index = value_of(part.axis, choice);
  if (axis.kind == KeyAxis::Kind::values) {
    return std::get<ValuesField>(container_->fields[part.field].kind).values[index];
  }
  return static_cast<double>(index);
}

void KeySpace::build(std::size_t level, const KeyChoice& choice) {
  if (levels_[level].typed) {
    components_[level] = typed_component(levels_[level].parts.front(), choice);
    return;
  }
  if (!std::holds_alternative<std::string>(components_[level])) {
    components_[level] = std::string();
  }
  auto& text = std::get<std::string>(components_[level]);
  text.clear();
  for (const Part& part : levels_[level].parts) {
    append_part(text, part, choice);
  }
}

std::span<const KeyComponent> KeySpace::row_key(const KeyChoice& choice) {
  PARTSIM_ASSERT(columns_.text != nullptr, "keys of rows are read from a trace");
  const std::size_t count = read_components(
      columns_.text(columns_.trace, kRowKeyField, choice.index.front()), components_);
  return {components_.data(), count};
}

HashPoint KeySpace::point(const KeyChoice& choice, std::size_t levels) {
  if (takes_row_keys()) {
    return hash_point(version_, row_key(choice));
  }
  for (std::size_t level = 0; level < levels; ++level) {
    build(level, choice);
  }
  return hash_point(version_, std::span<const KeyComponent>(components_.data(), levels));
}

std::string KeySpace::text(const KeyChoice& choice) {
  std::string joined;
  if (takes_row_keys()) {
    for (const KeyComponent& component : row_key(choice)) {
      joined += joined.empty() ? "" : " / ";
      append_recorded(joined, component);
    }
    return joined;
  }
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    if (level > 0) {
      joined += " / ";
    }
    const std::size_t before = joined.size();
    for (const Part& part : levels_[level].parts) {
      append_part(joined, part, choice);
    }
    if (levels_[level].typed && joined.size() == before &&
        std::holds_alternative<Undefined>(typed_component(levels_[level].parts.front(), choice))) {
      joined += "undefined";
    }
  }
  return joined;
}

}  // namespace partsim
