// The JSON Schema and the reference, held against the table of the language.
#include <fstream>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "partsim/metrics/metric_table.hpp"

#include "language.hpp"
#include "scenario_text.hpp"
#include "support/catch.hpp"
#include "support/source_dir.hpp"

namespace partsim::testing {
namespace {

using nlohmann::json;

/// Every section of the language, once.
std::set<const Section*> all_sections() {
  std::set<const Section*> sections;
  std::vector<const Section*> waiting = {&scenario_language()};
  while (!waiting.empty()) {
    const Section* section = waiting.back();
    waiting.pop_back();
    if (section == nullptr || !sections.insert(section).second) {
      continue;
    }
    for (const Key& key : section->keys) {
      waiting.push_back(key.value.section);
      waiting.push_back(key.value.items == nullptr ? nullptr : key.value.items->section);
    }
  }
  return sections;
}

TEST_CASE("The schema is draft-07 and refuses unknown keys", "[loader]") {
  const json schema = json::parse(scenario_schema());
  CHECK(schema.at("$schema") == "http://json-schema.org/draft-07/schema#");
  CHECK(schema.at("additionalProperties") == false);
  CHECK(schema.at("required") == json({"partsim", "name", "duration", "clients"}));
  for (const auto& [name, definition] : schema.at("definitions").items()) {
    INFO(name);
    CHECK(definition.at("additionalProperties") == false);
  }
}

TEST_CASE("Every key of the language is a described property of the schema", "[loader]") {
  const json schema = json::parse(scenario_schema());
  const std::set<const Section*> sections = all_sections();
  CHECK(sections.size() == 23);
  for (const Section* section : sections) {
    const std::string name(section->schema_name.empty() ? section->name : section->schema_name);
    INFO(name);
    const bool is_root = section == &scenario_language();
    const json& object = is_root ? schema : schema.at("definitions").at(name);
    CHECK(object.at("properties").size() == section->keys.size());
    for (const Key& key : section->keys) {
      INFO(key.name);
      const json& property = object.at("properties").at(std::string(key.name));
      CHECK(
          property.at("description").get<std::string>().starts_with(std::string(key.description)));
      CHECK_FALSE(key.description.empty());
    }
  }
}

TEST_CASE("The schema tells the defaults of every provider", "[loader]") {
  const json schema = json::parse(scenario_schema());
  const json& parameters = schema.at("definitions").at("parameters").at("properties");
  const auto description = [&parameters](const std::string& name) {
    return parameters.at(name).at("description").get<std::string>();
  };
  CHECK_THAT(description("ru_step_autoscale"), has_text("(default 1000)"));
  CHECK_THAT(description("min_ru_manual"), has_text("(default 400, dynamodb 1)"));
  CHECK_THAT(description("partition_max_storage_gb"),
             has_text("(default 50, cassandra 30, cosmos_2017 10, dynamodb 10)"));
}

TEST_CASE("Every reference of the schema leads somewhere", "[loader]") {
  const std::string text = scenario_schema();
  const json schema = json::parse(text);
  static const std::string kReference = "\"#/definitions/";
  std::size_t found = 0;
  for (std::size_t at = text.find(kReference); at != std::string::npos;
       at = text.find(kReference, at + 1)) {
    const std::size_t begin = at + kReference.size();
    CHECK(schema.at("definitions").contains(text.substr(begin, text.find('"', begin) - begin)));
    ++found;
  }
  CHECK(found > 10);
}

TEST_CASE("The lists of names are those of the language", "[loader]") {
  std::set<std::string> titles;
  for (const ChoiceGroup& group : scenario_choices()) {
    titles.insert(group.title);
    CHECK_FALSE(group.choices.empty());
    for (const NamedChoice& choice : group.choices) {
      CHECK_FALSE(choice.name.empty());
      CHECK_FALSE(choice.description.empty());
    }
  }
  CHECK(titles == std::set<std::string>{"groups", "providers", "apis", "throttle models",
                                        "operations", "fields", "spacings", "daily curves",
                                        "retry policies", "back-off jitters", "consistency levels",
                                        "hash versions", "priorities", "throughput distributions",
                                        "split orders", "split cuts", "parameters"});
}

std::string reference_text() {
  std::ifstream file(in_repository("docs/SCENARIO.md"));
  REQUIRE(file.good());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST_CASE("The reference names every key, word and metric, with its default", "[loader]") {
  const std::string text = reference_text();
  for (const Section* section : all_sections()) {
    for (const Key& key : section->keys) {
      CHECK_THAT(text, has_text("`" + std::string(key.name) + "`"));
      for (const Word& word : key.value.words) {
        CHECK_THAT(text, has_text("`" + std::string(word.name) + "`"));
      }
      INFO(key.name);
      for (const Provider provider :
           {Provider::cosmos, Provider::cosmos_2017, Provider::dynamodb}) {
        const std::string fallback(fallback_of(*section, key, {provider, Api::nosql}));
        const bool is_unlimited = fallback.find("4611686018") == 0;
        if (!fallback.empty() && fallback != "{}" && !is_unlimited) {
          CHECK_THAT(text, has_text("`" + fallback + "`"));
        }
      }
    }
  }
  for (const Metric& metric : metric_table()) {
    if (metric.path.find('*') == std::string::npos) {
      CHECK_THAT(text, has_text("`" + metric.path + "`"));
    }
  }
}

TEST_CASE("The reference is wrapped at 120 columns", "[loader]") {
  std::istringstream lines(reference_text());
  for (std::string line; std::getline(lines, line);) {
    CHECK(line.size() <= 120);
  }
}

TEST_CASE("Every whole scenario of the reference loads", "[loader]") {
  const std::string text = reference_text();
  static const std::string kFence = "```yaml\npartsim: 1\n";
  std::size_t found = 0;
  for (std::size_t at = text.find(kFence); at != std::string::npos;
       at = text.find(kFence, at + 1)) {
    const std::size_t begin = at + 8;
    check_accepted("the reference", text.substr(begin, text.find("```", begin) - begin));
    ++found;
  }
  CHECK(found >= 1);
}

}  // namespace
}  // namespace partsim::testing
