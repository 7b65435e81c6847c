#include "partsim/cli/sweep_output.hpp"

#include <fmt/format.h>

#include "partsim/report/sweep_report.hpp"

namespace partsim {

TextStyle text_style(const Flags& flags, const Console& console) {
  TextStyle style;
  style.width = console.width();
  style.color =
      flags.color == ColorMode::always || (flags.color == ColorMode::automatic && console.color());
  style.unicode = console.unicode();
  return style;
}

void put_out_sweep(const SweepResult& result, const std::string& file, const OutputTarget& target,
                   const Flags& flags, Console& console) {
  OutputFolder folder(target);
  const std::string json = sweep_json(result);
  folder.write("sweep.json", json);
  folder.write("sweep.csv", sweep_csv(result));
  folder.write("runs.csv", sweep_runs_csv(result));
  folder.commit();
  if (!flags.quiet) {
    console.talk(fmt::format("wrote {}/ (sweep.json, 2 csv)\n", folder.target().string()));
  }
  console.data(flags.format == OutputFormat::json
                   ? json
                   : sweep_summary(result, file, text_style(flags, console)));
  console.flush();
}

}  // namespace partsim
