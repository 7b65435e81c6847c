#include <algorithm>

#include "partsim/report/next_step.hpp"
#include "partsim/report/text.hpp"

#include "table.hpp"

namespace partsim {

std::vector<std::string> command_words(std::string_view name, const ScenarioWords& scenario) {
  std::vector<std::string> words{"partsim " + std::string(name) + " " + shell_word(scenario.file)};
  words.insert(words.end(), scenario.flags.begin(), scenario.flags.end());
  return words;
}

void add_variant(std::vector<std::string>& command, const std::string& variant) {
  const bool chosen = std::any_of(command.begin(), command.end(), [](const std::string& word) {
    return word.starts_with("--variant ");
  });
  if (!chosen) {
    command.push_back("--variant " + shell_word(variant));
  }
}

std::string one_line(const NextStep& step) {
  std::string line;
  for (const std::string& word : step.command) {
    line += (line.empty() ? "" : " ") + word;
  }
  return line;
}

std::string next_step_text(const NextStep& step, const TextStyle& style) {
  constexpr std::size_t kIndent = 2;
  const std::size_t width = style.width - kIndent - 2;  // and " \\"
  std::string text =
      paint("Next", Tone::strong, style) + ": " +
      shorten(visible_text(step.why, style.unicode), style.width - 6, style.unicode) + "\n";
  std::string line;
  for (const std::string& raw : step.command) {
    const std::string word = visible_text(raw, style.unicode);
    if (!line.empty() && display_width(line) + 1 + display_width(word) > width) {
      text += "  " + shorten(line, width, style.unicode) + " \\\n";
      line = "  ";
    }
    line += line.empty() || line.back() == ' ' ? word : " " + word;
  }
  return line.empty() ? text : text + "  " + shorten(line, width + 2, style.unicode) + "\n";
}

}  // namespace partsim
