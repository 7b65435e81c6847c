#include "partsim/cli/sweep_loading.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "partsim/cli/descriptor.hpp"
#include "partsim/cli/exit_code.hpp"
#include "partsim/cli/scenario_files.hpp"
#include "partsim/cli/signals.hpp"
#include "partsim/cli/sweep_store.hpp"
#include "partsim/cli/vary.hpp"
#include "partsim/cli/whole_file.hpp"
#include "partsim/core/rng.hpp"
#include "partsim/metrics/metric_table.hpp"
#include "partsim/scenario/check.hpp"
#include "partsim/study/work_list.hpp"

namespace partsim {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDefaultTarget = "latency_ms.p99";

/// Files that scenarios name, each read and hashed once however many points name it.
class SharedFiles {
 public:
  explicit SharedFiles(const std::string& scenario_path)
      : reader_(files_beside(scenario_path)), folder_(fs::path(scenario_path).parent_path()) {}

  FileText read(const std::string& name) {
    const std::lock_guard lock(mutex_);
    auto found = texts_.find(name);
    if (found == texts_.end()) {
      found = texts_.emplace(name, reader_(name)).first;
    }
    return found->second;
  }
  /// Of a file that a point uses.
  std::uint64_t digest(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto known = digests_.find(name);
    if (known != digests_.end()) {
      return known->second;
    }
    const auto text = texts_.find(name);
    const std::uint64_t value = name_hash(
        text != texts_.end() ? text->second.text : read_regular_file(folder_ / name, SIZE_MAX));
    return digests_[name] = value;
  }

 private:
  FileReader reader_;
  fs::path folder_;
  std::mutex mutex_;
  std::map<std::string, FileText> texts_;
  std::map<std::string, std::uint64_t> digests_;
};

struct PointLoad {
  LoadedPoint point;
  std::vector<Diagnostic> diagnostics;
  std::string name;
  std::string title;
  std::uint64_t seed = 0;
  double requests = 0;
  std::vector<std::string> clients;
};

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  return mix64(a * kGoldenGamma + b);
}

class PointLoader {
 public:
  PointLoader(const Flags& flags, const SweepDesign& design, const std::string& text)
      : flags_(flags),
        design_(design),
        text_(text),
        path_(flags.arguments.front()),
        files_(path_) {}

  PointLoad load(std::size_t number) {
    LoadOptions options = flags_.load;
    std::set<std::string> used;
    options.read_file = [&](const std::string& name) {
      used.insert(name);
      return files_.read(name);
    };
    const std::vector<std::size_t> chosen = values_at(design_, number);
    for (std::size_t axis = 0; axis < chosen.size(); ++axis) {
      options.overrides.push_back(
          {design_.axes[axis].path, design_.axes[axis].values[chosen[axis]]});
    }
    LoadResult result;
    const std::string resolved = explain_study(text_, path_, options, result);
    PointLoad load;
    load.point.task.number = number;
    load.diagnostics = std::move(result.diagnostics);
    name_flag(load.diagnostics);
    if (result.study) {
      take(std::move(*result.study), used, load);
      load.point.digest = digest_of(resolved, used);
    }
    return load;
  }

 private:
  /// The loader knows these values as those of `--set`.
  void name_flag(std::vector<Diagnostic>& diagnostics) const {
    constexpr std::string_view kSet = "--set ";
    for (Diagnostic& diagnostic : diagnostics) {
      for (const SweepAxis& axis : design_.axes) {
        if (diagnostic.file.starts_with(std::string(kSet) + axis.path + "=")) {
          diagnostic.file.replace(0, kSet.size(), "--vary ");
        }
      }
    }
  }

  static void take(StudyFile study, std::set<std::string>& used, PointLoad& load) {
    load.name = study.name;
    load.title = study.title;
    load.seed = study.variants.front().scenario.seed;
    load.requests = estimated_requests(study);
    std::set<std::string> clients;
    for (const Variant& variant : study.variants) {
      for (const ClientSpec& client : variant.scenario.clients) {
        clients.insert(client.name);
        if (const auto* trace = std::get_if<TraceReplay>(&client.arrivals)) {
          used.insert(trace->file);
          if (!trace->requests_file.empty()) {
            used.insert(trace->requests_file);
          }
        }
      }
    }
    load.clients.assign(clients.begin(), clients.end());
    load.point.task.variants = std::move(study.variants);
  }

  std::uint64_t digest_of(const std::string& resolved, const std::set<std::string>& used) {
    std::uint64_t digest = mixed(name_hash(resolved), flags_.skip_bad_rows ? 1 : 0);
    for (const std::string& name : used) {
      digest = mixed(digest, mixed(name_hash(name), files_.digest(name)));
    }
    return digest;
  }

  const Flags& flags_;
  const SweepDesign& design_;
  const std::string& text_;
  std::string path_;
  SharedFiles files_;
};

/// At most 20 mistakes, each once, however many points have it.
int tell(const std::vector<PointLoad>& loads, const std::string& path, const std::string& text,
         Console& console) {
  LoadedFile all;
  all.path = path;
  all.text = text;
  std::set<std::pair<std::string, std::string>> seen;
  for (const PointLoad& load : loads) {
    for (const Diagnostic& each : load.diagnostics) {
      const std::string place = fmt::format("{}:{}:{}", each.file, each.line, each.column);
      if (seen.emplace(place, each.message).second) {
        all.result.diagnostics.push_back(each);
      }
    }
  }
  tell_findings({all}, console);
  return findings_exit_code({all});
}

