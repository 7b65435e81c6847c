#include "layout_text.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "partsim/metrics/derived.hpp"

#include "numbers.hpp"
#include "provider_words.hpp"

namespace partsim {
namespace {

using Slice = LayoutEvent::Slice;
using Slices = std::vector<Slice>;

constexpr std::size_t kNamed = 4;  // more partitions than this are counted, not named

std::string_view cause_text(LayoutCause cause) {
  switch (cause) {
    case LayoutCause::throughput:
      return "for throughput";
    case LayoutCause::storage:
      return "for storage";
    case LayoutCause::heat:
      return "for heat";
    case LayoutCause::request:
      return "on request";
  }
  return "";
}

/// "1", "1 and 2", "1, 2 and 3", "1 to 8", "8 partitions".
std::string ids_of(const Slices& slices) {
  if (slices.size() > kNamed) {
    const bool consecutive =
        std::adjacent_find(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
          return b.partition != a.partition + 1;
        }) == slices.end();
    return consecutive ? fmt::format("{} to {}", slices.front().partition, slices.back().partition)
                       : fmt::format("{} partitions", slices.size());
  }
  std::string text;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    text += i == 0 ? "" : i + 1 == slices.size() ? " and " : ", ";
    text += fmt::format("{}", slices[i].partition);
  }
  return text;
}

std::string partitions_of(const Slices& slices) {
  const std::string ids = ids_of(slices);
  return ids.ends_with("partitions")
             ? ids
             : fmt::format("partition{} {}", slices.size() == 1 ? "" : "s", ids);
}

std::string range_text(const std::string& low, const std::string& high) {
  return low == high ? low : low + " to " + high;
}

/// "50 % of keys, 26 GB, 5,000 RU/s", ranges where partitions differ.
std::string traits_of(const Slices& slices, bool with_storage, const ProviderWords& words) {
  const auto [thin, wide] =
      std::minmax_element(slices.begin(), slices.end(),
                          [](const Slice& a, const Slice& b) { return a.width_q32 < b.width_q32; });
  const auto [small, large] = std::minmax_element(
      slices.begin(), slices.end(),
      [](const Slice& a, const Slice& b) { return a.storage_bytes < b.storage_bytes; });
  const auto [poor, rich] = std::minmax_element(
      slices.begin(), slices.end(),
      [](const Slice& a, const Slice& b) { return a.share_mru_per_s < b.share_mru_per_s; });
  std::string text = range_text(in_keys(thin->width_q32), in_keys(wide->width_q32)) + " of keys";
  if (with_storage) {
    text += ", " + range_text(in_bytes(small->storage_bytes), in_bytes(large->storage_bytes));
  }
  const auto whole = [](const Slice& slice) {
    return grouped(static_cast<std::uint64_t>(slice.share_mru_per_s / kMilliPerRu));
  };
  text += fmt::format(", {} {}", range_text(whole(*poor), whole(*rich)), words.rate);
  return slices.size() > 1 ? text + " each" : text;
}

/// "1 and 2 (50 % of keys, 5,000 RU/s each)"; two that differ are described one by one.
std::string described(const Slices& slices, bool with_storage, const ProviderWords& words) {
  if (slices.empty()) {
    return "nothing";
  }
  if (slices.size() == 2) {
    const std::string first = traits_of({slices[0]}, with_storage, words);
    const std::string second = traits_of({slices[1]}, with_storage, words);
    if (first != second) {
      return fmt::format("{} ({}) and {} ({})", slices[0].partition, first, slices[1].partition,
                         second);
    }
  }
  return fmt::format("{} ({})", ids_of(slices), traits_of(slices, with_storage, words));
}

std::string asked_text(const LayoutEvent& event) {
  if (event.asked_ns == event.at_ns) {
    return {};
  }
  const bool due = event.cause == LayoutCause::storage || event.cause == LayoutCause::heat;
  return fmt::format("; {} at {}", due ? "begun" : "asked", in_clock(event.asked_ns));
}

