/// Standard output for data, standard error for talk, and what is known of the terminal.
#pragma once

#include <string>
#include <string_view>

namespace partsim {

/// Descriptors 0 to 2 must be open, or the next file opened would become standard output. Closed
/// ones are opened on /dev/null.
void open_standard_descriptors() noexcept;

class Console {
 public:
  Console();

  /// Data, in order. Throws FileError if standard output cannot take it, ReaderGone if its reader
  /// has left.
  void data(std::string_view text);
  /// Throws FileError likewise.
  void flush();
  /// Talk. A failure has nowhere to be told and is ignored.
  void talk(std::string_view text) noexcept;

  [[nodiscard]] bool data_is_terminal() const noexcept { return data_is_terminal_; }
  [[nodiscard]] bool talk_is_terminal() const noexcept { return talk_is_terminal_; }
  /// Columns for text: the terminal's or COLUMNS, between 40 and 120; 80 when neither says.
  [[nodiscard]] unsigned width() const noexcept { return width_; }
  /// False only on a terminal whose locale is not UTF-8, so that a pipe always gets the same bytes.
  [[nodiscard]] bool unicode() const noexcept { return unicode_; }
  /// True if colours are welcome without being asked for: a terminal, and NO_COLOR unset.
  [[nodiscard]] bool color() const noexcept { return color_; }

 private:
  std::string buffer_;
  bool broken_ = false;
  bool data_is_terminal_;
  bool talk_is_terminal_;
  unsigned width_;
  bool unicode_;
  bool color_;
};

}  // namespace partsim
