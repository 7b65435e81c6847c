#include "notes.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "partsim/metrics/derived.hpp"
#include "partsim/report/text.hpp"

#include "numbers.hpp"
#include "provider_words.hpp"

namespace partsim {
namespace {

constexpr std::size_t kKeyWidth = 40;
constexpr double kUneven = 1.25;  // key space over RU/s share from which a split is called uneven

std::string capitalized(std::string_view text) {
  std::string result(text);
  if (!result.empty() && result[0] >= 'a' && result[0] <= 'z') {
    result[0] = static_cast<char>(result[0] - 'a' + 'A');
  }
  return result;
}

std::string quoted_key(const std::string& key) {
  return "\"" + shorten(visible_text(key), kKeyWidth, false) + "\"";
}

/// Of the client that loses most: how much of what it sends is refused for good.
std::string losses(const RunResult& run) {
  const auto most = std::max_element(
      run.clients.begin(), run.clients.end(),
      [](const ClientResult& a, const ClientResult& b) { return a.forbidden < b.forbidden; });
  const double of_all = share_of(most->forbidden, most->operations.offered);
  return fmt::format("{} of the operations of {} are refused for good ({})", in_percent(of_all),
                     most->name, words_of(run).forbidden);
}

/// Writes to a full logical partition.
std::optional<Note> full_key_note(const RunResult& run) {
  const auto full = std::find_if(run.large_keys.begin(), run.large_keys.end(),
                                 [](const LargeKey& key) { return key.full; });
  const bool lost = run.total().forbidden > 0;
  if (full == run.large_keys.end() && !lost) {
    return std::nullopt;
  }
  const ProviderWords& words = words_of(run);
  Note note{lost ? Severity::bad : Severity::warning, "has a full logical partition", {}, true};
  if (full == run.large_keys.end()) {
    note.sentence = fmt::format("The {} is full: {}; reads go on.", words.container, losses(run));
    return note;
  }
  const auto count = std::count_if(run.large_keys.begin(), run.large_keys.end(),
                                   [](const LargeKey& key) { return key.full; });
  note.sentence =
      fmt::format("{} {} on partition {} is at its wall of {}", capitalized(words.partition_key),
                  quoted_key(full->key), full->partition, in_bytes(full->bytes));
  if (count > 1) {
    note.sentence += fmt::format(", and {} more are", count - 1);
  }
  note.sentence += lost ? fmt::format(": {}; its reads go on.", losses(run))
                        : std::string(": further writes will be refused, reads go on.");
  return note;
}

/// Transactions over several logical partitions.
std::optional<Note> transaction_note(const RunResult& run) {
  for (const ClientResult& client : run.clients) {
    if (client.refused > 0) {
      const ProviderWords& words = words_of(run);
      return Note{
          Severity::bad, "cannot run its transactions",
          fmt::format("{} transactions of {} are refused for good (400): their items do not "
                      "have one {} in common.",
                      in_short(client.refused), client.name, words.partition_key),
          true};
    }
  }
  return std::nullopt;
}

/// Operations that the application gave up waiting for.
std::optional<Note> timeout_note(const RunResult& run) {
  const auto most = std::max_element(
      run.clients.begin(), run.clients.end(),
      [](const ClientResult& a, const ClientResult& b) { return a.timed_out < b.timed_out; });
  if (most == run.clients.end() || most->timed_out == 0) {
    return std::nullopt;
  }
  const double of_all = share_of(most->timed_out, most->operations.offered);
  return Note{Severity::bad, "times out",
              fmt::format("{} of the operations of {} failed because it gave up waiting; what was "
                          "already running was charged all the same.",
                          in_percent(of_all), most->name)};
}

/// A partition that is too large and cannot be cut.
std::optional<Note> single_key_note(const RunResult& run) {
  for (const PartitionResult& partition : run.partitions) {
    if (partition.alive() && partition.single_key_full) {
      const ProviderWords& words = words_of(run);
      const bool named =
          !run.large_keys.empty() && run.large_keys.front().partition == partition.id;
      const std::string key =
          named ? fmt::format("{} {}", words.partition_key, quoted_key(run.large_keys.front().key))
                : fmt::format("one {}", words.partition_key);
      return Note{Severity::warning, "has a partition that cannot split",
                  fmt::format("Partition {} is over its limit with {}, and {} fills it: no split "
                              "can help, since all its items stay together whatever their {}.",
                              partition.id, in_bytes(partition.storage_bytes), key, words.row_key),
                  true};
    }
  }
  return std::nullopt;
}

/// A partition that burned until a split retired it.
std::optional<Note> retired_note(const RunResult& run) {
  constexpr double kBurning = 0.05;
  const PartitionResult* worst = nullptr;
  for (const PartitionResult& partition : run.partitions) {
    const bool burned = !partition.alive() && throttled_share(partition) > kBurning;
    if (burned && (worst == nullptr || throttled_share(partition) > throttled_share(*worst))) {
      worst = &partition;
    }
  }
  if (worst == nullptr) {
    return std::nullopt;
  }
  return Note{
      Severity::warning, "",
      fmt::format("Partition {} throttled {} of its attempts until it was replaced at {}.",
                  worst->id, in_percent(throttled_share(*worst)), in_clock(*worst->retired_ns))};
}

/// After a split of some partitions: who owns most of the key space for its share.
std::optional<Note> uneven_note(const RunResult& run) {
  if (count_events(run, LayoutEventKind::split) == 0) {
    return std::nullopt;
  }
  std::map<std::string_view, MilliRu> pool_mru;
  for (const PartitionResult& partition : run.partitions) {
    pool_mru[partition.container] += partition.alive() ? partition.share_mru_per_s : 0;
  }
  const PartitionResult* widest = nullptr;
  double most = kUneven;
  double share_of_widest = 0;
  for (const PartitionResult& partition : run.partitions) {
    if (!partition.alive() || partition.share_mru_per_s <= 0) {
      continue;
    }
    const double share = static_cast<double>(partition.share_mru_per_s) /
                         static_cast<double>(pool_mru[partition.container]);
    const double excess = key_space(partition.width_q32) / share;
    if (excess >= most && (widest == nullptr || excess > most)) {
      most = excess;
      widest = &partition;
      share_of_widest = share;
    }
  }
  if (widest == nullptr) {
    return std::nullopt;
  }
  return Note{Severity::good, "",
              fmt::format("The splits left the keys uneven: partition {} owns {} of them and {} of "
                          "the {}.",
                          widest->id, in_keys(widest->width_q32), in_percent(share_of_widest),
                          words_of(run).rate)};
}

/// More partitions for the same total: every key has less.
std::optional<Note> thinned_note(const RunResult& run) {
  const auto first = std::find_if(
      run.layout_events.begin(), run.layout_events.end(),
      [](const LayoutEvent& event) { return !event.before.empty() && !event.after.empty(); });
  if (first == run.layout_events.end()) {
    return std::nullopt;
  }
  const std::string& pool = first->container;
  std::size_t at_start = 0;
  std::size_t at_end = 0;
  MilliRu total = 0;
  MilliRu least = 0;
  for (const PartitionResult& partition : run.partitions) {
    if (partition.container == pool) {
      at_start += partition.born_ns == 0 ? 1U : 0U;
      if (partition.alive()) {
        least =
            at_end == 0 ? partition.share_mru_per_s : std::min(least, partition.share_mru_per_s);
        total += partition.share_mru_per_s;
        ++at_end;
      }
    }
  }
  const MilliRu before = first->before.front().share_mru_per_s;
  if (at_end <= at_start || least >= before) {
    return std::nullopt;
  }
  const ProviderWords& words = words_of(run);
  return Note{
      Severity::good, "",
      fmt::format("The shares are thinner now: {} over {} partitions leave {} for one, it "
                  "was {}.",
                  in_rate(total, words), at_end, in_rate(least, words), in_rate(before, words))};
}

std::optional<Note> unusable_note(const RunResult& run) {
  MilliRu usable = 0;
  for (const PartitionResult& partition : run.partitions) {
    usable += partition.alive() ? partition.share_mru_per_s : 0;
  }
  const MilliRu missing = run.provisioned_mru_per_s - usable;
  const bool changed =
      std::any_of(run.layout_events.begin(), run.layout_events.end(),
                  [](const LayoutEvent& event) { return event.kind == LayoutEventKind::scale; });
  // lent capacity comes and goes: what a partition has at the end is not a limit
  if (!changed || run.provider == Provider::dynamodb ||
      missing <= static_cast<MilliRu>(run.partitions.size())) {
    return std::nullopt;
  }
  const ProviderWords& words = words_of(run);
  return Note{Severity::warning, "",
              fmt::format("{} are paid for, {} can be used: a partition is at its limit.",
                          in_rate(run.provisioned_mru_per_s, words), in_rate(usable, words))};
}

std::optional<Note> burst_note(const RunResult& run) {
  const MilliRu burst = total_burst_mru(run);
  if (burst <= 0) {
    return std::nullopt;
  }
  const auto most = std::max_element(
      run.partitions.begin(), run.partitions.end(),
      [](const PartitionResult& a, const PartitionResult& b) { return a.burst_mru < b.burst_mru; });
  const double of_all = static_cast<double>(burst) /
                        static_cast<double>(std::max<MilliRu>(run.total().consumed_mru, burst));
  const ProviderWords& words = words_of(run);
  return Note{Severity::good, "",
              fmt::format("Saved-up burst capacity served {} {}{} above the shares ({} of all), "
                          "most of it on partition {}.",
                          grouped(static_cast<std::uint64_t>(burst / kMilliPerRu)), words.unit,
                          words.unit == "RU" ? "" : "s", in_percent(of_all), most->id)};
}

std::optional<Note> swap_note(const RunResult& run) {
  const ClientResult total = run.total();
  if (total.gone == 0) {
    return std::nullopt;
  }
  return Note{Severity::good, "",
              fmt::format("{} attempt{} met {}.", grouped(total.gone), total.gone == 1 ? "" : "s",
                          words_of(run).gone)};
}

/// Rows of traces that were not replayed, and why.
std::optional<Note> trace_note(const RunResult& run) {
  TraceCounts sum;
  std::size_t traces = 0;
  sum.complete = true;
  for (const ClientResult& client : run.clients) {
    if (client.trace) {
      ++traces;
      sum.read += client.trace->read;
      sum.throttled += client.trace->throttled;
      sum.bad += client.trace->bad;
      sum.complete = sum.complete && client.trace->complete;
    }
  }
  if (traces == 0) {
    return std::nullopt;
  }
  std::string text = fmt::format("Replayed {} row{} of the trace{}", grouped(sum.read),
                                 sum.read == 1 ? "" : "s", traces == 1 ? "" : "s");
  if (sum.throttled > 0) {
    text +=
        fmt::format(", left out {} that the recording saw throttled (429)", grouped(sum.throttled));
  }
  if (sum.bad > 0) {
    text += fmt::format(", skipped {} bad ones", grouped(sum.bad));
  }
  if (!sum.complete) {
    text += "; the run ended before the last row";
  }
  return Note{Severity::good, "", text + "."};
}

/// What an operation pays that does not know the key.
std::optional<Note> fan_out_note(const RunResult& run) {
  constexpr double kFanOut = 1.05;
  const auto widest = std::max_element(
      run.clients.begin(), run.clients.end(), [](const ClientResult& a, const ClientResult& b) {
        return partitions_per_operation(a) < partitions_per_operation(b);
      });
  if (widest == run.clients.end() || partitions_per_operation(*widest) < kFanOut) {
    return std::nullopt;
  }
  std::string text = fmt::format("An operation of {} fans out to {} partitions", widest->name,
                                 in_visits(partitions_per_operation(*widest)));
  if (widest->operations.succeeded > 0) {
    text += " and costs " + priced(in_ru(ru_per_operation(*widest)), words_of(run));
  }
  return Note{Severity::good, "", text + "."};
}

}  // namespace

std::vector<Note> notes_on(const RunResult& run) {
  std::vector<Note> notes;
  for (const auto& note_on :
       {full_key_note, transaction_note, timeout_note, single_key_note, retired_note, unusable_note,
        fan_out_note, thinned_note, uneven_note, burst_note, swap_note, trace_note}) {
    if (std::optional<Note> note = note_on(run)) {
      notes.push_back(std::move(*note));
    }
  }
  std::stable_sort(notes.begin(), notes.end(),
                   [](const Note& a, const Note& b) { return a.severity > b.severity; });
  return notes;
}

}  // namespace partsim
