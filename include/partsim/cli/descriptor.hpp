/// Files by raw system calls, every one of them checked: C++ streams end a full disk in success.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace partsim {

/// An open descriptor, closed at the end of its life. `close()` is for those who must know whether
/// closing worked.
class Descriptor {
 public:
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();

  [[nodiscard]] int get() const noexcept { return fd_; }
  [[nodiscard]] bool is_open() const noexcept { return fd_ >= 0; }
  /// False with errno set if the system says that data was lost.
  [[nodiscard]] bool close() noexcept;

 private:
  int fd_;
};

/// All of the text, or false with errno set.
[[nodiscard]] bool write_all(int fd, std::string_view text) noexcept;

/// The text with control characters as \xNN, between single quotes, for messages.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// Throws FileError "cannot <action> '<path>': <reason>".
[[noreturn]] void throw_file_error(std::string_view action, const std::filesystem::path& path,
                                   int error);

/// Makes a new file with this content, durable when the call returns; never follows a link or
/// touches a file that is there. Throws FileError and leaves nothing behind.
void write_new_file(const std::filesystem::path& path, std::string_view content);

/// Makes the names inside a folder durable.
void sync_folder(const std::filesystem::path& folder);

}  // namespace partsim
