#include "partsim/cli/progress_line.hpp"

#include <utility>

#include "partsim/report/progress_text.hpp"
#include "partsim/report/text.hpp"

namespace partsim {
namespace {

constexpr std::string_view kWipe = "\r\033[K";

}  // namespace

ProgressLine::ProgressLine(Console& console, std::string name, bool quiet)
    : console_(console), name_(std::move(name)), visible_(console.talk_is_terminal() && !quiet) {
  // the cursor stays on the line, or \r would go back to the wrong one
  style_.width = console.width() - 1;
  style_.unicode = console.unicode();
}

ProgressLine::~ProgressLine() {
  if (shown_) {
    console_.talk(kWipe);
  }
}

bool ProgressLine::is_due() {
  const auto now = Clock::now();
  if (!visible_ || (shown_ && now - last_ < std::chrono::milliseconds(100))) {
    return false;
  }
  last_ = now;
  shown_ = true;
  return true;
}

void ProgressLine::show(const StudyProgress& progress) {
  if (is_due()) {
    const double elapsed_s = std::chrono::duration<double>(last_ - begin_).count();
    console_.talk(std::string(kWipe) + progress_text(name_, progress, elapsed_s, style_));
  }
}

void ProgressLine::show(std::string_view text) {
  if (is_due()) {
    const std::string line = name_ + "  " + std::string(text);
    console_.talk(std::string(kWipe) + shorten(line, style_.width, style_.unicode));
  }
}

}  // namespace partsim
