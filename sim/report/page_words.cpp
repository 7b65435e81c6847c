#include "partsim/report/page_words.hpp"

#include <string_view>

#include <fmt/format.h>

#include "partsim/metrics/derived.hpp"

#include "numbers.hpp"

namespace partsim {
namespace {

/// "5.2 ms of service", or "no queueing" for a part that is not there.
std::string part_of(double ms, double mean, std::string_view there, std::string_view absent) {
  if (ms <= 0) {
    return std::string(absent);
  }
  return fmt::format("{} {} ({})", in_ms(ms), there, in_percent(mean > 0 ? ms / mean : 0));
}

}  // namespace

std::string latency_sentence(const RunResult& run) {
  const ClientResult total = run.total();
  if (total.operations.succeeded == 0) {
    return "No operation succeeded, so there is no latency to explain.";
  }
  const LatencySummary ms = latency_ms(total.latency_ns);
  const LatencyPartsSummary parts = latency_parts_ms(total);
  return fmt::format(
      "A succeeded operation takes {} on average: {}, {}, {}. Half of them are done in {}, 99 % "
      "in {}.",
      in_ms(ms.mean), part_of(parts.service, ms.mean, "of service", "no service time"),
      part_of(parts.queue, ms.mean, "in a queue for a worker", "no queueing"),
      part_of(parts.retry_wait, ms.mean, "waiting to retry after a refusal",
              "no waiting for retries"),
      in_ms(ms.p50), in_ms(ms.p99));
}

std::string stopped_sentence(const StudyResult& study) {
  if (!study.partial) {
    return {};
  }
  std::string text =
      "The run was stopped early. Expectations are not judged; variants that had not begun are "
      "missing.";
  for (const VariantResult& result : study.runs) {
    if (result.run.partial) {
      text += fmt::format(" {} ends at {}.", result.variant, in_seconds(result.run.simulated_ns));
    }
  }
  return text;
}

}  // namespace partsim
