#include "partsim/cli/console.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fcntl.h>
#include <optional>
#include <sys/ioctl.h>
#include <system_error>
#include <unistd.h>

#include "partsim/cli/descriptor.hpp"
#include "partsim/cli/exit_code.hpp"

namespace partsim {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{64} * 1024;
constexpr unsigned kDefaultWidth = 80;
constexpr unsigned kNarrowest = 40;
constexpr unsigned kWidest = 120;

std::string_view environment(const char* name) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): read once, before any thread exists.
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : std::string_view{value};
}

unsigned text_width(bool is_terminal) {
  unsigned width = 0;
  const std::string_view columns = environment("COLUMNS");
  const auto [end, error] = std::from_chars(columns.data(), columns.data() + columns.size(), width);
  if (error != std::errc{} || end != columns.data() + columns.size()) {
    width = 0;
  }
  if (width == 0 && is_terminal) {
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
      width = size.ws_col;
    }
  }
  return width == 0 ? kDefaultWidth : std::clamp(width, kNarrowest, kWidest);
}

bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = environment(name);
    if (!value.empty()) {
      return value.find("UTF-8") != std::string_view::npos ||
             value.find("utf8") != std::string_view::npos;
    }
  }
  return false;
}

}  // namespace

void open_standard_descriptors() noexcept {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) == -1 && errno == EBADF) {
      // The lowest free number is given out, and all below `fd` are open: it becomes `fd`.
      [[maybe_unused]] const int opened = ::open("/dev/null", O_RDWR);
    }
  }
}

Console::Console()
    : data_is_terminal_(::isatty(STDOUT_FILENO) == 1),
      talk_is_terminal_(::isatty(STDERR_FILENO) == 1),
      width_(text_width(data_is_terminal_)),
      unicode_(!data_is_terminal_ || locale_is_utf8()),
      color_(data_is_terminal_ && environment("NO_COLOR").empty() &&
             environment("TERM") != "dumb") {}

void Console::data(std::string_view text) {
  buffer_.append(text);
  if (buffer_.size() >= kBufferBytes) {
    flush();
  }
}

void Console::flush() {
  if (broken_ || buffer_.empty()) {
    return;
  }
  const bool written = write_all(STDOUT_FILENO, buffer_);
  const int error = errno;
  buffer_.clear();
  if (!written) {
    broken_ = true;  // told once; the rest has nowhere to go
    if (error == EPIPE) {
      throw ReaderGone();
    }
    throw FileError("cannot write standard output: " + std::generic_category().message(error));
  }
}

void Console::talk(std::string_view text) noexcept {
  static_cast<void>(write_all(STDERR_FILENO, text));
}

}  // namespace partsim
