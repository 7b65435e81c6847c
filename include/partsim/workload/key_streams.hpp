/// What one client draws behind the keys of one key space.
#pragma once

#include <cstdint>
#include <vector>

#include "partsim/core/rng.hpp"
#include "partsim/workload/operation_mix.hpp"

namespace partsim {

/// Everything that decides the key of an operation besides the laws of the fields, so that a key
/// can be found again from nothing but client, operation number and time.
class KeyStreams {
 public:
  KeyStreams() = default;
  KeyStreams(std::vector<RngStream> axes, const ClientSpec& client, std::uint64_t seed)
      : axes_(std::move(axes)),
        mix_(client, seed),
        existing_(seed, client.name, "existing"),
        age_(seed, client.name, "age") {
    for (const OperationSpec& operation : client.operations) {
      rules_.push_back({operation.kind, operation.existing_ppm, operation.within_ns});
      looks_back_ = looks_back_ || operation.within_ns > 0;
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return axes_.size(); }
  [[nodiscard]] const RngStream& operator[](std::size_t axis) const noexcept { return axes_[axis]; }

  /// Whether the item of this operation is new: then it has the operation's number.
  [[nodiscard]] bool creates(std::uint64_t operation) const noexcept {
    const Rule& rule = rules_[mix_.pick(operation)];
    switch (rule.kind) {
      case OperationKind::create:
      case OperationKind::batch:
      case OperationKind::script:
        return true;
      case OperationKind::upsert:
        return bounded(existing_.draw(operation), kMillion) >=
               static_cast<std::uint64_t>(rule.existing_ppm);
      default:
        return false;
    }
  }

  /// When the item of an operation of that time was made: then, or `within` before.
  [[nodiscard]] Nanoseconds made_ns(std::uint64_t operation, Nanoseconds time_ns) const noexcept {
    return looks_back_ ? made_ns(operation, time_ns, rules_[mix_.pick(operation)].within_ns)
                       : time_ns;
  }
  [[nodiscard]] Nanoseconds made_ns(std::uint64_t operation, Nanoseconds time_ns,
                                    Nanoseconds within_ns) const noexcept {
    if (within_ns <= 0) {
      return time_ns;
    }
    const auto age = static_cast<Nanoseconds>(
        bounded(age_.draw(operation), static_cast<std::uint64_t>(within_ns)));
    return time_ns > age ? time_ns - age : 0;
  }

 private:
  struct Rule {
    OperationKind kind;
    std::int64_t existing_ppm;
    Nanoseconds within_ns;
  };
  std::vector<RngStream> axes_;
  OperationMix mix_;
  RngStream existing_;
  RngStream age_;
  std::vector<Rule> rules_;
  bool looks_back_ = false;
};

}  // namespace partsim
