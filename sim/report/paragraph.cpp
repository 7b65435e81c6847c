#include "paragraph.hpp"

#include <algorithm>
#include <vector>

#include "partsim/report/text.hpp"

namespace partsim {

std::string paragraph(const Paragraph& paragraph, const TextStyle& style) {
  // a narrow page keeps half of its width for the text
  const std::size_t indent = std::min<std::size_t>(paragraph.indent, style.width / 2);
  const std::string label = shorten(paragraph.label, indent == 0 ? 0 : indent - 1, style.unicode);
  const std::vector<std::string> lines = wrap(paragraph.text, style.width - indent);
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string lead = i == 0 ? label : std::string();
    out += paint(lead, paragraph.tone, style) + std::string(indent - display_width(lead), ' ') +
           lines[i] + "\n";
  }
  return out;
}

}  // namespace partsim
