#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "partsim/cli/commands.hpp"
#include "partsim/cli/descriptor.hpp"
#include "partsim/cli/exit_code.hpp"
#include "partsim/cli/output_folder.hpp"
#include "partsim/cli/sweep_output.hpp"
#include "partsim/cli/sweep_store.hpp"
#include "partsim/cli/whole_file.hpp"

namespace partsim {
namespace {

namespace fs = std::filesystem;

struct Part {
  std::string folder;
  StoredRuns stored;
};

Part read_part(const std::string& folder) {
  const fs::path path = fs::path(folder) / kShardFile;
  std::error_code ignored;
  if (fs::is_directory(folder, ignored) && !fs::exists(path, ignored)) {
    throw FileError("cannot merge " + in_quotes(folder) + ": it has no " + std::string(kShardFile) +
                    ", so it is no part of a sweep made with --shard");
  }
  std::optional<StoredRuns> stored = parse_runs(read_regular_file(path, SIZE_MAX));
  if (!stored || !stored->finished) {
    throw FileError("cannot merge " + in_quotes(path.native()) +
                    ": the file is damaged or not whole; run this part again");
  }
  return {folder, std::move(*stored)};
}

std::string listed(const std::vector<std::uint32_t>& numbers) {
  constexpr std::size_t kShown = 10;
  std::string text;
  for (std::size_t i = 0; i < std::min(numbers.size(), kShown); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(numbers[i]);
  }
  return numbers.size() > kShown ? fmt::format("{} and {} more", text, numbers.size() - kShown)
                                 : text;
}

/// Parts of one sweep, every one of them, each once.
void check_parts(const std::vector<Part>& parts) {
  const SweepIdentity& first = parts.front().stored.identity;
  std::map<std::uint32_t, std::string> folders;
  for (const Part& part : parts) {
    const SweepIdentity& identity = part.stored.identity;
    std::string difference = first_difference(first, identity, false);
    if (difference.empty() && identity.shard.count != first.shard.count) {
      difference =
          fmt::format("it is one of {} parts, not of {}", identity.shard.count, first.shard.count);
    }
    if (!difference.empty()) {
      throw FileError("cannot merge " + in_quotes(part.folder) + " with " +
                      in_quotes(parts.front().folder) + ": " + difference);
    }
    const auto [earlier, is_new] = folders.emplace(identity.shard.number, part.folder);
    if (!is_new) {
      throw FileError(fmt::format("cannot merge: {} and {} are both part {} of {}",
                                  in_quotes(earlier->second), in_quotes(part.folder),
                                  identity.shard.number, identity.shard.count));
    }
  }
  std::vector<std::uint32_t> missing;
  for (std::uint32_t number = 1; number <= first.shard.count; ++number) {
    if (!folders.contains(number)) {
      missing.push_back(number);
    }
  }
  if (!missing.empty()) {
    throw FileError(fmt::format("cannot merge: {} {} of {} {} missing",
                                missing.size() == 1 ? "part" : "parts", listed(missing),
                                first.shard.count, missing.size() == 1 ? "is" : "are"));
  }
}

/// Every point with the runs of all its variants, or a FileError.
SweepResult joined(std::vector<Part>& parts) {
  SweepResult result;
  result.design = parts.front().stored.identity.design;
  const std::size_t variants = result.design.variants.size();
  result.points.resize(point_count(result.design));
  for (std::size_t number = 0; number < result.points.size(); ++number) {
    result.points[number] = {number, std::vector<SweepCell>(variants)};
  }
  for (Part& part : parts) {
    for (StoredRun& run : part.stored.runs) {
      auto& replications = result.points[run.place.point].variants[run.place.variant].replications;
      if (!part.stored.identity.shard.has(run.place.point) ||
          run.place.replication != replications.size()) {
        throw FileError("cannot merge " + in_quotes(part.folder) + ": its runs are out of order");
      }
      replications.push_back(std::move(run.replication));
    }
  }
  for (const SweepPoint& point : result.points) {
    const std::size_t count = point.variants.front().replications.size();
    const bool is_whole = std::all_of(
        point.variants.begin(), point.variants.end(),
        [count](const SweepCell& cell) { return count > 0 && cell.replications.size() == count; });
    if (!is_whole) {
      throw FileError(fmt::format("cannot merge: runs of point {} are missing", point.number));
    }
  }
  return result;
}

int merge_parts(const Flags& flags, Console& console) {
  std::vector<Part> parts;
  for (const std::string& folder : flags.arguments) {
    parts.push_back(read_part(folder));
  }
  check_parts(parts);
  OutputTarget target;
  target.folder = flags.output ? fs::path(*flags.output)
                               : fs::path("partsim-out") /
                                     (parts.front().stored.identity.design.name + "-sweep");
  target.force = flags.force;
  target.precious = {fs::current_path()};
  target.precious.insert(target.precious.end(), flags.arguments.begin(), flags.arguments.end());
  check_output_target(target);
  const SweepResult result = joined(parts);
  write_sweep(result, target, flags, console);
  print_sweep(result, "", flags, console);
  return exit_ok;
}

}  // namespace

const Command& merge_command() {
  static const Command kCommand{
      {.name = "merge",
       .arguments = "DIR...",
       .summary = "join the parts that 'partsim sweep --shard K/N' made",
       .details = "Reads every part of one sweep and writes what the whole sweep would have\n"
                  "written, byte for byte. Parts of another sweep, of a changed scenario or of\n"
                  "another version are refused, and missing ones are named.\n",
       .examples = "  partsim sweep scenario.yaml --seeds 10 --shard 1/2 -o part1\n"
                   "  partsim sweep scenario.yaml --seeds 10 --shard 2/2 -o part2\n"
                   "  partsim merge part1 part2 -o all\n",
       .flags = {Flag::output, Flag::charts, Flag::format, Flag::quiet, Flag::color, Flag::force,
                 Flag::help},
       .arguments_min = 1},
      merge_parts};
  return kCommand;
}

}  // namespace partsim
