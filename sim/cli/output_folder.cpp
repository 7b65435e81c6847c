#include "partsim/cli/output_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <optional>
#include <set>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "partsim/cli/descriptor.hpp"
#include "partsim/cli/exit_code.hpp"

namespace partsim {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMarkerTitle =
    "partsim made this folder and may replace it while it holds only these files:";
constexpr std::size_t kMaxMarkerBytes = 1 << 20;

/// Every file and link below a folder, by its path inside it, in order.
std::set<std::string> files_below(const fs::path& folder) {
  std::set<std::string> names;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_symlink() || !entry.is_directory()) {
      names.insert(entry.path().lexically_relative(folder).generic_string());
    }
  }
  return names;
}

/// What the marker lists; nullopt without a marker of ours.
std::optional<std::set<std::string>> listed_files(const fs::path& folder) {
  const fs::path path = folder / kMarkerName;
  Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.is_open()) {
    return std::nullopt;
  }
  std::string text(kMaxMarkerBytes, '\0');
  const ssize_t length = ::read(file.get(), text.data(), text.size());
  if (length < 0 || !file.close()) {
    throw_file_error("read", path, errno);
  }
  text.resize(static_cast<std::size_t>(length));
  if (text.substr(0, text.find('\n')) != kMarkerTitle) {
    return std::nullopt;
  }
  std::set<std::string> names{std::string(kMarkerName)};
  std::size_t begin = kMarkerTitle.size() + 1;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    names.insert(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

/// Why a folder that exists may not be replaced; empty if it may.
std::string objection(const fs::path& folder) {
  if (fs::is_empty(folder)) {
    return {};
  }
  const std::optional<std::set<std::string>> listed = listed_files(folder);
  if (!listed) {
    return "it exists and partsim did not make it; --force replaces it";
  }
  for (const std::string& name : files_below(folder)) {
    if (!listed->contains(name)) {
      return "it holds " + in_quotes(name) + ", which partsim did not write; --force replaces it";
    }
  }
  return {};
}

bool is_inside(const fs::path& path, const fs::path& folder) {
  std::error_code ignored;
  const fs::path inner = fs::weakly_canonical(path, ignored);
  const fs::path outer = fs::weakly_canonical(folder, ignored);
  const auto ends = std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end());
  return ends.first == outer.end();
}

/// The target without a trailing slash, so that a link to a folder is seen as the link it is.
fs::path plain_path(const fs::path& folder) {
  fs::path plain = folder.lexically_normal();
  if (!plain.has_filename()) {
    plain = plain.parent_path();
  }
  if (!plain.has_filename() || plain.filename() == "." || plain.filename() == "..") {
    throw FileError("cannot write " + in_quotes(folder.native()) +
                    ": results need a folder of their own, such as " +
                    in_quotes((folder / "results").native()));
  }
  return plain;
}

fs::path parent_of(const fs::path& folder) {
  return folder.has_parent_path() ? folder.parent_path() : fs::path(".");
}

fs::path make_staging_folder(const fs::path& target) {
  constexpr int kTries = 1'000;
  for (int i = 0; i < kTries; ++i) {
    fs::path path = parent_of(target) / ("." + target.filename().string() + ".partsim-" +
                                         std::to_string(::getpid()) + "-" + std::to_string(i));
    if (::mkdir(path.c_str(), 0777) == 0) {
      return path;
    }
    if (errno != EEXIST) {
      break;
    }
  }
  throw_file_error("create a folder beside", target, errno);
}

/// Two names exchange what they stand for, in one step where the system can.
bool exchange(const fs::path& a, const fs::path& b) {
#ifdef RENAME_EXCHANGE
  if (::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0) {
    return true;
  }
  if (errno != EINVAL && errno != ENOSYS) {
    return false;
  }
#endif
  const fs::path aside = a.native() + "-old";
  if (std::rename(b.c_str(), aside.c_str()) != 0) {
    return false;
  }
  const bool moved = std::rename(a.c_str(), b.c_str()) == 0;
  if (moved && std::rename(aside.c_str(), a.c_str()) == 0) {
    return true;
  }
  const int error = errno;
  if (moved) {
    static_cast<void>(std::rename(b.c_str(), a.c_str()));
  }
  static_cast<void>(std::rename(aside.c_str(), b.c_str()));
  errno = error;
  return false;
}

}  // namespace

