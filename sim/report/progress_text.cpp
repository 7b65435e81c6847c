#include "partsim/report/progress_text.hpp"

#include <cmath>

#include <fmt/format.h>

#include "partsim/report/text.hpp"

#include "numbers.hpp"

namespace partsim {
namespace {

constexpr double kSettled = 0.5;  // seconds before a rate says anything
constexpr double kLongest = 1e9;  // seconds; a longer wait is not worth a number
constexpr std::size_t kNameWidth = 24;

std::string in_whole_clock(double seconds) {
  return in_clock(static_cast<std::int64_t>(std::ceil(seconds)) * kSecond);
}

}  // namespace

std::string progress_text(const std::string& name, const StudyProgress& progress, double elapsed_s,
                          const TextStyle& style) {
  std::string text =
      fmt::format("{}  {:.0f} %  {} of {} simulated",
                  shorten(visible_text(name, style.unicode), kNameWidth, style.unicode),
                  std::floor(progress.share * 100.0), in_clock(progress.simulated_ns),
                  in_clock(progress.total_ns));
  if (elapsed_s >= kSettled) {
    const double rate = static_cast<double>(progress.attempts) / elapsed_s;
    text += fmt::format("  {} requests/s", in_short(static_cast<std::uint64_t>(rate)));
    const double left_s =
        progress.share > 0 ? elapsed_s * (1.0 - progress.share) / progress.share : kLongest;
    if (left_s < kLongest) {
      text += fmt::format("  {} left", in_whole_clock(left_s));
    }
  }
  return shorten(text, style.width, style.unicode);
}

}  // namespace partsim
