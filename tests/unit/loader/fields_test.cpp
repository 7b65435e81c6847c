// How items get their values and their sizes.
#include "partsim/core/distribution.hpp"

#include "scenario_text.hpp"
#include "support/catch.hpp"

namespace partsim::testing {
namespace {

const Slot kField{"      k: {choose: 10}", "      k: {$}"};
const Slot kMore{"      k: {choose: 10}", "      k: {choose: 10}\n      t: {$}"};
const Slot kSize{"  items:", "  items:\n    size: $"};

template <class Kind>
Kind field_of(const std::string& keys) {
  check_round_trip(filled(kField, keys));
  const Scenario scenario = check_scenario(keys, filled(kField, keys));
  const auto* kind = std::get_if<Kind>(&scenario.containers.front().fields.front().kind);
  REQUIRE(kind != nullptr);
  return *kind;
}

TEST_CASE("A key written as a path, /field, is refused with the template that is meant",
          "[loader]") {
  const Slot key{"  partition_key: \"{k}\"", "  partition_key: $"};
  const std::vector<std::string> told{"text without a field, so all items would have one key"};
  const auto refused = [&](const std::string& value, const std::string& place,
                           const std::string& text, const std::string& meant) {
    std::vector<std::string> words = told;
    words.push_back("'" + text + "'");
    words.push_back("write \"{" + meant + "}\"");
    check_refused({value, filled(key, value), place, words});
  };
  refused("/k", "6:18", "/k", "k");
  refused("\"/customerId\"", "6:18", "/customerId", "customerId");
  refused("[\"{k}\", /_x1]", "6:26", "/_x1", "_x1");
  for (const char* text :
       {"all", "hot", "\"2018-08-09\"", "\"/\"", "/a/b", "/1", "\"/{k}\"", "a/k"}) {
    check_accepted(text, filled(key, text));
  }
}

TEST_CASE("Weights say how often each value is picked", "[loader]") {
  const auto choose = field_of<ChooseField>("choose: 3, weights: [5, 0, 1000000000]");
  CHECK(std::get<WeightedChoice>(choose.law).weights ==
        std::vector<std::uint64_t>{5, 0, 1'000'000'000});
  const auto values = field_of<ValuesField>("values: [a, b], weights: [1, 2]");
  CHECK(std::get<WeightedChoice>(values.law).weights == std::vector<std::uint64_t>{1, 2});
}

TEST_CASE("There is one weight for each value, and one above zero", "[loader]") {
  const auto wrong = [](const std::string& keys, const std::string& place,
                        const std::vector<std::string>& words) {
    check_refused({keys, filled(kField, keys), place, words});
  };
  wrong("choose: 3, weights: [1, 2]", "9:31", {"one weight for each of 3 values, got 2"});
  wrong("values: [a], weights: [1, 2]", "9:33", {"one weight for each of 1 values, got 2"});
  wrong("choose: 2, weights: [0, 0]", "9:31", {"one above 0"});
  wrong("choose: 2, weights: [1, 1000000001]", "9:35", {"between 0 and 1000000000"});
  wrong("choose: 2, weights: [1, -1]", "9:35", {"not an integer"});
  wrong("choose: 2, weights: [1, 1], zipf: 1", "9:39", {"'zipf' does not go with 'weights'"});
  wrong("choose: 2, hot: {share: 80%, of: 20%}, weights: [1, 1]", "9:50",
        {"'weights' does not go with 'hot'"});
  wrong("unique: true, weights: [1]", "9:25", {"'weights' does not go with 'unique'"});
}

TEST_CASE("Weights, Zipf's law and a hot set take each other's place in variants", "[loader]") {
  const std::string text = filled(kField, "choose: 2, weights: [1, 9]") +
                           "variants:\n  zipf: {container: {items: {fields: {k: {zipf: 1}}}}}\n"
                           "  hot: {container: {items: {fields: {k: {hot: {share: 80%, of: "
                           "50%}}}}}}\n";
  const StudyFile study = check_accepted("variants", text);
  const auto law = [&study](std::size_t i) {
    const FieldSpec& field = study.variants[i].scenario.containers.front().fields.front();
    return std::get<ChooseField>(field.kind).law;
  };
  CHECK(std::holds_alternative<ZipfChoice>(law(0)));
  CHECK(std::holds_alternative<HotSetChoice>(law(1)));
  check_round_trip(text);
}

TEST_CASE("Values of a field belong to those of another", "[loader]") {
  const std::string text = filled(kMore, "choose: 5, of: k, as: \"t{}\"");
  const Scenario scenario = check_scenario("of", text);
  const auto& child = std::get<ChooseField>(scenario.containers.front().fields[1].kind);
  CHECK(child.of == "k");
  CHECK(child.count == 5);
  CHECK(child.prefix == "t");
  check_round_trip(text);
}

TEST_CASE("Only a field that counts its values can have others below it", "[loader]") {
  const auto wrong = [](const std::string& keys, const std::string& place,
                        const std::vector<std::string>& words) {
    check_refused({keys, filled(kMore, keys), place, words});
  };
  wrong("choose: 5, of: j", "10:26", {"unknown field 'j'", "known fields: k, t"});
  wrong("choose: 5, of: t", "10:26", {"without 'of'"});
  wrong("unique: true, of: k", "10:25", {"'of' does not go with 'unique'"});
  wrong("choose: 5, of: k}\n      u: {choose: 2, of: t", "11:26",
        {"'t' cannot have values of its own"});
  wrong("choose: 5, of: u}\n      u: {unique: true", "10:26", {"with 'choose' or 'values'"});
  // 10^9 * 10^6 numbers can be told apart, not one value more for each
  const auto many = [](const std::string& count) {
    return filled(kMore, "choose: 1000000000}\n      u: {choose: " + count + ", of: t");
  };
  check_accepted("10^15", many("1000000"));
  check_refused({"more", many("1000001"), "11:32", {"too many values"}});
}

TEST_CASE("A sequence counts operations, as a number or as text", "[loader]") {
  CHECK_FALSE(field_of<SequenceField>("sequence: true").is_text);
  const auto text = field_of<SequenceField>("sequence: true, as: \"order-{:08}!\"");
  CHECK(text.is_text);
  CHECK(text.prefix == "order-");
  CHECK(text.suffix == "!");
  CHECK(text.width == 8);
  check_refused({"false", filled(kField, "sequence: false"), "9:21", {"expected true"}});
  check_refused({"law", filled(kField, "sequence: true, zipf: 1"), "9:27", {"does not go with"}});
}

TEST_CASE("Items may lack a field", "[loader]") {
  const auto values = field_of<ValuesField>("values: [red, {undefined: true}, null, \"x, y\", 7]");
  REQUIRE(values.values.size() == 5);
  CHECK(values.values[1] == KeyComponent(Undefined{}));
  CHECK(values.values[2] == KeyComponent(Null{}));
  CHECK(values.values[3] == KeyComponent(std::string("x, y")));
  CHECK(field_of<ValuesField>("values: [{undefined: true}]").values.front() ==
        KeyComponent(Undefined{}));
  for (const std::string item : {"{undefined: false}", "{undefined: \"true\"}", "{}", "[a]",
                                 "{undefined: true, more: 1}", "{undefind: true}"}) {
    check_refused({item,
                   filled(kField, "values: [red, " + item + "]"),
                   "9:25",
                   {"item 2 of 'values'", "{undefined: true}"}});
  }
}

TEST_CASE("Columns are those of a trace", "[loader]") {
  std::string text = filled(kField, "column: VehicleId");
  check_refused({"rate", text, "9:19", {"only a trace has columns"}});
  text.replace(text.find("rate: 10/s"), 10, "trace: a.csv");
  const Scenario scenario = check_scenario("trace", text);
  CHECK(std::get<ColumnField>(scenario.containers.front().fields.front().kind).column ==
        "VehicleId");
  check_round_trip(text);
  check_refused({"two clients",
                 text + "  other: {rate: 1/s, operations: [{create: 100%}]}\n",
                 "9:19",
                 {"one client of the container"}});
}

ContainerSpec sized(const std::string& size) {
  check_round_trip(filled(kSize, size));
  return check_scenario(size, filled(kSize, size)).containers.front();
}

TEST_CASE("Sizes follow a law, and the mean stands for them", "[loader]") {
  CHECK_FALSE(sized("3 KB").item_size_law.has_value());
  CHECK(sized("3 KB").item_size_bytes == 3 * kKilobyte);
  const ContainerSpec even = sized("{min: 1 KB, max: 4 KB}");
  REQUIRE(even.item_size_law.has_value());
  CHECK(even.item_size_law.value_or(SizeLaw{}).law == SizeLaw::Law::uniform);
  CHECK(even.item_size_law.value_or(SizeLaw{}).low == kKilobyte);
  CHECK(even.item_size_law.value_or(SizeLaw{}).high == 4 * kKilobyte);
  CHECK(even.item_size_bytes == 2'560);
  const ContainerSpec skewed = sized("{p50: 1 KB, p99: 20 KB}");
  CHECK(skewed.item_size_law.value_or(SizeLaw{}).law == SizeLaw::Law::log_normal);
  // exp(mu + sigma^2 / 2) with sigma = ln(20) / 2.3263: 1024 * exp(0.8292)
  CHECK(static_cast<double>(skewed.item_size_bytes) == Approx(2346.4).epsilon(0.001));
  CHECK(sized("{p50: 5 KB, p99: 5 KB}").item_size_bytes == 5 * kKilobyte);
  CHECK(sized("{min: 1 B, max: 2 B}").item_size_bytes == 1);
}

TEST_CASE("Sizes that cannot be are refused", "[loader]") {
  const auto wrong = [](const std::string& size, const std::string& place,
                        const std::vector<std::string>& words) {
    check_refused({size, filled(kSize, size), place, words});
  };
  wrong("{min: 4 KB, max: 1 KB}", "8:28", {"wrong order", "at least 4 KB, got 1 KB"});
  wrong("{p50: 4 KB, p99: 1 KB}", "8:28", {"wrong order"});
  wrong("{min: 1 KB}", "8:5", {"missing key 'max' beside 'min'"});
  wrong("{min: 1 KB, max: 2 KB, p99: 4 KB}", "8:34", {"'p99' does not go with 'min'"});
  wrong("{}", "8:5", {"exactly one of min, p50"});
  wrong("{min: 1 KB, max: 3 MB}", "8:28", {"at most 2 MB, got 3 MB"});
  wrong("{p50: 1 B, p99: 2 MB}", "8:27", {"the mean of the sizes", "too far above the median"});
  wrong("[1 KB]", "8:11", {"a size", "or a mapping", "a list"});
}

TEST_CASE("A variant may give items another law of size", "[loader]") {
  const std::string text = filled(kSize, "{min: 1 KB, max: 4 KB}") +
                           "variants:\n  skewed: {container: {items: {size: {p50: 1 KB, p99: 2 "
                           "KB}}}}\n  plain: {container: {items: {size: 1 KB}}}\n";
  const StudyFile study = check_accepted("variants", text);
  CHECK(study.variants[0].scenario.containers.front().item_size_law.value_or(SizeLaw{}).law ==
        SizeLaw::Law::log_normal);
  CHECK_FALSE(study.variants[1].scenario.containers.front().item_size_law.has_value());
  check_round_trip(text);
}

}  // namespace
}  // namespace partsim::testing
