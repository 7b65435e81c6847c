/// The runs of a sweep as a text file: while it works, and between shards and `partsim merge`.
///
/// The first line is a JSON object that says what is swept, every further one a run with a check
/// sum; values stand as the bits of their doubles, so that nothing is lost on the way.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "partsim/cli/descriptor.hpp"
#include "partsim/study/sweep.hpp"

namespace partsim {

/// In the folder of a finished shard.
inline constexpr std::string_view kShardFile = "shard.runs";

/// Everything that must be alike for runs to belong together.
struct SweepIdentity {
  std::string version;   // of the program
  int model = 0;         // of the rules
  std::string scenario;  // digest of every resolved point
  SweepDesign design;
  Shard shard;
};

struct StoredRun {
  RunPlace place;
  std::uint64_t key = 0;  // digest of the resolved scenario, the variant and the seed
  Replication replication;
};
struct StoredRuns {
  SweepIdentity identity;
  std::vector<StoredRun> runs;
  std::size_t bytes = 0;  // of the text up to the first damaged line
  bool finished = false;  // a shard that was written to its end
};

[[nodiscard]] std::string identity_line(const SweepIdentity& identity);
[[nodiscard]] std::string run_line(const StoredRun& run);
/// The whole file of a shard.
[[nodiscard]] std::string shard_text(const SweepIdentity& identity,
                                     const std::vector<StoredRun>& runs);

/// Runs up to the first line that is damaged or not whole; nothing if the first line is not that of
/// a sweep.
[[nodiscard]] std::optional<StoredRuns> parse_runs(std::string_view text);

/// What tells two sweeps apart, for people; empty if nothing does. Shards and, with
/// `may_extend`, the number of seeds and the precision are not looked at.
[[nodiscard]] std::string first_difference(const SweepIdentity& stored, const SweepIdentity& wanted,
                                           bool may_extend);

struct WorkOptions {
  bool resume = false;
  bool force = false;  // start over; with resume: runs of another program version will do
};

/// Finished runs beside the target, in `<target>.partial`, until the results are written. One
/// process has it at a time.
class SweepWork {
 public:
  /// Throws FileError if there is unfinished work that may not be taken up or thrown away.
  SweepWork(const std::filesystem::path& target, const SweepIdentity& identity,
            const WorkOptions& options);

  [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }
  /// Runs found at the start.
  [[nodiscard]] std::size_t found() const noexcept { return known_.size(); }
  [[nodiscard]] std::optional<Replication> recall(const RunPlace& place, std::uint64_t key) const;
  /// Safe from a kill of the process at once, from a failure of the machine after a second at most
  /// or with `sync`. Throws FileError.
  void remember(const StoredRun& run);
  void sync();
  /// The results are safe elsewhere.
  void remove();

 private:
  void take_up(const SweepIdentity& identity, const WorkOptions& options);
  void begin(const SweepIdentity& identity);

  using Place = std::tuple<std::size_t, std::size_t, std::uint32_t>;
  std::filesystem::path folder_;
  std::filesystem::path path_;
  std::optional<Descriptor> file_;
  std::map<Place, std::pair<std::uint64_t, Replication>> known_;
  std::int64_t synced_at_ns_ = 0;
};

}  // namespace partsim
