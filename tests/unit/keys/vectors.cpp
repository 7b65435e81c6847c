#include "vectors.hpp"

#include <fstream>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "support/source_dir.hpp"

namespace partsim {

namespace {

KeyComponent component_of(const nlohmann::json& value) {
  if (value.is_null()) {
    return Null{};
  }
  if (value.is_boolean()) {
    return value.get<bool>();
  }
  if (value.is_number()) {
    return value.get<double>();
  }
  if (value.is_string()) {
    return value.get<std::string>();
  }
  return Undefined{};
}

HashVersion version_of(const std::string& name) {
  if (name == "V1") {
    return HashVersion::v1;
  }
  if (name == "V2") {
    return HashVersion::v2;
  }
  if (name == "MultiHash") {
    return HashVersion::multihash;
  }
  throw std::runtime_error("unknown version " + name);
}

/// The text between `"components": ` and `, "epk"`: numbers must not pass through a JSON library.
std::string components_text(const std::string& line) {
  const std::string before = "\"components\": ";
  const std::size_t from = line.find(before) + before.size();
  return line.substr(from, line.find(", \"epk\"") - from);
}

}  // namespace

std::vector<EpkVector> read_epk_vectors() {
  std::ifstream file(in_repository("tests/unit/keys/epk_vectors.jsonl"));
  if (!file) {
    throw std::runtime_error("epk_vectors.jsonl is missing");
  }
  std::vector<EpkVector> vectors;
  for (std::string line; std::getline(file, line);) {
    const nlohmann::json record = nlohmann::json::parse(line);
    EpkVector vector;
    vector.version = version_of(record.at("version").get<std::string>());
    for (const nlohmann::json& value : record.at("components")) {
      vector.components.push_back(component_of(value));
    }
    vector.json = components_text(line);
    vector.epk = record.at("epk").get<std::string>();
    vectors.push_back(vector);
  }
  return vectors;
}

}  // namespace partsim
