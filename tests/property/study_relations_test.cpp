// Relations between studies: a variant is the same alone and among others (M15), a file the same
// however it is written (M18).
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <yaml-cpp/yaml.h>

#include "partsim/loader/loader.hpp"
#include "partsim/report/report.hpp"
#include "partsim/scenario/check.hpp"
#include "partsim/study/study.hpp"

#include "support/catch.hpp"
#include "support/random_scenario.hpp"
#include "support/random_workload_scenario.hpp"
#include "support/source_dir.hpp"

using namespace partsim;

namespace {

StudyResult run_with(std::vector<Variant> variants, unsigned jobs) {
  StudyFile study;
  study.name = "study";
  study.variants = std::move(variants);
  StudyOptions options;
  options.jobs = jobs;
  return run_study(study, options);
}

/// All that the program writes of one variant.
std::string bytes_of(const StudyResult& study, const std::string& variant) {
  StudyResult one;
  for (const VariantResult& each : study.runs) {
    if (each.variant == variant) {
      one.runs.push_back(each);
    }
  }
  REQUIRE(one.runs.size() == 1);
  return results_json(one) + partitions_csv(one) + timeseries_csv(one) + latency_csv(one);
}

/// Plain words and quoted texts as they must stand in JSON: what is no number is text.
std::string json_scalar(const YAML::Node& node) {
  const std::string text = node.Scalar();
  double number = 0;
  const bool is_plain = node.Tag() == "?";
  if (is_plain &&
      (text == "true" || text == "false" || YAML::convert<double>::decode(node, number))) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  }
  return quoted + '"';
}

/// Writes a scenario again, in another way.
class Rewriter {
 public:
  explicit Rewriter(std::uint64_t seed) : dice_(seed) {}

  /// The keys of a map in another order, but where the order says something.
  std::vector<std::string> keys_of(const YAML::Node& map, bool ordered) {
    std::vector<std::string> keys;
    for (const auto& entry : map) {
      keys.push_back(entry.first.Scalar());
    }
    for (std::size_t i = keys.size(); !ordered && i > 1; --i) {
      const auto other = dice_.between(0, static_cast<std::int64_t>(i) - 1);
      std::swap(keys[i - 1], keys[static_cast<std::size_t>(other)]);
    }
    return keys;
  }

  std::string json(const YAML::Node& node, bool ordered = false) {
    if (node.IsNull()) {
      return "null";
    }
    if (node.IsScalar()) {
      return json_scalar(node);
    }
    std::string text;
    if (node.IsSequence()) {
      for (const YAML::Node& item : node) {
        text += (text.empty() ? "" : ", ") + json(item);
      }
      return "[" + text + "]";
    }
    for (const std::string& key : keys_of(node, ordered)) {
      const YAML::Node value = node[key];
      text += (text.empty() ? "" : ",\n") + ('"' + key + "\": ") + json(value, key == "variants");
    }
    return "{" + text + "}";
  }

  /// Block style with comments and CRLF; whatever stands deeper is JSON.
  std::string block(const YAML::Node& map, const std::string& indent = "", bool ordered = false) {
    std::string text;
    for (const std::string& key : keys_of(map, ordered)) {
      const YAML::Node value = map[key];
      if (dice_.one_in(3)) {
        text += indent + "# a remark: \"{not: yaml\"\r\n";
      }
      text += indent + key + ":";
      if (value.IsMap() && value.size() > 0 && dice_.one_in(2)) {
        text += "   # on the next lines\r\n" + block(value, indent + "   ", key == "variants");
      } else {
        std::string line = json(value, key == "variants");
        std::replace(line.begin(), line.end(), '\n', ' ');
        text += "  " + line + (dice_.one_in(3) ? "  # as it was" : "") + "\r\n";
      }
    }
    return text;
  }

 private:
  Dice dice_;
};

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

StudyFile load(const std::string& text, const LoadOptions& options) {
  const LoadResult result = load_study(text, "scenario.yaml", options);
  for (const Diagnostic& diagnostic : result.diagnostics) {
    FAIL(format_diagnostic(diagnostic, text));
  }
  return result.study.value();
}

/// All that a file says, line by line.
std::string resolved(const StudyFile& study) {
  std::string text = study.name + '\n' + study.title + '\n' + study.group + '\n' + study.lesson;
  for (const Variant& variant : study.variants) {
    text += "\nvariant " + variant.name + '\n' + describe(variant.scenario) +
            describe_workload(variant.scenario);
  }
  for (const Expectation& expectation : study.expectations) {
    text += '\n' + expectation.rule;
  }
  return text;
}

}  // namespace

TEST_CASE("A variant has the same bytes alone, among others, in another order, on more threads",
          "[property]") {  // M15
  for (std::uint64_t seed = 60'001; seed <= 60'020; ++seed) {
    INFO("seed " << seed);
    std::vector<Variant> variants;
    for (std::uint64_t i = 0; i < 4; ++i) {
      variants.push_back({"v" + std::to_string(i), random_scenario(100 * seed + i)});
    }
    std::vector<Variant> reversed(variants.rbegin(), variants.rend());
    const StudyResult together = run_with(variants, 1);
    const StudyResult other_order = run_with(reversed, 1);
    const StudyResult two_threads = run_with(variants, 2);
    const StudyResult many_threads = run_with(reversed, 5);
    for (const Variant& variant : variants) {
      const std::string bytes = bytes_of(run_with({variant}, 1), variant.name);
      CHECK(bytes == bytes_of(together, variant.name));
      CHECK(bytes == bytes_of(other_order, variant.name));
      CHECK(bytes == bytes_of(two_threads, variant.name));
      CHECK(bytes == bytes_of(many_threads, variant.name));
    }
  }
}

TEST_CASE("A scenario with its keys in another order, comments, CRLF or as JSON is the same",
          "[property]") {  // M18
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(in_repository("scenarios"))) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  files.erase(std::remove_if(files.begin(), files.end(),
                             [](const auto& path) { return path.extension() != ".yaml"; }),
              files.end());
  REQUIRE(files.size() >= 20);
  std::size_t runs = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    INFO(files[i]);
    LoadOptions options;
    options.read_file = files_beside(files[i].string());
    const std::string text = read_text(files[i]);
    const StudyFile original = load(text, options);
    for (std::uint64_t round = 0; round < 2; ++round) {
      Rewriter rewriter(1'000 * i + round);
      const YAML::Node tree = YAML::Load(text);
      const std::string written = round == 0 ? rewriter.json(tree) : rewriter.block(tree);
      INFO(written);
      const StudyFile again = load(written, options);
      CHECK(resolved(again) == resolved(original));
      for (std::size_t v = 0; v < original.variants.size(); ++v) {
        const Scenario& scenario = original.variants[v].scenario;
        if (estimated_requests(scenario) < 30'000 &&
            std::none_of(scenario.clients.begin(), scenario.clients.end(), [](const auto& client) {
              return std::holds_alternative<TraceReplay>(client.arrivals);
            })) {
          CHECK(run(scenario).digest == run(again.variants[v].scenario).digest);
          ++runs;
        }
      }
    }
  }
  CHECK(runs >= 20);
}
