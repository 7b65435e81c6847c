/// A container's keys: from an operation's draws to bytes, to the hash, to the owner.
///
/// The templates are compiled once into parts that read *axes*: the few independent draws that
/// decide a key (a field, a random suffix). A key set that is finite and small is a table over the
/// axes, filled as its cells are first used, so a hot loop hashes each key once and not once a
/// request.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "partsim/core/rng.hpp"
#include "partsim/scenario/scenario.hpp"
#include "partsim/service/layout.hpp"
#include "partsim/workload/choice.hpp"
#include "partsim/workload/key_streams.hpp"

namespace partsim {

/// One independent draw behind a key.
struct KeyAxis {
  /// The finite kinds first; the index of the others is their draw or the operation's number.
  enum class Kind : std::uint8_t { choose, values, random, unique, sequence, column };
  Kind kind = Kind::choose;
  std::string purpose;      // of the stream its draw comes from
  std::size_t field = 0;    // index into ContainerSpec::fields, the first of some; not for random
  Choice choice;            // of the finite kinds
  std::uint64_t first = 0;  // of `{random first..}`
  /// The axis of the field that this one is `of`: its value is parent * count + index. The index
  /// itself counts within one value of the parent, so that the axes stay independent.
  std::size_t parent = kNoParent;
  static constexpr std::size_t kNoParent = SIZE_MAX;

  [[nodiscard]] bool is_finite() const noexcept { return kind < Kind::unique; }
};

/// The key of one item: one index an axis (a unique field's is its draw, a sequence's its number, a
/// column's its row), and the clock's second.
struct KeyChoice {
  std::vector<std::uint64_t> index;
  std::int64_t unix_second = 0;
};

/// Texts of a replayed trace, for `{column: ...}` fields: a plain function, because it stands in
/// the loop.
struct ColumnTexts {
  const void* trace = nullptr;
  /// Text of a field (an index into ContainerSpec::fields) in a row; rows are operation numbers.
  std::string_view (*text)(const void* trace, std::size_t field, std::uint64_t row) = nullptr;
};
/// The field of a row's own key; its text is that of append_components().
inline constexpr std::size_t kRowKeyField = SIZE_MAX;

/// Key `j` of an operation that asks for several is drawn as if by operation `op + (j << 40)`.
inline constexpr unsigned kKeySetShift = 40;

class KeySpace {
 public:
  /// `container` must outlive the key space.
  KeySpace(const ContainerSpec& container, std::int64_t start_unix_s);

  [[nodiscard]] const std::vector<KeyAxis>& axes() const noexcept { return axes_; }
  [[nodiscard]] KeyStreams streams_for(std::uint64_t seed, const ClientSpec& client) const;
  /// Where the texts of columns come from; before the first key that has one.
  void read_columns(const ColumnTexts& columns) noexcept { columns_ = columns; }

  /// The fields of an operation's item; the clock stays as it is. Always inlined: a call for each
  /// request would show.
  [[gnu::always_inline]] void choose(const KeyStreams& streams, std::uint64_t operation,
                                     KeyChoice& choice) const noexcept {
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const std::uint64_t draw = streams[i].draw(operation);
      choice.index[i] = axes_[i].is_finite() ? axes_[i].choice.sample(draw) : draw;
    }
    if (has_numbers_) [[unlikely]] {
      number(streams, operation, choice);
    }
  }
  /// Likewise of key `key` of a set that an operation asks for.
  void choose_of_set(const KeyStreams& streams, std::uint64_t operation, std::uint64_t key,
                     KeyChoice& choice) const noexcept;
  /// The whole key of an operation first sent at a time, the clock included.
  void choose_at(const KeyStreams& streams, std::uint64_t operation, Nanoseconds time_ns,
                 KeyChoice& choice) const;

  /// The simulated second in which texts of the clock last changed before `time_ns`; `*until_ns` is
  /// when they change next.
  [[nodiscard]] std::int64_t clock_second(Nanoseconds time_ns,
                                          Nanoseconds* until_ns) const noexcept;

  /// Hash of the first `levels` levels of a key.
  [[nodiscard]] HashPoint point(const KeyChoice& choice, std::size_t levels);
  [[nodiscard]] HashPoint point(const KeyChoice& choice) { return point(choice, levels_.size()); }
  /// The key as people write it, levels joined by " / ".
  [[nodiscard]] std::string text(const KeyChoice& choice);

  /// Whether keys are those of the rows of a trace, not built from a template. Then there is one
  /// axis, the row, and no level.
  [[nodiscard]] bool takes_row_keys() const noexcept { return levels_.empty(); }
  [[nodiscard]] std::size_t levels() const noexcept { return levels_.size(); }
  [[nodiscard]] std::int64_t start_unix_s() const noexcept { return start_unix_s_; }
  /// Whether the key changes with the simulated clock.
  [[nodiscard]] bool reads_clock() const noexcept { return clock_period_s_ != 0; }
  /// Axes that decide level `level`.
  [[nodiscard]] const std::vector<std::size_t>& axes_of_level(std::size_t level) const {
    return levels_[level].axes;
  }

 private:
  /// Part of a level: literal text, or the text of an axis, a clock or a hashed axis.
  struct Part {
    enum class Kind : std::uint8_t { literal, axis, clock, hashed_axis, hashed_clock };
    Kind kind;
    std::string literal;
    std::size_t axis = 0;   // for axis, hashed_axis
    std::size_t field = 0;  // of all that read one
    HashedSuffix hash;      // for the hashed ones
  };
  struct Level {
    std::vector<Part> parts;
    std::vector<std::size_t> axes;
    bool typed = false;  // exactly one field that is not text: the key keeps its type
  };

  std::size_t axis_for_field(const std::string& name, std::size_t field);
  [[nodiscard]] std::size_t field_index(const std::string& name) const;
  void compile_level(const KeyTemplate& key, std::size_t level);
  void add_to_level(Level& level, std::size_t axis) const;
  /// Turns the draws of sequences and columns into numbers. Out of the way of keys without any.
  void number(const KeyStreams& streams, std::uint64_t operation, KeyChoice& choice) const noexcept;
  void number(std::uint64_t operation, bool creates, KeyChoice& choice) const noexcept;
  [[nodiscard]] std::uint64_t value_of(std::size_t axis, const KeyChoice& choice) const noexcept;
  void append_axis(std::string& out, std::size_t axis, std::size_t field,
                   const KeyChoice& choice) const;
  void append_part(std::string& out, const Part& part, const KeyChoice& choice);
  [[nodiscard]] bool is_typed(const KeyPart& part) const;
  [[nodiscard]] KeyComponent typed_component(const Part& part, const KeyChoice& choice) const;
  void build(std::size_t level, const KeyChoice& choice);
  /// The components of a row's own key.
  [[nodiscard]] std::span<const KeyComponent> row_key(const KeyChoice& choice);

  const ContainerSpec* container_;
  std::int64_t start_unix_s_;
  HashVersion version_;
  std::vector<KeyAxis> axes_;
  std::vector<Level> levels_;
  ColumnTexts columns_;
  bool has_numbers_ = false;         // sequences or columns among the axes
  std::int64_t clock_period_s_ = 0;  // 0: the key does not read the clock
  std::vector<KeyComponent>
      components_;           // scratch: one a level, reused so that nothing is allocated
  std::string hashed_text_;  // scratch
};

}  // namespace partsim
