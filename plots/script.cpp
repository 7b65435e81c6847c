#include "script.hpp"

namespace partsim {
namespace {

constexpr std::size_t kFirstMark = 100;  // tags of gnuplot's arrows, clear of all others

}  // namespace

TimeUnit time_unit(double longest_s) {
  return longest_s <= 600        ? TimeUnit{1, "s"}
         : longest_s <= 4 * 3600 ? TimeUnit{60, "min"}
                                 : TimeUnit{3600, "h"};
}

void begin_chart(Script& script, ChartFormat format, std::string_view name, double height) {
  script.add("reset");
  if (format == ChartFormat::svg) {
    script.add(
        "set terminal svg size {:.0f},{:.0f} noenhanced font 'Arial,14' background '#FFFFFF' "
        "standalone",
        kChartWidth, height);
    script.add("set output '{}.svg'", name);
  } else {
    script.add(
        "set terminal pngcairo size {:.0f},{:.0f} noenhanced font 'Sans,10.5' background '#FFFFFF'",
        kChartWidth, height);
    script.add("set output '{}.png'", name);
  }
  script.add("set border 3 linecolor '{}' linewidth 1", kSoftColor);
  script.add("set tics nomirror textcolor '{}'", kSoftColor);
  script.add("set style line 9 linecolor '#E5E7EB' linewidth 1");
  for (std::size_t i = 0; i < kColors.size(); ++i) {
    script.add("set linetype {} linecolor rgb '{}' linewidth 2.5", i + 1, kColors[i]);
  }
  script.add("unset key");
}

void add_header(Script& script, const Page& page, std::string_view explanation) {
  script.add("set label 1 T[1] at screen {:.4f},{:.4f} left noenhanced font ',{}'", page.x(24),
             page.y(27), 16);
  script.add("set label 2 '{}' at screen {:.4f},{:.4f} left noenhanced textcolor '{}'", explanation,
             page.x(24), page.y(52), kSoftColor);
}

void add_margins(Script& script, const Page& page, const Rectangle& place) {
  script.add("set lmargin at screen {:.4f}; set rmargin at screen {:.4f}", page.x(place.left),
             page.x(place.left + place.width));
  script.add("set tmargin at screen {:.4f}; set bmargin at screen {:.4f}", page.y(place.top),
             page.y(place.top + place.height));
}

void add_marks(Script& script, const std::vector<double>& seconds, double unit) {
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    script.add(
        "set arrow {} from first {:g}, graph 0 to first {:g}, graph 1.03 nohead front linecolor "
        "rgb '#111827' linewidth 1 dashtype 2",
        kFirstMark + i, seconds[i] / unit, seconds[i] / unit);
  }
}

void remove_marks(Script& script, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    script.add("unset arrow {}", kFirstMark + i);
  }
}

}  // namespace partsim
