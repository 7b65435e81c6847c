/// One line on a terminal that is written over and over, and wiped at the end.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "partsim/cli/console.hpp"
#include "partsim/report/report.hpp"

namespace partsim {

class ProgressLine {
 public:
  /// Shows nothing unless standard error is a terminal.
  ProgressLine(Console& console, std::string name, bool quiet);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();

  /// At most ten times a second.
  void show(const StudyProgress& progress);
  void show(std::string_view text);

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] bool is_due();

  Console& console_;
  std::string name_;
  bool visible_;
  bool shown_ = false;
  TextStyle style_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point last_;
};

}  // namespace partsim
