/// Assertions that stay on in every build: a wrong result is worse than no result.
#pragma once

namespace partsim {

/// Prints one line to stderr and aborts; the command line turns the abort into exit code 70.
[[noreturn]] void assertion_failed(const char* condition, const char* why, const char* file,
                                   int line) noexcept;

}  // namespace partsim

#define PARTSIM_ASSERT(condition, why)                                  \
  do {                                                                  \
    if (!(condition)) [[unlikely]] {                                    \
      ::partsim::assertion_failed(#condition, why, __FILE__, __LINE__); \
    }                                                                   \
  } while (false)