std::string split_text(const LayoutEvent& event, const ProviderWords& words) {
  const bool with_storage = event.cause == LayoutCause::storage;
  if (event.before.empty()) {
    return fmt::format("split {} into {}", cause_text(event.cause),
                       described(event.after, with_storage, words));
  }
  return fmt::format("{} ({}) split {} into {}", partitions_of(event.before),
                     traits_of(event.before, with_storage, words), cause_text(event.cause),
                     described(event.after, with_storage, words));
}

std::string merge_text(const LayoutEvent& event, const ProviderWords& words) {
  if (event.before.empty()) {
    return fmt::format("merged into {}", described(event.after, true, words));
  }
  return fmt::format("{} ({}) merged into {}", partitions_of(event.before),
                     traits_of(event.before, true, words), described(event.after, true, words));
}

/// "24,000 RU/s bought, 18,000 usable: partition 1 is at its 10,000 RU/s limit".
std::string usable_text(const LayoutEvent& event, const ProviderWords& words) {
  const MilliRu unusable = unusable_mru(event);
  if (unusable == 0) {
    return {};
  }
  const MilliRu limit =
      std::max_element(event.after.begin(), event.after.end(), [](const Slice& a, const Slice& b) {
        return a.share_mru_per_s < b.share_mru_per_s;
      })->share_mru_per_s;
  Slices capped;
  std::copy_if(event.after.begin(), event.after.end(), std::back_inserter(capped),
               [limit](const Slice& slice) { return slice.share_mru_per_s == limit; });
  return fmt::format(
      "; {} bought, {} usable: {} {} {} limit", in_rate(event.total_after_mru, words),
      grouped(static_cast<std::uint64_t>((event.total_after_mru - unusable) / kMilliPerRu)),
      partitions_of(capped), capped.size() == 1 ? "is at its" : "are at their",
      in_rate(limit, words));
}

std::string scale_text(const LayoutEvent& event, const ProviderWords& words) {
  std::string text =
      fmt::format("throughput {} from {} to {}",
                  event.total_after_mru >= event.total_before_mru ? "raised" : "lowered",
                  grouped(static_cast<std::uint64_t>(event.total_before_mru / kMilliPerRu)),
                  in_rate(event.total_after_mru, words));
  if (event.cause == LayoutCause::storage) {
    text += ", to hold what is stored";
  }
  if (!event.after.empty()) {
    text += fmt::format(": {} partition{} ({})", event.after.size(),
                        event.after.size() == 1 ? "" : "s", traits_of(event.after, false, words));
  }
  return text + usable_text(event, words);
}

std::string redistribute_text(const LayoutEvent& event, const ProviderWords& words) {
  std::string text = "throughput redistributed";
  std::size_t changes = 0;
  for (const Slice& after : event.after) {
    const auto before =
        std::find_if(event.before.begin(), event.before.end(),
                     [&after](const Slice& slice) { return slice.partition == after.partition; });
    const bool changed =
        before != event.before.end() && before->share_mru_per_s != after.share_mru_per_s;
    changes += changed ? 1U : 0U;
    if (changed && changes <= kNamed) {
      text +=
          fmt::format("{} {} from {} to {}", changes == 1 ? ": partition" : ",", after.partition,
                      grouped(static_cast<std::uint64_t>(before->share_mru_per_s / kMilliPerRu)),
                      in_rate(after.share_mru_per_s, words));
    }
  }
  if (changes > kNamed) {
    text += fmt::format(" and {} more", changes - kNamed);
  }
  return text + usable_text(event, words);
}

