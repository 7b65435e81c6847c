#include <cstddef>
#include <span>

#include "partsim/cli/console.hpp"
#include "partsim/cli/program.hpp"
#include "partsim/cli/signals.hpp"

int main(int argc, char** argv) {
  partsim::open_standard_descriptors();
  partsim::install_signal_handlers();
  partsim::Console console;
  return partsim::run_program(std::span<const char* const>(argv, static_cast<std::size_t>(argc)),
                              console);
}
