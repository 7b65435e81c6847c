#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "partsim/cli/commands.hpp"
#include "partsim/cli/descriptor.hpp"
#include "partsim/cli/exit_code.hpp"
#include "partsim/cli/output_folder.hpp"
#include "partsim/cli/progress_line.hpp"
#include "partsim/cli/scenario_files.hpp"
#include "partsim/cli/signals.hpp"
#include "partsim/cli/sweep_loading.hpp"
#include "partsim/cli/sweep_output.hpp"
#include "partsim/cli/sweep_store.hpp"
#include "partsim/cli/vary.hpp"
#include "partsim/core/rng.hpp"

namespace partsim {
namespace {

namespace fs = std::filesystem;

OutputTarget target_of(const Flags& flags, const SweepDesign& design, const Shard& shard) {
  OutputTarget target;
  if (flags.output) {
    target.folder = *flags.output;
  } else {
    const std::string part =
        shard.count == 1 ? std::string() : fmt::format("-{}of{}", shard.number, shard.count);
    target.folder = fs::path("partsim-out") / (design.name + "-sweep" + part);
  }
  target.force = flags.force;
  target.precious = {fs::current_path(), flags.arguments.front()};
  return target;
}

/// The runs of one sweep, those done before and those to do.
class SweepJob {
 public:
  SweepJob(const LoadedSweep& sweep, const Shard& shard, const Flags& flags, Console& console)
      : sweep_(sweep), flags_(flags), console_(console) {
    identity_ = {PARTSIM_VERSION, kModelVersion, sweep.digest, sweep.design, shard};
    for (const LoadedPoint& point : sweep.points) {
      digests_[point.task.number] = point.digest;
      tasks_.push_back(point.task);
    }
  }

  /// The exit code. The target appears when all is done; until then the runs are kept beside it.
  int run(const OutputTarget& target) {
    SweepWork work(target.folder, identity_, {flags_.resume, flags_.force});
    if (work.found() > 0 && !flags_.quiet) {
      console_.talk(fmt::format("resuming: {} runs are done\n", work.found()));
    }
    const SweepResult result = simulate(work);
    work.sync();
    if (!result.complete) {
      console_.talk(fmt::format(
          "partsim: interrupted; {} runs are kept in {}, carry on with the same command and "
          "--resume\n",
          work.found() + made_, in_quotes(work.folder().native())));
      return exit_signal_base + stop_signal();
    }
    const bool is_whole = identity_.shard.count == 1;
    if (is_whole) {
      write_sweep(result, target, flags_, console_);
    } else {
      put_out_shard(result, target);
    }
    work.remove();  // before standard output can fail: nothing is left to resume
    if (is_whole) {
      print_sweep(result, words_of(flags_, flags_.arguments.front()), flags_, console_);
    }
    return exit_ok;
  }

 private:
  [[nodiscard]] std::uint64_t key_of(const RunPlace& place) const {
    const std::string& variant = sweep_.design.variants[place.variant];
    return mix64(digests_.at(place.point) ^ name_hash(variant));
  }

  SweepResult simulate(SweepWork& work) {
    SweepOptions options;
    options.jobs = flags_.jobs;
    options.stop = &stop_requested();
    options.open_trace = traces_beside(flags_.arguments.front(), flags_.skip_bad_rows);
    options.recall = [&](const RunPlace& place) { return work.recall(place, key_of(place)); };
    ProgressLine line(console_, sweep_.design.name, flags_.quiet);
    options.remember = [&](const RunPlace& place, const Replication& replication) {
      work.remember({place, key_of(place), replication});
      ++made_;
      line.show(fmt::format("{} runs", made_));
    };
    return run_sweep(sweep_.design, tasks_, options);
  }

  void put_out_shard(const SweepResult& result, const OutputTarget& target) {
    std::vector<StoredRun> runs;
    for (const SweepPoint& point : result.points) {
      for (std::size_t variant = 0; variant < point.variants.size(); ++variant) {
        std::uint32_t number = 0;
        for (const Replication& replication : point.variants[variant].replications) {
          const RunPlace place{point.number, variant, number++};
          runs.push_back({place, key_of(place), replication});
        }
      }
    }
    OutputFolder folder(target);
    folder.write(kShardFile, shard_text(identity_, runs));
    folder.commit();
    if (!flags_.quiet) {
      console_.talk(fmt::format(
          "wrote {}/ (part {} of {}, {} runs); 'partsim merge' joins the "
          "parts\n",
          folder.target().string(), identity_.shard.number, identity_.shard.count, runs.size()));
    }
  }

  const LoadedSweep& sweep_;
  const Flags& flags_;
  Console& console_;
  SweepIdentity identity_;
  std::map<std::size_t, std::uint64_t> digests_;
  std::vector<SweepTask> tasks_;
  std::size_t made_ = 0;
};

int sweep_file(const Flags& flags, Console& console) {
  if (flags.vary.empty() && !flags.seeds && !flags.precision) {
    throw UsageError("nothing is varied or repeated",
                     "--vary container.throughput=10000..60000/10000 RU/s, --seeds 10, or both");
  }
  const Shard shard = flags.shard ? parse_shard(*flags.shard) : Shard{};
  const LoadedSweep sweep = load_sweep(flags, shard, console);
  if (sweep.code != exit_ok) {
    return sweep.code;
  }
  const OutputTarget target = target_of(flags, sweep.design, shard);
  check_output_target(target);
  return SweepJob(sweep, shard, flags, console).run(target);
}

}  // namespace

const Command& sweep_command() {
  static const Command kCommand{
      {.name = "sweep",
       .arguments = "FILE",
       .summary = "vary values, repeat with other seeds; intervals and the best choice",
       .details = "Runs every combination of the varied values, every variant and every seed on\n"
                  "all cores, and says what differs beyond chance: means with 95 % intervals,\n"
                  "differences between variants under the same seeds, and which choices nothing\n"
                  "beats in price and latency. Runs are kept as they finish; after an\n"
                  "interruption --resume carries on with the same result, byte for byte.\n",
       .examples =
           "  partsim sweep scenario.yaml --seeds 10\n"
           "  partsim sweep scenario.yaml --vary 'container.throughput=5000..9000/2000 RU/s'\n"
           "  partsim sweep scenario.yaml --vary container.partitions=2,5 --precision 5%\n"
           "  partsim sweep scenario.yaml --vary container.items.size='1..64/x2 KB'\n",
       .flags = {Flag::vary,       Flag::seeds,      Flag::precision,     Flag::metric,
                 Flag::output,     Flag::charts,     Flag::resume,        Flag::shard,
                 Flag::max_points, Flag::seed,       Flag::set,           Flag::variant,
                 Flag::jobs,       Flag::max_events, Flag::skip_bad_rows, Flag::format,
                 Flag::quiet,      Flag::color,      Flag::force,         Flag::help},
       .arguments_min = 1,
       .arguments_max = 1},
      sweep_file};
  return kCommand;
}

}  // namespace partsim
