#include "partsim/cli/descriptor.hpp"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <system_error>
#include <unistd.h>

#include "partsim/cli/exit_code.hpp"

namespace partsim {

Descriptor::~Descriptor() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

bool Descriptor::close() noexcept {
  const int fd = fd_;
  fd_ = -1;
  // After EINTR the descriptor is gone all the same on Linux, and the data was synced before.
  return ::close(fd) == 0 || errno == EINTR;
}

bool write_all(int fd, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) {
        continue;
      }
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::string in_quotes(std::string_view text) {
  static constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out = "'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      out += "\\x";
      out += kHex[byte >> 4U];
      out += kHex[byte & 15U];
    } else {
      out += c;
    }
  }
  return out + "'";
}

void throw_file_error(std::string_view action, const std::filesystem::path& path, int error) {
  throw FileError("cannot " + std::string(action) + " " + in_quotes(path.native()) + ": " +
                  std::generic_category().message(error));
}

void write_new_file(const std::filesystem::path& path, std::string_view content) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!file.is_open()) {
    throw_file_error("create", path, errno);
  }
  if (!write_all(file.get(), content) || ::fsync(file.get()) != 0 || !file.close()) {
    const int error = errno;
    ::unlink(path.c_str());
    throw_file_error("write", path, error);
  }
}

void sync_folder(const std::filesystem::path& folder) {
  Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor.is_open()) {
    throw_file_error("open", folder, errno);
  }
  // Some file systems cannot sync a folder and say so with EINVAL; that is no loss of data.
  if ((::fsync(descriptor.get()) != 0 && errno != EINVAL) || !descriptor.close()) {
    throw_file_error("write", folder, errno);
  }
}

}  // namespace partsim
