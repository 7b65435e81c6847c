/// Charts in gnuplot's language. Texts of a description reach it only as rows of a data file that
/// the script reads into an array: not one byte of them is in the script.
#pragma once

#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "partsim/plots/chart.hpp"

namespace partsim {

/// What one run of gnuplot reads.
struct GnuplotInput {
  std::string script;
  std::string texts;  // content of kTextsFile
};

inline constexpr std::string_view kTextsFile = "texts.dat";

/// Draws each chart as NAME.svg and NAME.png, all .svg first.
[[nodiscard]] GnuplotInput gnuplot_input(const std::vector<Chart>& charts);

/// A text as one quoted field of a data file: visible characters only, nothing that gnuplot's
/// reader would interpret.
[[nodiscard]] std::string data_text(std::string_view text);

/// All texts of all charts, each once.
class Texts {
 public:
  /// `T[7]`: how the script says the text.
  std::string add(std::string_view text);
  /// The same for a mark at an axis, where gnuplot would take % for a number's format.
  std::string add_tick(std::string_view text);
  [[nodiscard]] std::string content() const;
  [[nodiscard]] std::size_t size() const { return rows_.size(); }

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<std::string> rows_;
};

class Script {
 public:
  template <class... Args>
  void add(fmt::format_string<Args...> line, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), line, std::forward<Args>(args)...);
    text_ += '\n';
  }

  void append(const std::string& text) { text_ += text; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace partsim
