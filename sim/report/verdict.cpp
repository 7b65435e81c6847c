#include <algorithm>
#include <numeric>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "diagnosis.hpp"
#include "numbers.hpp"
#include "provider_words.hpp"

namespace partsim {
namespace {

constexpr std::size_t kNamed = 3;  // more names than this make a list, not a verdict

std::string figures(const RunResult& run) {
  const ClientResult total = run.total();
  const double failed = failed_share(total);
  std::string text = fmt::format(
      "{} throttled, {}",
      total.throttled == 0 ? std::string("no attempt")
                           : in_percent(throttled_share(total)) + " of attempts",
      failed > 0 ? in_percent(failed) + " of operations failed" : "no operation failed");
  if (total.operations.succeeded == 0) {
    return text + ", none succeeded";
  }
  const std::string price = in_ru(ru_per_operation(total));
  return fmt::format("{}, p99 {}, {} per operation", text, in_ms(latency_ms(total.latency_ns).p99),
                     priced(price, words_of(run)));
}

/// Clients that lose operations or are throttled more than is healthy.
std::size_t suffering(const RunResult& run) {
  constexpr double kNoticed = 0.01;
  constexpr double kHealthy = 0.05;
  return static_cast<std::size_t>(
      std::count_if(run.clients.begin(), run.clients.end(), [](const ClientResult& client) {
        return failed_share(client) > kNoticed || throttled_share(client) > kHealthy;
      }));
}

/// Smaller is better. Among variants that hold, the price decides, then what an operation costs;
/// among the others, how many clients suffer and what they lose. A run without traffic proves
/// nothing and comes last.
auto rank(const RunResult& run, const Diagnosis& diagnosis) {
  const ClientResult total = run.total();
  const bool good = diagnosis.severity == Severity::good;
  return std::tuple(diagnosis.cause == Cause::idle, diagnosis.severity, good ? 0 : suffering(run),
                    good ? 0.0 : failed_share(total), good ? 0.0 : throttled_share(total),
                    run.cost.per_month_micro, rounded(ru_per_operation(total)),
                    total.latency_ns.quantile(990'000));
}

std::string one_run(const StudyResult& study, const Diagnosis& diagnosis) {
  const VariantResult& result = study.runs.front();
  if (diagnosis.cause == Cause::idle) {
    return "Nothing happened: no attempt was counted.";
  }
  // a file without variants has one run called "base", a name its reader never wrote
  return fmt::format("{} {}: {}.", result.variant == "base" ? study.name : result.variant,
                     diagnosis.finding, figures(result.run));
}

std::string several_runs(const StudyResult& study, const std::vector<Diagnosis>& diagnoses) {
  const std::size_t best = best_variant(study, diagnoses);
  if (diagnoses[best].cause == Cause::idle) {
    return "Nothing happened in any variant: no attempt was counted.";
  }
  const std::string& best_name = study.runs[best].variant;
  std::vector<std::string> also_good;
  std::vector<std::string> troubled;
  for (std::size_t i = 0; i < study.runs.size(); ++i) {
    if (diagnoses[i].severity != Severity::good) {
      troubled.push_back(study.runs[i].variant + " " + diagnoses[i].finding);
    } else if (i != best) {
      also_good.push_back(study.runs[i].variant);
    }
  }
  const bool any_good = diagnoses[best].severity == Severity::good;
  std::string text =
      any_good ? fmt::format("{} does best: {}.", best_name, figures(study.runs[best].run))
               : fmt::format("No variant holds; {} comes nearest: {}.", best_name,
                             figures(study.runs[best].run));
  if (!also_good.empty()) {
    text += fmt::format(" {} {} too.", joined_names(also_good),
                        also_good.size() == 1 ? "holds" : "hold");
  }
  if (!troubled.empty()) {
    text += " " + joined_names(troubled) + ".";
  }
  return text;
}

}  // namespace

std::string joined_names(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), kNamed);
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    const bool last = i + 1 == shown && names.size() <= kNamed;
    text += i == 0 ? "" : last ? " and " : ", ";
    text += names[i];
  }
  return names.size() > kNamed ? fmt::format("{} and {} more", text, names.size() - kNamed) : text;
}

std::size_t best_variant(const StudyResult& study, const std::vector<Diagnosis>& diagnoses) {
  std::vector<std::size_t> order(study.runs.size());
  std::iota(order.begin(), order.end(), 0U);
  return *std::min_element(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return rank(study.runs[a].run, diagnoses[a]) < rank(study.runs[b].run, diagnoses[b]);
  });
}

std::string verdict(const StudyResult& study, const std::vector<Diagnosis>& diagnoses) {
  std::string text;
  if (study.runs.empty()) {
    text = "No run has finished.";
  } else if (study.runs.size() == 1) {
    text = one_run(study, diagnoses.front());
  } else {
    text = several_runs(study, diagnoses);
  }
  const auto failed = std::count_if(study.expectations.begin(), study.expectations.end(),
                                    [](const ExpectationResult& e) { return !e.passed; });
  if (failed > 0) {
    text += fmt::format(" {} of {} expectations failed.", failed, study.expectations.size());
  }
  return text;
}

}  // namespace partsim
