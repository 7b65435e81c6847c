/// The commands: each one a function from its words to an exit code, each in its own file.
#pragma once

#include <span>
#include <string>

#include "partsim/cli/command_line.hpp"
#include "partsim/cli/console.hpp"

namespace partsim {

struct Command {
  CommandSyntax syntax;
  int (*run)(const Flags& flags, Console& console);
};

[[nodiscard]] const Command& run_command();
[[nodiscard]] const Command& validate_command();
[[nodiscard]] const Command& check_command();
[[nodiscard]] const Command& compare_command();
[[nodiscard]] const Command& explain_command();
[[nodiscard]] const Command& schema_command();
[[nodiscard]] const Command& advise_command();
[[nodiscard]] const Command& route_command();
[[nodiscard]] const Command& list_command();
[[nodiscard]] const Command& init_command();
[[nodiscard]] const Command& sweep_command();
[[nodiscard]] const Command& merge_command();
[[nodiscard]] const Command& plan_command();

}  // namespace partsim
