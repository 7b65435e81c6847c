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

namespace partsim {

/// One independent draw behind a key.
struct KeyAxis {
  enum class Kind : std::uint8_t { choose, values, unique, random };
  Kind kind = Kind::choose;
  std::string purpose;      // of the stream its draw comes from
  std::size_t field = 0;    // index into ContainerSpec::fields; not for random
  Choice choice;            // not for unique
  std::uint64_t first = 0;  // of `{random first..}`
};

/// The key of one item: one index an axis (a unique field's is its draw), and the clock's second.
struct KeyChoice {
  std::vector<std::uint64_t> index;
  std::int64_t unix_second = 0;
};

/// The streams of one client behind the axes of one key space.
using KeyStreams = std::vector<RngStream>;

class KeySpace {
 public:
  /// `container` must outlive the key space.
  KeySpace(const ContainerSpec& container, std::int64_t start_unix_s);

  [[nodiscard]] const std::vector<KeyAxis>& axes() const noexcept { return axes_; }
  [[nodiscard]] KeyStreams streams_for(std::uint64_t seed, std::string_view client) const;

  void choose(const KeyStreams& streams, std::uint64_t operation,
              KeyChoice& choice) const noexcept {
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const std::uint64_t draw = streams[i].draw(operation);
      choice.index[i] =
          axes_[i].kind == KeyAxis::Kind::unique ? draw : axes_[i].choice.sample(draw);
    }
  }

  /// The simulated second in which texts of the clock last changed before `time_ns`; `*until_ns` is
  /// when they change next.
  [[nodiscard]] std::int64_t clock_second(Nanoseconds time_ns,
                                          Nanoseconds* until_ns) const noexcept;

  /// Hash of the first `levels` levels of a key.
  [[nodiscard]] HashPoint point(const KeyChoice& choice, std::size_t levels);
  [[nodiscard]] HashPoint point(const KeyChoice& choice) { return point(choice, levels_.size()); }
  /// The key as people write it, levels joined by " / ".
  [[nodiscard]] std::string text(const KeyChoice& choice);

  [[nodiscard]] std::size_t levels() const noexcept { return levels_.size(); }
  /// Whether the key changes with the simulated clock.
  [[nodiscard]] bool reads_clock() const noexcept { return clock_period_s_ != 0; }
  /// Axes that level `level` reads.
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
    std::size_t field = 0;  // for clock, hashed_clock
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
  void append_axis(std::string& out, std::size_t axis, std::uint64_t index) const;
  void append_part(std::string& out, const Part& part, const KeyChoice& choice);
  [[nodiscard]] bool is_typed(const KeyPart& part) const;
  [[nodiscard]] KeyComponent typed_component(const Part& part, const KeyChoice& choice) const;
  void build(std::size_t level, const KeyChoice& choice);

  const ContainerSpec* container_;
  std::int64_t start_unix_s_;
  HashVersion version_;
  std::vector<KeyAxis> axes_;
  std::vector<Level> levels_;
  std::int64_t clock_period_s_ = 0;  // 0: the key does not read the clock
  std::vector<KeyComponent>
      components_;           // scratch: one a level, reused so that nothing is allocated
  std::string hashed_text_;  // scratch
};

}  // namespace partsim
