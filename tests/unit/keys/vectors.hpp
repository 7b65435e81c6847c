/// The effective partition keys that the tests of the public SDKs expect.
#pragma once

#include <string>
#include <vector>

#include "partsim/keys/component.hpp"
#include "partsim/keys/epk.hpp"

namespace partsim {

struct EpkVector {
  HashVersion version = HashVersion::v2;
  std::vector<KeyComponent> components;
  std::string json;  // the components as the file writes them
  std::string epk;
};

/// All records of epk_vectors.jsonl; throws if the file is missing or not as expected.
[[nodiscard]] std::vector<EpkVector> read_epk_vectors();

}  // namespace partsim
