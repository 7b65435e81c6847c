/// What plots/web is bundled into when partsim is built.
#pragma once

#include <string_view>

namespace partsim {

struct PageAssets {
  std::string_view style;
  std::string_view script;  // empty in a build without node: charts are static then

  [[nodiscard]] bool interactive() const noexcept { return !script.empty(); }
};

[[nodiscard]] PageAssets page_assets() noexcept;

}  // namespace partsim
