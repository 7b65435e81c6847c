#include "partsim/keys/key_template.hpp"

#include <string>
#include <variant>
#include <vector>

#include "partsim/keys/murmur3.hpp"

#include "support/catch.hpp"

namespace partsim {
namespace {

using Parts = std::vector<KeyPart>;

Parts parts_of(const std::string& text) {
  const auto parsed = parse_key_template(text);
  const auto* parsed_template = std::get_if<KeyTemplate>(&parsed);
  if (parsed_template == nullptr) {
    FAIL(text << ": " << std::get<TemplateError>(parsed).message);
    return {};
  }
  CHECK(parsed_template->text == text);
  return parsed_template->parts;
}

/// `OFFSET: MESSAGE`, or "accepted".
std::string error_of(const std::string& text) {
  const auto parsed = parse_key_template(text);
  const auto* error = std::get_if<TemplateError>(&parsed);
  return error == nullptr ? "accepted" : std::to_string(error->offset) + ": " + error->message;
}

TEST_CASE("A template is literal text, fields, random and hashed suffixes, in order", "[keys]") {
  CHECK(parts_of("{vin}") == Parts{FieldValue{"vin"}});
  CHECK(parts_of("all") == Parts{LiteralText{"all"}});
  CHECK(parts_of("{date}.{random 1..400}") ==
        Parts{FieldValue{"date"}, LiteralText{"."}, RandomSuffix{1, 400}});
  CHECK(parts_of("{date}.{hash vin 1..400}") ==
        Parts{FieldValue{"date"}, LiteralText{"."}, HashedSuffix{"vin", 1, 400}});
  CHECK(parts_of("{a}{b_2}{_c}") == Parts{FieldValue{"a"}, FieldValue{"b_2"}, FieldValue{"_c"}});
  CHECK(parts_of("{randomized}-{hashed}") ==
        Parts{FieldValue{"randomized"}, LiteralText{"-"}, FieldValue{"hashed"}});
}

TEST_CASE("Doubled braces are braces, and neighbouring text is one part", "[keys]") {
  CHECK(parts_of("a{{b}}c") == Parts{LiteralText{"a{b}c"}});
  CHECK(parts_of("{{{vin}}}") == Parts{LiteralText{"{"}, FieldValue{"vin"}, LiteralText{"}"}});
  CHECK(parts_of("größe-{x}") == Parts{LiteralText{"größe-"}, FieldValue{"x"}});
}

TEST_CASE("Spaces may surround the words inside braces", "[keys]") {
  CHECK(parts_of("{ vin }") == Parts{FieldValue{"vin"}});
  CHECK(parts_of("{ hash  vin  0..9 }") == Parts{HashedSuffix{"vin", 0, 10}});
}

TEST_CASE("A range is read at its limits and refused one beyond them", "[keys]") {
  CHECK(parts_of("{random 0..0}") == Parts{RandomSuffix{0, 1}});
  CHECK(parts_of("{random 7..7}") == Parts{RandomSuffix{7, 1}});
  CHECK(parts_of("{random 0..4294967295}") == Parts{RandomSuffix{0, 4294967296}});
  CHECK(error_of("{random 0..4294967296}") == "11: number too large, expected below 4294967296");
  CHECK(error_of("{random 99999999999999999999999..1}") ==
        "8: number too large, expected below 4294967296");
  CHECK(error_of("{random 2..1}") == "8: empty range 2..1, expected the smaller number first");
}

TEST_CASE("A suffix that looks padded is refused, because suffixes are not padded", "[keys]") {
  CHECK_THAT(error_of("{random 001..400}"), has_text("8: leading zero"));
  CHECK_THAT(error_of("{random 1..010}"), has_text("11: leading zero"));
}

TEST_CASE("A misspelt word is reported where it stands, with the word that was meant", "[keys]") {
  CHECK(error_of("{date}.{rand 1..400}") == "8: unknown word 'rand', did you mean 'random'?");
  CHECK(error_of("{Random 1..400}") == "1: unknown word 'Random', did you mean 'random'?");
  CHECK(error_of("{hsah vin 1..400}") == "1: unknown word 'hsah', did you mean 'hash'?");
  CHECK(error_of("{has vin 1..400}") == "1: unknown word 'has', did you mean 'hash'?");
  CHECK(error_of("{customer 1..400}") ==
        "1: unknown word 'customer', expected 'random', 'hash' or a field name alone");
}

TEST_CASE("A missing range or field is asked for by example", "[keys]") {
  CHECK(error_of("{random}") == "7: expected a range such as 1..400");
  CHECK(error_of("{random 400}") == "8: expected a range such as 1..400");
  CHECK(error_of("{random 1-400}") == "8: expected a range such as 1..400");
  CHECK(error_of("{random 1..}") == "8: expected a range such as 1..400");
  CHECK(error_of("{random 1...4}") == "8: expected a range such as 1..400");
  CHECK(error_of("{random -1..4}") == "8: expected a range such as 1..400");
  CHECK(error_of("{hash vin}") == "9: expected a range such as 1..400");
  CHECK(error_of("{hash 1..400}") ==
        "6: expected a field name after 'hash', as in {hash name 1..400}");
  CHECK_THAT(error_of("{random vin 1..400}"), has_text("8: expected a range such as 1..400"));
  CHECK_THAT(error_of("{random vin 1..400}"), has_text("{hash field 1..400}"));
}

TEST_CASE("Braces that do not match are reported where one is missing or too many", "[keys]") {
  CHECK(error_of("{vin") == "4: expected '}'");
  CHECK(error_of("{random 1..400") == "14: expected '}'");
  CHECK(error_of("vin}") == "3: unexpected '}', write '}}' for a brace in the text");
  CHECK(error_of("{") == "1: expected a field name, 'random' or 'hash'");
  CHECK(error_of("{}") == "1: expected a field name, 'random' or 'hash'");
  CHECK(error_of("{vi{n}}") == "3: expected '}'");
  CHECK(error_of("{vin-1}") == "4: expected '}'");
  CHECK(error_of("{1st}") == "1: expected a field name, 'random' or 'hash'");
  CHECK(error_of("{random 1..4 5}") == "13: expected '}'");
}

TEST_CASE("An empty template is refused", "[keys]") {
  CHECK_THAT(error_of(""), has_text("0: empty template"));
}

TEST_CASE("A message quotes at most 40 bytes of the template", "[keys]") {
  const std::string word(200, 'w');
  const std::string error = error_of("{" + word + " 1..2}");
  CHECK_THAT(error, has_text(std::string(40, 'w')));
  CHECK(error.find(std::string(41, 'w')) == std::string::npos);
}

TEST_CASE("A hashed suffix is the same for the same text and stays in its range", "[keys]") {
  const HashedSuffix part{"vin", 1, 400};
  // murmur128("afdgdd") has h1 = 2792699143512860960, which leaves 160 when divided by 400.
  CHECK(hashed_suffix(part, "afdgdd") == 161);
  CHECK(hashed_suffix({"vin", 10, 1}, "anything") == 10);
  bool lowest = false;
  bool highest = false;
  for (int i = 0; i < 5'000; ++i) {
    const std::uint64_t suffix = hashed_suffix(part, "VIN" + std::to_string(i));
    REQUIRE(suffix >= 1);
    REQUIRE(suffix <= 400);
    lowest = lowest || suffix == 1;
    highest = highest || suffix == 400;
  }
  CHECK((lowest && highest));
}

}  // namespace
}  // namespace partsim