std::string refused_text(const LayoutEvent& event) {
  const std::string_view what = event.cause == LayoutCause::throughput ? "change of throughput"
                                : event.cause == LayoutCause::storage  ? "split for storage"
                                : event.cause == LayoutCause::heat     ? "split for heat"
                                                                       : "request";
  // a merge that another change has cancelled was not refused: its reason is the whole story
  const bool has_code = !event.reason.empty() && event.reason[0] >= '0' && event.reason[0] <= '9';
  if (event.cause == LayoutCause::request && !event.reason.empty() && !has_code) {
    return event.reason;
  }
  return fmt::format("{} refused{}{}", what, event.reason.empty() ? "" : ": ", event.reason);
}

std::string text_of(const LayoutEvent& event, const ProviderWords& words) {
  switch (event.kind) {
    case LayoutEventKind::split:
      return split_text(event, words) + asked_text(event);
    case LayoutEventKind::merge:
      return merge_text(event, words) + asked_text(event);
    case LayoutEventKind::scale:
      return scale_text(event, words) + asked_text(event);
    case LayoutEventKind::redistribute:
      return redistribute_text(event, words) + asked_text(event);
    case LayoutEventKind::refused:
      return refused_text(event);
  }
  return {};
}

bool together(const LayoutEvent& a, const LayoutEvent& b) {
  return a.kind == LayoutEventKind::split && b.kind == a.kind && a.at_ns == b.at_ns &&
         a.asked_ns == b.asked_ns && a.cause == b.cause && a.container == b.container;
}

bool has_several_containers(const RunResult& run) {
  return std::any_of(run.partitions.begin(), run.partitions.end(),
                     [&run](const PartitionResult& partition) {
                       return partition.container != run.partitions.front().container;
                     });
}

}  // namespace

MilliRu unusable_mru(const LayoutEvent& event) noexcept {
  if (event.after.empty()) {
    return 0;
  }
  MilliRu usable = 0;
  for (const Slice& slice : event.after) {
    usable += slice.share_mru_per_s;
  }
  // every share may have been rounded down by less than one milli-RU
  const MilliRu missing = event.total_after_mru - usable;
  return missing > static_cast<MilliRu>(event.after.size()) ? missing : 0;
}

std::vector<LayoutLine> layout_lines(const RunResult& run) {
  constexpr std::size_t kGroup = 3;  // two splits of one instant still have a line each
  const ProviderWords& words = words_of(run);
  const bool name_container = has_several_containers(run);
  std::vector<LayoutLine> lines;
  const auto end = run.layout_events.end();
  for (auto event = run.layout_events.begin(); event != end;) {
    const auto next = std::find_if_not(
        event, end, [&event](const LayoutEvent& other) { return together(*event, other); });
    const auto count = static_cast<std::size_t>(next - event);
    LayoutEvent shown = *event;
    const std::size_t taken = count >= kGroup ? count : 1;
    for (std::size_t i = 1; i < taken; ++i) {
      const LayoutEvent& other = *(event + static_cast<std::ptrdiff_t>(i));
      shown.before.insert(shown.before.end(), other.before.begin(), other.before.end());
      shown.after.insert(shown.after.end(), other.after.begin(), other.after.end());
    }
    const std::string container = name_container ? shown.container + ": " : std::string();
    lines.push_back({"at " + in_clock(shown.at_ns), container + text_of(shown, words), taken});
    event += static_cast<std::ptrdiff_t>(taken);
  }
  return lines;
}

std::string layout_counts(const RunResult& run) {
  struct Kind {
    LayoutEventKind kind;
    std::string_view one;
    std::string_view many;
  };
  constexpr std::array<Kind, 5> kKinds{
      {{LayoutEventKind::split, "split", "splits"},
       {LayoutEventKind::merge, "merge", "merges"},
       {LayoutEventKind::scale, "change of throughput", "changes of throughput"},
       {LayoutEventKind::redistribute, "redistribution", "redistributions"},
       {LayoutEventKind::refused, "refusal", "refusals"}}};
  std::string text;
  for (const Kind& kind : kKinds) {
    const std::uint64_t count = count_events(run, kind.kind);
    if (count > 0) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count,
                          count == 1 ? kind.one : kind.many);
    }
  }
  return text;
}

}  // namespace partsim
