/// How long an admitted request takes.
#pragma once

#include <cstdint>

#include "partsim/core/distribution.hpp"
#include "partsim/scenario/scenario.hpp"

namespace partsim {

/// The latency of one container, resolved once: `service:` if it has one, else the provider's.
class ServiceTime {
 public:
  enum class Kind : std::uint8_t { write, read, query };

  ServiceTime(const ContainerSpec& container, const ProviderParameters& parameters);

  [[nodiscard]] Nanoseconds sample(std::uint64_t draw, MilliRu charge, Kind kind) const noexcept {
    switch (law_) {
      case Law::exponential:
        return static_cast<Nanoseconds>(
            exponential(draw) *
            (per_ru_ ? mean_ns_ * (static_cast<double>(charge) / 1000.0) : mean_ns_));
      case Law::fixed:
        return per_ru_ ? fixed_ns_ * charge / kMilliPerRu : fixed_ns_;
      case Law::provider:
        break;
    }
    const LogNormal& law = kind == Kind::write ? write_ : read_;
    const auto base = static_cast<Nanoseconds>(law.sample(draw));
    return kind == Kind::query ? base + query_ns_per_ru_ * charge / kMilliPerRu : base;
  }

  /// No request of this charge or more takes less.
  [[nodiscard]] Nanoseconds least_ns(MilliRu charge, Kind kind) const noexcept {
    return law_ == Law::exponential ? 0 : sample(0, charge, kind);  // rises with the draw
  }

 private:
  enum class Law : std::uint8_t { provider, fixed, exponential };

  Law law_ = Law::provider;
  bool per_ru_ = false;
  Nanoseconds fixed_ns_ = 0;
  double mean_ns_ = 0;
  Nanoseconds query_ns_per_ru_ = 0;
  LogNormal read_;
  LogNormal write_;
};

}  // namespace partsim
