#include <string>
#include <utility>
#include <vector>

#include "partsim/cli/commands.hpp"
#include "partsim/cli/exit_code.hpp"
#include "partsim/cli/scenario_files.hpp"

namespace partsim {
namespace {

int explain_file(const Flags& flags, Console& console) {
  if (flags.format == OutputFormat::json) {
    throw UsageError("'partsim explain' prints YAML only");
  }
  std::vector<LoadedFile> files(1);
  LoadedFile& file = files.front();
  file.path = flags.arguments.front();
  file.text = read_scenario_text(file.path);
  const std::string yaml =
      explain_study(file.text, file.path, options_for(flags, file.path), file.result);
  tell_findings(files, console);
  const int code = findings_exit_code(files);
  if (code == exit_ok) {
    console.data(yaml);
  }
  return code;
}

}  // namespace

const Command& explain_command() {
  static const Command kCommand{
      {.name = "explain",
       .arguments = "FILE",
       .summary = "print the resolved scenario, defaults marked",
       .details =
           "Every value a run will use, as YAML, for each variant: what the file says, what\n"
           "--set and the variants changed, and what partsim filled in.\n",
       .examples = "  partsim explain scenario.yaml\n"
                   "  partsim explain scenario.yaml --variant by-date\n",
       .flags = {Flag::seed, Flag::set, Flag::variant, Flag::help},
       .also_accepted = {Flag::format, Flag::jobs, Flag::quiet, Flag::color, Flag::force,
                         Flag::max_events, Flag::output, Flag::charts, Flag::skip_bad_rows},
       .arguments_min = 1,
       .arguments_max = 1},
      explain_file};
  return kCommand;
}

}  // namespace partsim
