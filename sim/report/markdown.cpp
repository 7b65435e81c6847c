#include "markdown.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "partsim/report/text.hpp"

namespace partsim {

std::string markdown(std::string_view text) {
  constexpr std::string_view kActs = "\\`*_{}[]()<>#+!|~@&$^\"'";
  std::string out;
  for (const char c : visible_text(text)) {
    if (kActs.find(c) != std::string_view::npos) {
      out += fmt::format("&#{};", static_cast<int>(c));  // an entity acts nowhere
    } else {
      out += c;
    }
  }
  return out;
}

std::string markdown_code(std::string_view text) {
  const std::string visible = visible_text(text);
  std::size_t longest = 0;
  std::size_t run = 0;
  std::string out;
  for (const char c : visible) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
    out += c == '|' ? "\\|" : std::string(1, c);
  }
  const std::string fence(longest + 1, '`');
  const std::string space = longest > 0 ? " " : "";
  return fence + space + out + space + fence;
}

}  // namespace partsim