void check_output_target(const OutputTarget& target) {
  const fs::path folder = plain_path(target.folder);
  std::error_code error;
  const fs::file_status status = fs::symlink_status(folder, error);
  const auto refuse = [&](const std::string& why) {
    throw FileError("cannot write " + in_quotes(folder.native()) + ": " + why);
  };
  if (status.type() == fs::file_type::not_found) {
    fs::path ancestor = parent_of(folder);
    while (!fs::exists(ancestor, error) && ancestor.has_parent_path()) {
      ancestor = ancestor.parent_path();
    }
    if (fs::exists(ancestor, error) && ::access(ancestor.c_str(), W_OK | X_OK) != 0) {
      throw_file_error("write", folder, errno);
    }
    return;
  }
  if (status.type() == fs::file_type::none) {
    refuse(error.message());
  }
  if (status.type() == fs::file_type::symlink) {
    if (!target.force) {
      refuse("it is a link; --force replaces the link, not what it leads to");
    }
    return;
  }
  if (status.type() != fs::file_type::directory) {
    refuse("it exists and is not a folder");
  }
  for (const fs::path& precious : target.precious) {
    if (is_inside(precious, folder)) {
      refuse("replacing it would remove " + in_quotes(precious.native()));
    }
  }
  const std::string why = target.force ? std::string() : objection(folder);
  if (!why.empty()) {
    refuse(why);
  }
  if (::access(parent_of(folder).c_str(), W_OK | X_OK) != 0) {
    throw_file_error("write", folder, errno);
  }
}

OutputFolder::OutputFolder(OutputTarget target) : target_(std::move(target)) {
  target_.folder = plain_path(target_.folder);
  std::vector<fs::path> missing;
  std::error_code ignored;
  for (fs::path path = parent_of(target_.folder); !fs::exists(path, ignored);
       path = parent_of(path)) {
    missing.push_back(path);
  }
  try {
    std::reverse(missing.begin(), missing.end());
    for (const fs::path& path : missing) {
      if (::mkdir(path.c_str(), 0777) == 0) {
        made_parents_.push_back(path);
      } else if (errno != EEXIST) {
        throw_file_error("create", path, errno);
      }
    }
    staging_ = make_staging_folder(target_.folder);
  } catch (...) {
    remove_made_parents();
    throw;
  }
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  fs::remove_all(staging_, ignored);
  if (!committed_) {
    remove_made_parents();
  }
}

void OutputFolder::remove_made_parents() noexcept {
  while (!made_parents_.empty()) {
    ::rmdir(made_parents_.back().c_str());
    made_parents_.pop_back();
  }
}

void OutputFolder::write(std::string_view name, std::string_view content) {
  write_new_file(staging_ / name, content);
}

void OutputFolder::commit() {
  std::string marker(kMarkerTitle);
  marker += '\n';
  for (const std::string& name : files_below(staging_)) {
    marker += name + '\n';
  }
  write(kMarkerName, marker);
  for (const fs::directory_entry& entry : fs::directory_iterator(staging_)) {
    if (entry.is_directory()) {
      sync_folder(entry.path());
    }
  }
  sync_folder(staging_);
  put_in_place();
}

void OutputFolder::put_in_place() {
  check_output_target(target_);  // again: a run may take long, and the folder is not locked
  std::error_code ignored;
  const bool replaces =
      fs::symlink_status(target_.folder, ignored).type() != fs::file_type::not_found;
  const bool moved = replaces ? exchange(staging_, target_.folder)
                              : std::rename(staging_.c_str(), target_.folder.c_str()) == 0;
  if (!moved) {
    throw_file_error("write", target_.folder, errno);
  }
  try {
    sync_folder(parent_of(target_.folder));
  } catch (...) {
    if (replaces) {
      static_cast<void>(exchange(staging_, target_.folder));
    } else {
      static_cast<void>(std::rename(target_.folder.c_str(), staging_.c_str()));
    }
    throw;
  }
  committed_ = true;
  std::error_code error;
  fs::remove_all(staging_, error);  // now the results that were there before
  if (error) {
    throw FileError("cannot remove the earlier results in " + in_quotes(staging_.native()) + ": " +
                    error.message());
  }
}

}  // namespace partsim
