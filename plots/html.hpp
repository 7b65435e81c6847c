/// HTML whose text is always text and whose elements are always closed.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "partsim/report/text.hpp"

namespace partsim {

using HtmlAttribute = std::pair<std::string_view, std::string>;
using HtmlAttributes = std::initializer_list<HtmlAttribute>;

class Html {
 public:
  /// Names of elements and attributes are the product's own; values and texts may be anybody's.
  void open(std::string_view name, HtmlAttributes attributes = {});
  void close();
  /// An element with text alone.
  void add(std::string_view name, std::string_view text, HtmlAttributes attributes = {});
  /// An element that has no content, such as <meta>.
  void add_void(std::string_view name, HtmlAttributes attributes);
  void add_text(std::string_view text) { out_ += markup_text(text); }
  /// Lines of a text as they are, tabs and line ends included.
  void add_lines(std::string_view text);
  /// Already HTML, or what an element holds that is no HTML: a script, a style.
  void add_raw(std::string_view html) { out_ += html; }
  void end_line() { out_ += '\n'; }

  [[nodiscard]] const std::string& text() const { return out_; }

 private:
  void begin(std::string_view name, HtmlAttributes attributes);

  std::string out_;
  std::vector<std::string> open_;
};

}  // namespace partsim
