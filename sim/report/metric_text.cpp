#include "metric_text.hpp"

#include <cmath>

#include <fmt/format.h>

#include "numbers.hpp"

namespace partsim {
namespace {

std::string size_text(double size, MetricUnit unit) {
  switch (unit) {
    case MetricUnit::share:
      return in_percent(size);
    case MetricUnit::milliseconds:
      return in_ms(size);
    case MetricUnit::seconds:
      return in_ms(size * 1'000);
    case MetricUnit::ru:
      return in_ru(size) + " RU";
    case MetricUnit::ru_per_second:
      return in_ru(size) + " RU/s";
    case MetricUnit::bytes:
      return in_bytes(std::llround(size));
    case MetricUnit::usd:
      return in_usd(std::llround(size * 1e6));
    case MetricUnit::count:
      return size < 1'000 && size != std::floor(size)
                 ? in_times(size)
                 : in_short(static_cast<std::uint64_t>(std::llround(size)));
    case MetricUnit::ratio:
      break;
  }
  return in_times(size);
}

}  // namespace

std::string metric_text(double value, MetricUnit unit) {
  if (!std::isfinite(value)) {
    return "-";
  }
  // Beyond, nothing is worth reading digit by digit, and integers would overflow.
  const double size = std::min(std::abs(value), 9e12);
  return (value < 0 ? "-" : "") + size_text(size, unit);
}

std::string interval_text(const Interval& interval, MetricUnit unit, bool unicode) {
  std::string mean = metric_text(interval.mean, unit);
  if (!interval.is_known() || interval.half_width <= 0) {
    return mean;
  }
  return fmt::format("{} {} {}", mean, unicode ? "±" : "+-",
                     metric_text(interval.half_width, unit));
}

MetricUnit unit_or_ratio(std::string_view path) {
  return metric_unit(path).value_or(MetricUnit::ratio);
}

std::string metric_heading(std::string_view path) {
  if (path == "throttled_share") {
    return "429s";
  }
  if (path == "failed_share") {
    return "failed";
  }
  if (path == "cost.per_month") {
    return "cost/month";
  }
  if (path == "ru.per_operation") {
    return "RU/op";
  }
  constexpr std::string_view kLatency = "latency_ms.";
  return std::string(path.starts_with(kLatency) ? path.substr(kLatency.size()) : path);
}

}  // namespace partsim
