#include "provider_differences.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "partsim/metrics/derived.hpp"
#include "partsim/report/text.hpp"

#include "numbers.hpp"
#include "paragraph.hpp"
#include "provider_words.hpp"
#include "table.hpp"

namespace partsim {
namespace {

constexpr double kNoticed = 0.01;  // of the attempts: below this throttling is hardly any
constexpr std::size_t kKeyWidth = 30;

struct Lent {
  MilliRu sum_mru = 0;   // consumed above the even shares, and not from what was saved
  std::size_t most = 0;  // index of the partition that got most of it
};

/// Consumed above an even share in the counted rows of the series.
MilliRu above_even_mru(const RunResult& run, Eigen::Index partition) {
  const LoadSeries& series = run.series;
  MilliRu sum = 0;
  for (Eigen::Index row = 0; row < series.share_mru.rows(); ++row) {
    const auto owners = static_cast<std::int64_t>((series.share_mru.row(row) > 0).count());
    const bool counted = row * series.interval_s * kSecond >= run.warm_up_ns;
    if (owners == 0 || !counted) {
      continue;
    }
    const std::int64_t even = series.share_mru.row(row).sum() / owners * run.regions;
    const std::int64_t over = series.consumed_mru(row, partition) - even;
    // the last request of a second may overdraw a share; that is not a loan
    sum += over > even / 100 ? over : 0;
  }
  return sum;
}

/// What adaptive capacity lent and was used: DynamoDB alone lends.
Lent lent_capacity(const RunResult& run) {
  Lent lent;
  MilliRu most = 0;
  for (std::size_t p = 0; run.provider == Provider::dynamodb && p < run.partitions.size(); ++p) {
    const MilliRu own = std::max<MilliRu>(
        0, above_even_mru(run, static_cast<Eigen::Index>(p)) - run.partitions[p].burst_mru);
    lent.sum_mru += own;
    if (own > most) {
      most = own;
      lent.most = p;
    }
  }
  return lent;
}

void add_lent(std::vector<std::string>& traits, const RunResult& run) {
  const Lent lent = lent_capacity(run);
  if (lent.sum_mru >= kMilliPerRu) {
    traits.push_back(
        fmt::format("adaptive capacity lent {} units above the even shares, most to partition {}",
                    in_short(static_cast<std::uint64_t>(lent.sum_mru / kMilliPerRu)),
                    run.partitions[lent.most].id));
  }
}

/// The first split of each cause, and how many followed.
void add_splits(std::vector<std::string>& traits, const RunResult& run) {
  for (const LayoutCause cause :
       {LayoutCause::heat, LayoutCause::storage, LayoutCause::throughput, LayoutCause::request}) {
    const auto is_such = [cause](const LayoutEvent& event) {
      return event.kind == LayoutEventKind::split && event.cause == cause;
    };
    const auto first = std::find_if(run.layout_events.begin(), run.layout_events.end(), is_such);
    if (first == run.layout_events.end() || first->before.empty()) {
      continue;
    }
    const auto count = std::count_if(first, run.layout_events.end(), is_such);
    std::string text = cause == LayoutCause::heat      ? "split for heat"
                       : cause == LayoutCause::storage ? "split for storage"
                       : cause == LayoutCause::request ? "split on request"
                                                       : "split for throughput";
    text += fmt::format(" at {}", in_clock(first->at_ns));
    if (cause == LayoutCause::storage) {
      text += fmt::format(" (partition {} held {})", first->before.front().partition,
                          in_bytes(first->before.front().storage_bytes));
    }
    traits.push_back(count > 1 ? fmt::format("{}, {} splits in all", text, count) : text);
  }
}

/// RU/s of the partition's busiest row.
double top_rate(const RunResult& run, std::size_t partition) {
  const auto column = static_cast<Eigen::Index>(partition);
  if (run.series.consumed_mru.rows() == 0) {
    return 0;
  }
  const double most = static_cast<double>(run.series.consumed_mru.col(column).maxCoeff());
  return most / static_cast<double>(run.series.interval_s);
}

/// The most that this service gives one partition, if the partition throttles there.
std::optional<std::string> limit_reached(const RunResult& run, std::size_t index) {
  const ProviderParameters limits = profile_parameters(run.provider);
  const PartitionResult& partition = run.partitions[index];
  if (!partition.alive() || throttled_share(partition) < kNoticed) {
    return std::nullopt;
  }
  if (partition.write_share_mru_per_s == 0) {
    return partition.share_mru_per_s >= limits.partition_max_mru_per_s
               ? std::optional(in_rate(partition.share_mru_per_s, words_of(run)))
               : std::nullopt;
  }
  const auto limit = static_cast<double>(limits.partition_max_write_units_per_s);
  const double rate = top_rate(run, index);
  if (rate < limit * 0.99 || rate > limit * 1.01) {
    return std::nullopt;
  }
  return grouped(static_cast<std::uint64_t>(limits.partition_max_write_units_per_s / kMilliPerRu)) +
         " write units/s";
}

void add_limit(std::vector<std::string>& traits, const RunResult& run) {
  for (std::size_t p = 0; p < run.partitions.size(); ++p) {
    const std::optional<std::string> limit = limit_reached(run, p);
    if (!limit) {
      continue;
    }
    std::string text = fmt::format("partition {} throttles at {}, the most a partition can have",
                                   run.partitions[p].id, *limit);
    if (!run.hot_keys.empty() && run.hot_keys.front().partition == run.partitions[p].id) {
      text += fmt::format(", and so the most {} \"{}\" can have", words_of(run).partition_key,
                          shorten(visible_text(run.hot_keys.front().key), kKeyWidth, false));
    }
    traits.push_back(std::move(text));
    return;
  }
}

void add_storage(std::vector<std::string>& traits, const RunResult& run) {
  const auto full = std::find_if(run.large_keys.begin(), run.large_keys.end(),
                                 [](const LargeKey& key) { return key.full; });
  if (full != run.large_keys.end()) {
    traits.push_back(fmt::format("a logical partition was full at {}", in_bytes(full->bytes)));
  }
}

}  // namespace

std::vector<std::string> provider_traits(const RunResult& run) {
  const ProviderWords& words = words_of(run);
  std::vector<std::string> traits;
  const ClientResult total = run.total();
  if (total.operations.succeeded > 0) {
    traits.push_back("an operation costs " + priced(in_ru(ru_per_operation(total)), words));
  }
  add_lent(traits, run);
  add_splits(traits, run);
  add_limit(traits, run);
  add_storage(traits, run);
  const MilliRu burst = total_burst_mru(run);
  if (burst >= kMilliPerRu) {
    traits.push_back("burst capacity served " +
                     priced(in_short(static_cast<std::uint64_t>(burst / kMilliPerRu)), words));
  }
  if (const std::uint64_t merges = count_events(run, LayoutEventKind::merge); merges > 0) {
    traits.push_back(fmt::format("{} merge{}", merges, merges == 1 ? "" : "s"));
  }
  return traits;
}

std::string provider_differences(const StudyResult& study, const TextStyle& style) {
  const bool differ =
      std::any_of(study.runs.begin(), study.runs.end(), [&study](const VariantResult& result) {
        return result.run.provider != study.runs.front().run.provider;
      });
  if (!differ) {
    return {};
  }
  std::string text = heading("Differences met between the providers", "", style);
  for (const VariantResult& result : study.runs) {
    const std::string name = fmt::format("{} ({})", visible_text(result.variant, style.unicode),
                                         provider_name(result.run.provider));
    text += paint("  " + shorten(name, style.width - 2, style.unicode), Tone::strong, style) + "\n";
    for (const std::string& trait : provider_traits(result.run)) {
      text += paragraph({.label = "    -", .text = visible_text(trait, style.unicode), .indent = 6},
                        style);
    }
  }
  return text;
}

}  // namespace partsim
