/// Wrapped text under a hanging indent.
#pragma once

#include <cstddef>
#include <string>

#include "table.hpp"

namespace partsim {

struct Paragraph {
  std::string label;        // visible; stands in the indent of the first line
  Tone tone = Tone::plain;  // of the label
  std::string text;         // visible
  std::size_t indent = 0;
};

/// Lines of at most the style's width, each ending in \n.
[[nodiscard]] std::string paragraph(const Paragraph& paragraph, const TextStyle& style);

}  // namespace partsim
