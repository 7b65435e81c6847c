/// The pieces that all charts' scripts are made of.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace partsim {

inline constexpr double kChartWidth = 1000;  // pixels, all charts
inline constexpr double kChartLeft = 76;
inline constexpr double kChartHeader = 74;  // title and one line of explanation

// Okabe and Ito's palette, which most kinds of colour blindness can tell apart; black and yellow
// last.
inline constexpr std::array<std::string_view, 8> kColors{
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#444444", "#B8A800"};
inline constexpr std::string_view kThrottledColor = "#E69F00";
inline constexpr std::string_view kSoftColor =
    "#6B7280";  // axes and explanations step back behind the data

enum class ChartFormat : std::uint8_t { svg, png };

/// Places on the page in pixels from the top left, as gnuplot's fractions from the bottom left.
struct Page {
  double height;
  [[nodiscard]] double x(double px) const { return px / kChartWidth; }
  [[nodiscard]] double y(double px) const { return 1.0 - px / height; }
};

struct Rectangle {  // pixels from the top left
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;
};

class Script {
 public:
  template <class... Args>
  void add(fmt::format_string<Args...> line, Args&&... args) {
    text_ += fmt::format(line, std::forward<Args>(args)...);
    text_ += '\n';
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

struct TimeUnit {
  double seconds;
  std::string_view name;
};

[[nodiscard]] TimeUnit time_unit(double longest_s);
void begin_chart(Script& script, ChartFormat format, std::string_view name, double height);
void add_header(Script& script, const Page& page, std::string_view explanation);
void add_margins(Script& script, const Page& page, const Rectangle& place);
/// Thin vertical lines through the next plot; `remove_marks` takes them away again.
void add_marks(Script& script, const std::vector<double>& seconds, double unit);
void remove_marks(Script& script, std::size_t count);

}  // namespace partsim
