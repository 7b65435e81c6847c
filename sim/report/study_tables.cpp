// The tables that put the variants of a study side by side.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "partsim/engine/engine.hpp"
#include "partsim/metrics/derived.hpp"
#include "partsim/report/report_table.hpp"

#include "diagnosis.hpp"
#include "expectation_text.hpp"
#include "numbers.hpp"
#include "provider_words.hpp"

namespace partsim {
namespace {

constexpr std::size_t kMaxClientRows = 200;

/// Latency and cost are those of succeeded operations; without one there is no number to show.
ReportCell known(const ClientResult& client, double value, std::string text) {
  return client.operations.succeeded > 0 ? ReportCell{std::move(text), value} : ReportCell{"-"};
}

ReportCell percent(double share, Severity severity = Severity::good) {
  return {in_percent(share), share, severity};
}

ReportCell failures(const ClientResult& client) {
  const double failed = failed_share(client);
  return percent(failed, failed > 0 ? Severity::bad : Severity::good);
}

ReportCell dollars(std::int64_t micro) {
  return {in_usd(micro), static_cast<double>(micro)};
}

/// "+97%" of the limit to spare, "-29%" missing; where the limit is 0, the distance itself.
ReportCell margin_cell(const ExpectationResult& expectation, Severity severity) {
  if (!expectation.measured) {
    return {"-"};
  }
  const double margin = expectation.margin;
  const double size = std::abs(margin);
  const std::string text = expectation.limit == 0 ? decimal(size) : short_percent(size);
  return {fmt::format("{}{}", margin < 0 ? "-" : "+", text), margin, severity};
}

/// "failed, first broken at 12 s, on partition 8".
std::string result_of(const ExpectationResult& expectation) {
  const std::string place = expectation.passed ? "" : broken_place(expectation);
  return fmt::format("{}{}{}", expectation.passed ? "met" : "failed", place.empty() ? "" : ", ",
                     place);
}

ReportColumn number(std::string header, std::string hint = {}) {
  return {std::move(header), std::move(hint), true};
}

std::vector<ReportCell> client_row(std::string_view name, const VariantResult& result,
                                   const ClientResult& client) {
  const LatencySummary ms = latency_ms(client.latency_ns);
  const double ru = ru_per_operation(client);
  const double visits = partitions_per_operation(client);
  return {{std::string(name)},
          {result.variant},
          {in_short(client.operations.offered), static_cast<double>(client.operations.offered)},
          failures(client),
          percent(throttled_share(client)),
          known(client, ms.p50, in_ms(ms.p50)),
          known(client, ms.p99, in_ms(ms.p99)),
          known(client, ru, in_ru(ru)),
          {in_visits(visits), visits}};
}

}  // namespace

ReportTable expectations_table(const StudyResult& study) {
  const auto met = std::count_if(study.expectations.begin(), study.expectations.end(),
                                 [](const ExpectationResult& each) { return each.passed; });
  ReportTable table;
  table.caption = fmt::format("{} of {} expectations met", met, study.expectations.size());
  table.columns = {{"expected", ""},
                   {"variant", ""},
                   number("measured"),
                   number("limit"),
                   number("margin", "how far from failing, as a part of the limit"),
                   {"result", ""}};
  for (const ExpectationResult& each : study.expectations) {
    const Severity severity = each.passed ? Severity::good : Severity::bad;
    table.rows.push_back({{each.rule},
                          {each.variant},
                          {measured_value(each), each.value, severity},
                          {limit_value(each), each.limit},
                          margin_cell(each, severity),
                          {result_of(each), each.passed ? 1.0 : 0.0, severity}});
  }
  return table;
}

ReportTable variants_table(const StudyResult& study) {
  ReportTable table;
  table.caption = "What each variant suffers and costs";
  table.columns = {
      {"variant", ""},
      number(refusals_header(study), "attempts refused, of all attempts"),
      number("failed", "operations that failed for good"),
      number("p50", "half of the succeeded operations take no longer, retries included"),
      number("p99", "99 % of the succeeded operations take no longer"),
      number("RU per operation", "what a succeeded operation costs"),
      number("used", "of what was bought"),
      number("peak", "most consumed of its share by any partition in any second"),
      number("imbalance", "demand on the hottest partition over the mean; 1 is even"),
      number("usable", "the part of the throughput that this key can reach"),
      number("cost a month", "")};
  for (const VariantResult& result : study.runs) {
    const RunResult& run = result.run;
    const ClientResult total = run.total();
    const LatencySummary ms = latency_ms(total.latency_ns);
    const Severity severity = diagnose(run).severity;
    const double imbalance = run.imbalance();
    const double ru = ru_per_operation(total);
    table.rows.push_back({{result.variant, std::nullopt, severity},
                          percent(run.throttled_share(), severity),
                          failures(total),
                          known(total, ms.p50, in_ms(ms.p50)),
                          known(total, ms.p99, in_ms(ms.p99)),
                          known(total, ru, in_ru(ru)),
                          percent(run.utilization()),
                          percent(run.normalized_peak()),
                          {in_times(imbalance), imbalance},
                          percent(1 / imbalance),
                          dollars(run.cost.per_month_micro)});
  }
  return table;
}

ReportTable clients_table(const StudyResult& study) {
  ReportTable table;
  table.caption = "What each client pays under each variant";
  table.columns = {{"client", ""},
                   {"variant", ""},
                   number("operations"),
                   number("failed"),
                   number(refusals_header(study)),
                   number("p50"),
                   number("p99"),
                   number("RU per operation"),
                   number("partitions per operation", "more than 1: it fans out")};
  std::vector<std::string_view> names;
  std::size_t all = 0;
  for (const VariantResult& result : study.runs) {
    for (const ClientResult& client : result.run.clients) {
      ++all;
      if (std::find(names.begin(), names.end(), client.name) == names.end()) {
        names.push_back(client.name);
      }
    }
  }
  for (const std::string_view name : names) {
    for (const VariantResult& result : study.runs) {
      for (const ClientResult& client : result.run.clients) {
        if (client.name == name && table.rows.size() < kMaxClientRows) {
          table.rows.push_back(client_row(name, result, client));
        }
      }
    }
  }
  if (table.rows.size() < all) {
    table.rest = fmt::format("{} more are in results.json.", all - table.rows.size());
  }
  return table;
}

ReportTable latency_table(const StudyResult& study) {
  ReportTable table;
  table.caption = "Where the mean latency of succeeded operations goes";
  table.columns = {{"variant", ""},      number("mean"),   number("service"), number("queue"),
                   number("retry wait"), number("p50"),    number("p90"),     number("p99"),
                   number("p99.9"),      number("largest")};
  for (const VariantResult& result : study.runs) {
    const ClientResult total = result.run.total();
    const LatencySummary ms = latency_ms(total.latency_ns);
    const LatencyPartsSummary parts = latency_parts_ms(total);
    std::vector<ReportCell> row{{result.variant}};
    for (const double value : {ms.mean, parts.service, parts.queue, parts.retry_wait, ms.p50,
                               ms.p90, ms.p99, ms.p999, ms.max}) {
      row.push_back(known(total, value, in_ms(value)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

ReportTable refusals_table(const StudyResult& study) {
  ReportTable table;
  table.caption = "Refusals as the application gets them";
  table.columns = {{"variant", ""}, number("times"), {"error", ""}};
  for (const VariantResult& result : study.runs) {
    const ClientResult total = result.run.total();
    const ProviderWords& words = words_of(result.run);
    const std::array<std::pair<std::uint64_t, std::string_view>, 3> errors{
        {{total.throttled, words.throttled},
         {total.gone, words.gone},
         {total.forbidden, words.forbidden}}};
    for (const auto& [count, name] : errors) {
      if (count > 0) {
        table.rows.push_back(
            {{result.variant}, {in_short(count), static_cast<double>(count)}, {std::string(name)}});
      }
    }
  }
  return table;
}

ReportTable cost_table(const StudyResult& study) {
  ReportTable table;
  table.caption = "What it costs, billed by started clock hours";
  table.columns = {{"variant", ""},
                   number("an hour", "the mean of the hours billed, storage included"),
                   number("a month"),
                   number("hours billed", "every clock hour that the run touched"),
                   number("throughput", "of the hours billed"),
                   number("storage", "of the hours billed")};
  for (const VariantResult& result : study.runs) {
    const Cost& cost = result.run.cost;
    if (cost.hours > 0) {
      table.rows.push_back({{result.variant},
                            dollars(cost.per_hour_micro),
                            dollars(cost.per_month_micro),
                            {fmt::format("{}", cost.hours), static_cast<double>(cost.hours)},
                            dollars(cost.throughput_micro),
                            dollars(cost.storage_micro)});
    }
  }
  return table;
}

ReportTable runs_table(const StudyResult& study) {
  ReportTable table;
  table.caption = "The same file, seed and model give the same digest on any machine";
  table.columns = {{"variant", ""},  {"digest", "of every attempt and every answer"},
                   number("seed"),   number("model"),
                   number("events"), number("simulated")};
  for (const VariantResult& result : study.runs) {
    const RunResult& run = result.run;
    table.rows.push_back({{result.variant},
                          {fmt::format("{:016x}", run.digest)},
                          {fmt::format("{}", run.seed)},
                          {fmt::format("{}", kModelVersion)},
                          {grouped(run.events), static_cast<double>(run.events)},
                          {in_clock(run.simulated_ns), static_cast<double>(run.simulated_ns)}});
  }
  return table;
}

}  // namespace partsim
