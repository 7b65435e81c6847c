#include "support/source_dir.hpp"

namespace partsim {

// The only file that knows where the sources are: all others compile alike in every clone, which is
// what lets ccache answer for them.
std::string in_repository(const std::string& path) {
  return PARTSIM_SOURCE_DIR "/" + path;
}

}  // namespace partsim