/// Every metric that a run can have, those of the clients for each of them.
std::vector<std::string> all_metrics(const std::vector<PointLoad>& loads) {
  std::set<std::string> clients;
  for (const PointLoad& load : loads) {
    clients.insert(load.clients.begin(), load.clients.end());
  }
  std::vector<std::string> paths;
  for (const Metric& metric : metric_table()) {
    const std::size_t star = metric.path.find('*');
    if (star == std::string::npos) {
      paths.push_back(metric.path);
      continue;
    }
    for (const std::string& client : clients) {
      paths.push_back(std::string(metric.path).replace(star, 1, client));
    }
  }
  return paths;
}

void choose_metrics(const Flags& flags, const std::vector<PointLoad>& loads, SweepDesign& design) {
  const std::vector<std::string> known = all_metrics(loads);
  for (const std::string& wanted : flags.metrics) {
    // A partition by its number is known to the table, but not listed in it.
    const bool is_partition = wanted.starts_with("partitions.") && metric_unit(wanted).has_value();
    if (!is_partition && std::find(known.begin(), known.end(), wanted) == known.end()) {
      const auto meant = meant_metric(wanted, known);
      throw UsageError("--metric is " + in_quotes(wanted) + ", which is no metric of this scenario",
                       meant ? "did you mean '" + *meant + "'?" : "partsim list names all metrics");
    }
  }
  design.metrics = flags.metrics.empty() ? known : flags.metrics;
  if (!flags.metrics.empty()) {
    for (const std::string& standing : standing_metrics()) {
      if (!metric_index(design, standing)) {
        design.metrics.push_back(standing);
      }
    }
  }
  const std::string target =
      flags.metrics.empty() ? std::string(kDefaultTarget) : flags.metrics.front();
  design.target = *metric_index(design, target);
}

/// Exit code 4 with a word, or 0.
int guard(const Flags& flags, std::size_t points, std::size_t variants, std::uint32_t seeds,
          Console& console) {
  std::size_t runs = 0;
  const bool overflow = __builtin_mul_overflow(points, variants, &runs) ||
                        __builtin_mul_overflow(runs, std::size_t{seeds}, &runs);
  if (!overflow && runs <= flags.max_points) {
    return exit_ok;
  }
  console.talk(fmt::format(
      "partsim: the sweep has {} runs, limit {}\n"
      "  hint: vary less, take fewer seeds, or raise --max-points\n",
      overflow ? std::string("more than 2^64") : fmt::format("{}", runs), flags.max_points));
  return exit_over_limit;
}

std::uint32_t seeds_of(const Flags& flags, bool adapts) {
  constexpr std::uint32_t kAdaptiveSeeds = 100;
  const std::uint32_t seeds = flags.seeds.value_or(adapts ? kAdaptiveSeeds : 1);
  if (adapts && seeds < kLeastReplications) {
    throw UsageError(fmt::format("--precision needs --seeds of at least {}", kLeastReplications));
  }
  return seeds;
}

SweepDesign plan_design(const Flags& flags) {
  std::vector<std::string> set_paths;
  for (const Override& each : flags.load.overrides) {
    set_paths.push_back(each.path);
  }
  SweepDesign design;
  design.axes = parse_axes(flags.vary, set_paths);
  design.precision = flags.precision ? parse_precision(*flags.precision) : 0.0;
  design.seeds = seeds_of(flags, design.precision > 0);
  return design;
}

/// Whether all runs of all points together are too many requests.
int guard_requests(const Flags& flags, const std::vector<PointLoad>& loads, std::uint32_t seeds,
                   Console& console) {
  double sum = 0;
  for (const PointLoad& load : loads) {
    sum += load.requests * seeds;
  }
  if (sum <= static_cast<double>(flags.load.max_requests)) {
    return exit_ok;
  }
  console.talk(
      fmt::format("partsim: about {:.3g} requests estimated for all runs, limit {:.3g}\n"
                  "  hint: shorten the duration, vary less, or raise --max-events\n",
                  sum, static_cast<double>(flags.load.max_requests)));
  return exit_over_limit;
}

}  // namespace

LoadedSweep load_sweep(const Flags& flags, const Shard& shard, Console& console) {
  LoadedSweep sweep;
  sweep.design = plan_design(flags);
  const std::size_t points = point_count(sweep.design);
  sweep.code = guard(flags, points, 1, sweep.design.seeds, console);
  if (sweep.code != exit_ok) {
    return sweep;
  }
  sweep.text = read_scenario_text(flags.arguments.front());
  PointLoader loader(flags, sweep.design, sweep.text);
  std::vector<PointLoad> loads(points);
  work_through(points, flags.jobs, &stop_requested(),
               [&](std::size_t number) { loads[number] = loader.load(number); });
  if (stop_signal() != 0) {
    sweep.code = exit_signal_base + stop_signal();
    return sweep;
  }
  sweep.code = tell(loads, flags.arguments.front(), sweep.text, console);
  if (sweep.code != exit_ok) {
    return sweep;
  }
  sweep.design.name = loads.front().name;
  sweep.design.title = loads.front().title;
  sweep.design.seed = loads.front().seed;
  for (const Variant& variant : loads.front().point.task.variants) {
    sweep.design.variants.push_back(variant.name);
  }
  choose_metrics(flags, loads, sweep.design);
  sweep.code = guard(flags, points, sweep.design.variants.size(), sweep.design.seeds, console);
  if (sweep.code == exit_ok) {
    sweep.code = guard_requests(flags, loads, sweep.design.seeds, console);
  }
  std::uint64_t digest = 0;
  for (PointLoad& load : loads) {
    digest = mixed(digest, load.point.digest);
    if (shard.has(load.point.task.number)) {
      sweep.points.push_back(std::move(load.point));
    }
  }
  sweep.digest = fmt::format("{:016x}", digest);
  return sweep;
}

}  // namespace partsim
