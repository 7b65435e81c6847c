#include "partsim/cli/whole_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "partsim/cli/descriptor.hpp"
#include "partsim/cli/exit_code.hpp"

namespace partsim {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlockBytes = std::size_t{64} * 1024;

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

}  // namespace

std::string read_regular_file(const fs::path& path, std::size_t max_bytes) {
  // Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file.is_open()) {
    throw_file_error("read", path, errno);
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) {
    throw_file_error("read", path, errno);
  }
  if (!S_ISREG(status.st_mode)) {
    throw FileError("cannot read " + in_quotes(path.native()) + ": " +
                    (S_ISDIR(status.st_mode) ? "it is a folder" : "it is not a regular file"));
  }
  std::string text;
  while (text.size() < max_bytes) {
    const std::size_t length = text.size();
    const std::size_t wanted = std::min(std::max(length, kBlockBytes), max_bytes - length);
    text.resize(length + wanted);
    const ssize_t got = ::read(file.get(), text.data() + length, wanted);
    const int error = errno;
    text.resize(length + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) {
      break;
    }
    if (got < 0 && error != EINTR) {
      throw_file_error("read", path, error);
    }
  }
  if (!file.close()) {
    throw_file_error("read", path, errno);
  }
  return text;
}

void check_file_target(const fs::path& path) {
  const auto refuse = [&path](const std::string& why) {
    throw FileError("cannot write " + in_quotes(path.native()) + ": " + why);
  };
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!path.has_filename() || fs::is_directory(status)) {
    refuse("it is a folder");
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    refuse("it is not a regular file");
  }
  fs::path folder = folder_of(path);
  while (!fs::exists(folder, error) && folder.has_parent_path() && folder != folder.parent_path()) {
    folder = folder.parent_path();
  }
  if (!fs::exists(folder, error)) {
    folder = ".";
  }
  if (!fs::is_directory(folder, error)) {
    refuse(in_quotes(folder.native()) + " is not a folder");
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw_file_error("write", path, errno);
  }
}

void write_whole_file(const fs::path& path, std::string_view content) {
  check_file_target(path);
  const fs::path folder = folder_of(path);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw_file_error("write", path, error.value());
  }
  const fs::path staged =
      folder / ("." + path.filename().string() + ".partsim-" + std::to_string(::getpid()));
  write_new_file(staged, content);
  if (std::rename(staged.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    ::unlink(staged.c_str());
    throw_file_error("write", path, reason);
  }
  sync_folder(folder);
}

}  // namespace partsim
