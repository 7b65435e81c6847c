#include "partsim/cli/commands.hpp"
#include "partsim/cli/exit_code.hpp"
#include "partsim/loader/loader.hpp"

namespace partsim {
namespace {

int print_schema(const Flags& /*flags*/, Console& console) {
  console.data(scenario_schema());
  return exit_ok;
}

}  // namespace

const Command& schema_command() {
  static const Command kCommand{
      {.name = "schema",
       .arguments = "",
       .summary = "print the JSON Schema of scenario files",
       .details = "With it an editor completes and checks scenarios while they are written.\n",
       .examples = "  partsim schema > scenario.schema.json\n",
       .flags = {Flag::help},
       .arguments_max = 0},
      print_schema};
  return kCommand;
}

}  // namespace partsim
