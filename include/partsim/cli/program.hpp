/// The whole program but for the wiring: words in, exit code out.
#pragma once

#include <span>

#include "partsim/cli/console.hpp"

namespace partsim {

/// The one place where exceptions become exit codes. Standard output is flushed and checked.
[[nodiscard]] int run_program(std::span<const char* const> words, Console& console) noexcept;

}  // namespace partsim
