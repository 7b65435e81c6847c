#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "partsim/cli/descriptor.hpp"
#include "partsim/cli/exit_code.hpp"
#include "partsim/cli/sweep_store.hpp"
#include "partsim/cli/whole_file.hpp"

namespace partsim {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSyncEveryNs = 1'000'000'000;

std::int64_t now_ns() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

fs::path work_folder(fs::path target) {
  target = target.lexically_normal();
  if (!target.has_filename()) {
    target = target.parent_path();
  }
  return target.native() + ".partial";
}

}  // namespace

SweepWork::SweepWork(const fs::path& target, const SweepIdentity& identity,
                     const WorkOptions& options)
    : folder_(work_folder(target)), path_(folder_ / "runs") {
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(path_, ignored))) {
    if (!options.resume && !options.force) {
      throw FileError("unfinished runs are in " + in_quotes(folder_.native()) +
                      ": --resume carries on, --force starts over");
    }
    file_.emplace(::open(path_.c_str(), O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC));
    if (!file_->is_open()) {
      throw_file_error("write", path_, errno);
    }
    if (::flock(file_->get(), LOCK_EX | LOCK_NB) != 0) {
      throw FileError("cannot use " + in_quotes(folder_.native()) +
                      ": another partsim is at work there");
    }
    take_up(identity, options);
  } else {
    begin(identity);
  }
  synced_at_ns_ = now_ns();
}

void SweepWork::take_up(const SweepIdentity& identity, const WorkOptions& options) {
  const std::string text = read_regular_file(path_, SIZE_MAX);
  std::optional<StoredRuns> stored = parse_runs(text);
  // A kill may have come before the first line was whole; anything else there is not ours.
  const bool is_ours = stored || text.find('\n') == std::string::npos;
  if (!is_ours) {
    throw FileError("cannot use " + in_quotes(path_.native()) +
                    ": partsim did not write it, or another version did");
  }
  std::size_t keep = 0;
  if (stored && options.resume) {
    if (options.force && stored->identity.model == identity.model) {
      stored->identity.version = identity.version;
    }
    const bool same_part = stored->identity.shard == identity.shard;
    const std::string difference =
        same_part ? first_difference(stored->identity, identity, true) : "it is another --shard";
    if (!difference.empty()) {
      throw FileError("cannot resume the runs in " + in_quotes(folder_.native()) + ": " +
                      difference + "; without --resume, --force starts over");
    }
    keep = stored->bytes;
    for (StoredRun& run : stored->runs) {
      known_[{run.place.point, run.place.variant, run.place.replication}] = {
          run.key, std::move(run.replication)};
    }
  }
  if (::ftruncate(file_->get(), static_cast<off_t>(keep)) != 0) {
    throw_file_error("write", path_, errno);
  }
  if (keep == 0 && !write_all(file_->get(), identity_line(identity))) {
    throw_file_error("write", path_, errno);
  }
}

void SweepWork::begin(const SweepIdentity& identity) {
  std::error_code error;
  if (folder_.has_parent_path()) {
    fs::create_directories(folder_.parent_path(), error);
  }
  if (::mkdir(folder_.c_str(), 0777) != 0 && errno != EEXIST) {
    throw_file_error("create", folder_, errno);
  }
  file_.emplace(
      ::open(path_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!file_->is_open()) {
    throw_file_error("create", path_, errno);
  }
  if (::flock(file_->get(), LOCK_EX | LOCK_NB) != 0 ||
      !write_all(file_->get(), identity_line(identity))) {
    throw_file_error("write", path_, errno);
  }
  sync();
  sync_folder(folder_);
}

std::optional<Replication> SweepWork::recall(const RunPlace& place, std::uint64_t key) const {
  const auto found = known_.find({place.point, place.variant, place.replication});
  return found == known_.end() || found->second.first != key ? std::nullopt
                                                             : std::optional(found->second.second);
}

void SweepWork::remember(const StoredRun& run) {
  if (!write_all(file_->get(), run_line(run))) {
    throw_file_error("write", path_, errno);
  }
  if (now_ns() - synced_at_ns_ > kSyncEveryNs) {
    sync();
  }
}

void SweepWork::sync() {
  if (::fdatasync(file_->get()) != 0) {
    throw_file_error("write", path_, errno);
  }
  synced_at_ns_ = now_ns();
}

void SweepWork::remove() {
  if (::unlink(path_.c_str()) != 0) {
    throw_file_error("remove", path_, errno);
  }
  static_cast<void>(file_->close());
  static_cast<void>(::rmdir(folder_.c_str()));  // somebody's own files there stay
}

}  // namespace partsim
