#include "findings.hpp"

#include <fmt/format.h>

#include "partsim/metrics/derived.hpp"

#include "numbers.hpp"
#include "study_view.hpp"

namespace partsim {
namespace {

constexpr double kAll = 0.9995;

std::string part_of_load(double share) {
  return share > kAll ? "all of the load" : in_percent(share) + " of the load";
}

std::string part_of_attempts(double share) {
  return share > kAll ? "all of its attempts" : in_percent(share) + " of its attempts";
}

}  // namespace

std::optional<Place> worst_place(const StudyResult& study) {
  std::optional<Place> worst;
  double most = 0;
  for (std::size_t i = 0; i < panels_of(study); ++i) {
    const RunResult& run = study.runs[i].run;
    const double share = run.throttled_share();
    if (share <= most) {
      continue;
    }
    most = share;
    std::uint64_t most_throttled = 0;
    for (std::size_t p = 0; p < run.partitions.size(); ++p) {
      if (run.partitions[p].throttled > most_throttled) {
        most_throttled = run.partitions[p].throttled;
        worst = {i, p};
      }
    }
  }
  return worst;
}

std::optional<Place> fullest_place(const StudyResult& study) {
  std::optional<Place> fullest;
  double most = 0;
  for (std::size_t i = 0; i < panels_of(study); ++i) {
    const RunResult& run = study.runs[i].run;
    for (std::size_t p = 0; p < run.partitions.size(); ++p) {
      const double used = mean_utilization(run, run.partitions[p]);
      if (used > most) {
        most = used;
        fullest = {i, p};
      }
    }
  }
  return fullest;
}

std::string other_failures(const StudyResult& study) {
  double most = 0;
  std::size_t worst = 0;
  for (std::size_t i = 0; i < panels_of(study); ++i) {
    const double failed = study.runs[i].run.failed_share();
    if (failed > most) {
      most = failed;
      worst = i;
    }
  }
  if (most <= 0) {
    return {};
  }
  const ClientResult total = study.runs[worst].run.total();
  const std::string_view why = total.refused > 0 ? " (400)" : total.forbidden > 0 ? " (403)" : "";
  return fmt::format(", but {} of the operations of {} fail{}",
                     most > kAll ? std::string("all") : in_percent(most), short_name(study, worst),
                     why);
}

std::string load_finding(const StudyResult& study) {
  if (const std::optional<Place> worst = worst_place(study)) {
    const RunResult& run = study.runs[worst->run].run;
    const PartitionResult& partition = run.partitions[worst->partition];
    const std::string name = short_name(study, worst->run);
    const std::string refused = part_of_attempts(throttled_share(partition));
    if (run.partitions.size() == 1) {
      return fmt::format("{}: its one partition refused {}", name, refused);
    }
    const double demand = run.total_demand_mru > 0 ? static_cast<double>(partition.demand_mru) /
                                                         static_cast<double>(run.total_demand_mru)
                                                   : 0.0;
    return fmt::format("{}: partition {} of {} took {} and refused {}", name, partition.id,
                       partition.alive() ? alive_partitions(run) : run.partitions.size(),
                       part_of_load(demand), refused);
  }
  const std::optional<Place> fullest = fullest_place(study);
  if (!fullest) {
    return "No partition had anything to do" + other_failures(study);
  }
  const RunResult& run = study.runs[fullest->run].run;
  const PartitionResult& partition = run.partitions[fullest->partition];
  return fmt::format(
      "Nothing was throttled: the fullest, partition {} of {}, used {} of its share{}",
      partition.id, short_name(study, fullest->run), in_percent(mean_utilization(run, partition)),
      other_failures(study));
}

}  // namespace partsim
