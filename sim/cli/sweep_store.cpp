#include "partsim/cli/sweep_store.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "partsim/core/rng.hpp"

namespace partsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;

Json texts(const std::vector<std::string>& values) {
  Json array = Json::array();
  for (const std::string& value : values) {
    array.push_back(value);
  }
  return array;
}

std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

/// The words of a line, one after the other; `failed` once something was not there.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}

  std::uint64_t number(int base) {
    std::uint64_t value = 0;
    const std::string_view word = rest_.substr(0, rest_.find(' '));
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
    failed_ = failed_ || word.empty() || error != std::errc{} || end != word.data() + word.size();
    rest_.remove_prefix(std::min(rest_.size(), word.size() + 1));
    return value;
  }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

std::string with_check(std::string line) {
  return fmt::format("{} {:016x}\n", line, name_hash(line));
}

/// The line without its check sum; nothing if that is wrong.
std::optional<std::string_view> checked(std::string_view line) {
  const std::size_t space = line.rfind(' ');
  if (space == std::string_view::npos) {
    return std::nullopt;
  }
  Words check(line.substr(space + 1));
  const std::uint64_t sum = check.number(16);
  const std::string_view text = line.substr(0, space);
  return check.failed() || sum != name_hash(text) ? std::nullopt : std::optional(text);
}

std::optional<StoredRun> parse_run(std::string_view line, const SweepDesign& design) {
  Words words(line);
  StoredRun run;
  run.place.point = words.number(10);
  run.place.variant = words.number(10);
  run.place.replication = static_cast<std::uint32_t>(words.number(10));
  run.key = words.number(16);
  run.replication.seed = words.number(10);
  run.replication.digest = words.number(16);
  while (!words.failed() && !words.at_end()) {
    run.replication.values.push_back(std::bit_cast<double>(words.number(16)));
  }
  const bool fits = run.replication.values.size() == design.metrics.size() &&
                    run.place.variant < design.variants.size() &&
                    run.place.point < point_count(design);
  return words.failed() || !fits ? std::nullopt : std::optional(std::move(run));
}

SweepDesign design_from(const Json& json) {
  SweepDesign design;
  design.name = json.at("name");
  design.title = json.at("title");
  design.seed = json.at("seed");
  for (const Json& axis : json.at("axes")) {
    design.axes.push_back({axis.at("path"), axis.at("values")});
  }
  design.variants = json.at("variants").get<std::vector<std::string>>();
  design.metrics = json.at("metrics").get<std::vector<std::string>>();
  design.target = json.at("target");
  design.seeds = json.at("seeds");
  design.precision = std::bit_cast<double>(json.at("precision_bits").get<std::uint64_t>());
  return design;
}

std::optional<SweepIdentity> parse_identity(std::string_view line) {
  try {
    const Json json = Json::parse(line);
    SweepIdentity identity;
    if (json.at("partsim_sweep") != kFormat) {
      return std::nullopt;
    }
    identity.version = json.at("version");
    identity.model = json.at("model");
    identity.scenario = json.at("scenario");
    identity.design = design_from(json);
    identity.shard = {json.at("shard").at(0), json.at("shard").at(1)};
    const bool is_whole = identity.design.target < identity.design.metrics.size() &&
                          !identity.design.variants.empty() && identity.design.seeds > 0 &&
                          identity.shard.number >= 1 &&
                          identity.shard.number <= identity.shard.count;
    return is_whole ? std::optional(identity) : std::nullopt;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::string end_line(std::size_t runs) {
  return with_check(fmt::format("end {}", runs));
}

}  // namespace

std::string identity_line(const SweepIdentity& identity) {
  const SweepDesign& design = identity.design;
  Json json;
  json["partsim_sweep"] = kFormat;
  json["version"] = identity.version;
  json["model"] = identity.model;
  json["scenario"] = identity.scenario;
  json["name"] = design.name;
  json["title"] = design.title;
  json["seed"] = design.seed;
  json["axes"] = Json::array();
  for (const SweepAxis& axis : design.axes) {
    json["axes"].push_back({{"path", axis.path}, {"values", texts(axis.values)}});
  }
  json["variants"] = texts(design.variants);
  json["metrics"] = texts(design.metrics);
  json["target"] = design.target;
  json["seeds"] = design.seeds;
  json["precision_bits"] = bits(design.precision);
  json["shard"] = Json::array({identity.shard.number, identity.shard.count});
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string run_line(const StoredRun& run) {
  std::string line =
      fmt::format("{} {} {} {:016x} {} {:016x}", run.place.point, run.place.variant,
                  run.place.replication, run.key, run.replication.seed, run.replication.digest);
  for (const double value : run.replication.values) {
    line += fmt::format(" {:016x}", bits(value));
  }
  return with_check(std::move(line));
}

std::string shard_text(const SweepIdentity& identity, const std::vector<StoredRun>& runs) {
  std::string text = identity_line(identity);
  for (const StoredRun& run : runs) {
    text += run_line(run);
  }
  return text + end_line(runs.size());
}

std::optional<StoredRuns> parse_runs(std::string_view text) {
  StoredRuns stored;
  std::size_t end = text.find('\n');
  if (end == std::string_view::npos) {
    return std::nullopt;
  }
  std::optional<SweepIdentity> identity = parse_identity(text.substr(0, end));
  if (!identity) {
    return std::nullopt;
  }
  stored.identity = std::move(*identity);
  stored.bytes = end + 1;
  while ((end = text.find('\n', stored.bytes)) != std::string_view::npos) {
    const std::string_view line = text.substr(stored.bytes, end - stored.bytes);
    if (line == std::string_view(end_line(stored.runs.size())).substr(0, line.size()) &&
        line.starts_with("end")) {
      stored.finished = end + 1 == text.size();
      break;
    }
    const auto words = checked(line);
    auto run = words ? parse_run(*words, stored.identity.design) : std::nullopt;
    if (!run) {
      break;
    }
    stored.runs.push_back(std::move(*run));
    stored.bytes = end + 1;
  }
  return stored;
}

std::string first_difference(const SweepIdentity& stored, const SweepIdentity& wanted,
                             bool may_extend) {
  const SweepDesign& a = stored.design;
  const SweepDesign& b = wanted.design;
  const auto told = [](std::string_view what, const auto& was, const auto& is) {
    return fmt::format("{} was {}, now it is {}", what, was, is);
  };
  if (stored.model != wanted.model) {
    return told("the model", stored.model, wanted.model);
  }
  if (stored.version != wanted.version) {
    return told("the version of partsim", stored.version, wanted.version);
  }
  if (a.name != b.name) {
    return told("the name of the scenario", in_quotes(a.name), in_quotes(b.name));
  }
  if (a.axes != b.axes) {
    return "--vary names other paths or values";
  }
  if (a.variants != b.variants) {
    return "the variants are others";
  }
  if (a.metrics != b.metrics || a.target != b.target) {
    return "--metric names other metrics";
  }
  if (a.seed != b.seed) {
    return told("the seed", a.seed, b.seed);
  }
  if (stored.scenario != wanted.scenario) {
    return told("the digest of the scenario", stored.scenario, wanted.scenario);
  }
  if (!may_extend && (a.seeds != b.seeds || a.precision != b.precision)) {
    return "--seeds or --precision differ";
  }
  return a.title != b.title ? "the title of the scenario differs" : "";
}

}  // namespace partsim
