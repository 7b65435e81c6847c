#include "partsim/core/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace partsim {

void assertion_failed(const char* condition, const char* why, const char* file, int line) noexcept {
  std::fprintf(stderr, "partsim: internal error: %s (%s) at %s:%d\n", why, condition, file, line);
  std::abort();
}

}  // namespace partsim
