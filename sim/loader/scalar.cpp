#include "scalar.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "partsim/core/calendar.hpp"
#include "partsim/keys/key_template.hpp"
#include "partsim/loader/loader.hpp"

namespace partsim {
namespace {

constexpr std::size_t kMaxNameBytes = 64;
constexpr std::size_t kMaxFormatBytes = 256;
constexpr std::uint32_t kMaxFormatWidth = 18;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/// The kind in one word, and texts that would be right.
struct KindText {
  ValueKind kind;
  std::string_view noun;
  std::string_view example;
  std::string_view finest;
};
constexpr std::array kKindTexts{
    KindText{ValueKind::integer, "an integer", "", "1"},
    KindText{ValueKind::decimal, "a number", "", "0.000001"},
    KindText{ValueKind::ru_number, "a number of RU", "", "0.001 RU"},
    KindText{ValueKind::ms_number, "a number of ms", "", "0.000001 ms"},
    KindText{ValueKind::s_number, "a number of seconds", "", "0.000001 s"},
    KindText{ValueKind::gb_number, "a number of GB", "", "0.000001 GB"},
    KindText{ValueKind::kb_number, "a number of KB", "", "0.000001 KB"},
    KindText{ValueKind::duration, "a duration", "250ms, 10s, 5min", "1ns"},
    KindText{ValueKind::rate, "a rate", "7000/s, 100/min, 8000/3s", "0.000001"},
    KindText{ValueKind::throughput, "a throughput", "400 RU/s", "0.001 RU/s"},
    KindText{ValueKind::ru, "a charge", "5 RU", "0.001 RU"},
    KindText{ValueKind::size, "a size", "1 KB, 500 B, 2 MB", "1 B"},
    KindText{ValueKind::percent, "a percentage", "80%", "0.0001%"},
    KindText{ValueKind::service_duration, "a time", "5ms, 0.2ms/RU", "1ns"},
    KindText{ValueKind::jitter, "a duration or a percentage", "100ms, 20%", "1ns or 0.0001%"},
    KindText{ValueKind::utc, "a time in UTC", "2018-08-09T08:00:00Z", "1s"},
    KindText{ValueKind::time_format, "a time format", "%Y-%m-%d", ""},
    KindText{ValueKind::number_format, "text with one {} or {:06}", "VIN{:06}", ""},
    KindText{ValueKind::key_template, "a key template", "{field}.{random 1..400}", ""},
    KindText{ValueKind::field_name, "a field name", "", ""},
    KindText{ValueKind::any_scalar, "text, a number, true, false, null or {undefined: true}", "",
             ""},
    KindText{ValueKind::file_name, "the name of a file", "rates.csv", ""},
    KindText{ValueKind::expectation, "a rule", "throttled_share < 1%", ""},
    KindText{ValueKind::title, "one line of text", "", ""},
    KindText{ValueKind::name, "a name of letters, digits, . _ -", "", ""},
};

const KindText* text_of(ValueKind kind) {
  const auto* found = std::find_if(kKindTexts.begin(), kKindTexts.end(),
                                   [kind](const KindText& entry) { return entry.kind == kind; });
  return found == kKindTexts.end() ? nullptr : found;
}

std::string format_amount(ValueKind kind, std::uint64_t amount) {
  const auto value = static_cast<std::int64_t>(amount);
  switch (kind) {
    case ValueKind::decimal:
    case ValueKind::ms_number:
    case ValueKind::ru_number:
    case ValueKind::s_number:
    case ValueKind::gb_number:
    case ValueKind::kb_number:
      return format_number(kind, amount);
    case ValueKind::duration:
    case ValueKind::service_duration:
      return format_duration(value);
    case ValueKind::throughput:
      return format_throughput(value);
    case ValueKind::ru:
      return format_ru(value);
    case ValueKind::size:
      return format_size(value);
    case ValueKind::percent:
      return format_percent(value);
    default:
      return std::to_string(amount);
  }
}

bool is_plain_number(ValueKind kind) {
  return kind <= ValueKind::kb_number;
}

bool is_amount(ValueKind kind) {
  return is_plain_number(kind) || (kind >= ValueKind::duration &&
                                   kind <= ValueKind::service_duration && kind != ValueKind::rate);
}

std::string why(UnitError error, ValueKind kind) {
  const KindText* text = text_of(kind);
  switch (error) {
    case UnitError::missing_unit:
      return " has no unit";
    case UnitError::unknown_unit:
      return " has an unknown unit";
    case UnitError::too_fine:
      return " is finer than " + std::string(text->finest);
    case UnitError::out_of_range:
      return " is out of range";
    case UnitError::malformed:
      break;
  }
  return " is not " + std::string(text->noun);
}

Fault fault_at(const TreeNode& node, std::string message, std::string hint = {}) {
  return {node.place, std::move(message), std::move(hint)};
}

Fault wrong(const TreeNode& node, const ValueRule& rule, std::string_view what,
            std::string_view reason) {
  return fault_at(node, std::string(what) + std::string(reason) + ", expected " +
                            expectation_of(rule) + ", got " + describe(node));
}

std::optional<Fault> check_amount(const TreeNode& node, const ValueRule& rule,
                                  std::string_view what) {
  if (node.is_quoted && is_plain_number(rule.kind)) {
    return wrong(node, rule, what, " is quoted, and so is text");
  }
  const Parsed<std::uint64_t> parsed = parse_amount(rule.kind, node.text);
  if (!parsed) {
    return wrong(node, rule, what, why(parsed.error, rule.kind));
  }
  if (*parsed.value < rule.min || *parsed.value > rule.max) {
    return wrong(node, rule, what, " is out of range");
  }
  return std::nullopt;
}

std::optional<Fault> check_choice(const TreeNode& node, const ValueRule& rule,
                                  std::string_view what) {
  const std::vector<std::string> names = word_names(rule.words);
  if (std::find(names.begin(), names.end(), node.text) != names.end()) {
    return std::nullopt;
  }
  const bool case_matters =
      std::find(names.begin(), names.end(), lower_case(node.text)) != names.end();
  Fault fault = wrong(node, rule, what, " is unknown");
  fault.hint = case_matters ? "case matters: write '" + lower_case(node.text) + "'"
                            : suggestion(node.text, names);
  return fault;
}

std::optional<Fault> check_template(const TreeNode& node, std::string_view what) {
  if (const auto field = field_of_key_path(node.text)) {
    return fault_at(node, key_path_message(node.text), key_path_hint(*field));
  }
  const auto parsed = parse_key_template(node.text);
  if (const auto* error = std::get_if<TemplateError>(&parsed)) {
    return fault_at(node, std::string(what) + " is not a key template: " + error->message +
                              " at character " + std::to_string(error->offset + 1) + ", got " +
                              describe(node));
  }
  if (std::get<KeyTemplate>(parsed).parts.empty()) {
    return fault_at(node, std::string(what) + " is empty, expected a key template such as {field}");
  }
  return std::nullopt;
}

std::optional<Fault> check_boolean(const TreeNode& node, const ValueRule& rule,
                                   std::string_view what) {
  const bool is_true = node.text == "true";
  if (node.is_quoted || (!is_true && node.text != "false") || (!is_true && rule.min == 1)) {
    return wrong(node, rule, what, " is not a boolean here");
  }
  return std::nullopt;
}

std::optional<Fault> check_title(const TreeNode& node, const ValueRule& rule,
                                 std::string_view what) {
  if (node.text.find_first_not_of(' ') == std::string::npos) {
    return fault_at(
        node, std::string(what) + " is blank, expected " + std::string(text_of(rule.kind)->noun));
  }
  if (node.text.size() > rule.max) {
    return fault_at(node,
                    std::string(what) + " is longer than " + std::to_string(rule.max) + " bytes");
  }
  return std::nullopt;
}

}  // namespace

std::string expectation_of(const ValueRule& rule) {
  switch (rule.kind) {
    case ValueKind::boolean:
      return rule.min == 1 ? "true" : "true or false";
    case ValueKind::choice:
      return "one of " + joined(word_names(rule.words));
    case ValueKind::choice_or_section:
      return "one of " + joined(word_names(rule.words)) + ", or a mapping";
    case ValueKind::choice_or_list:
      return "one of " + joined(word_names(rule.words)) + ", or a list of " +
             std::to_string(rule.min);
    case ValueKind::scalar_or_section:
      return expectation_of(*rule.items) + ", or a mapping";
    case ValueKind::choice_or_numbered:
      return joined(word_names(rule.words)) + ", or a mapping such as {0: 5000 RU/s}";
    case ValueKind::section:
    case ValueKind::named_sections:
      return "a mapping";
    case ValueKind::list:
      return "a list";
    default:
      break;
  }
  const ValueKind kind = rule.kind == ValueKind::text_or_list ? rule.items->kind : rule.kind;
  if (is_amount(kind) && rule.min == rule.max) {
    return format_amount(kind, rule.min);
  }
  const KindText* text = text_of(kind);
  std::string result(text->noun);
  if (kind == ValueKind::rate) {
    result += " of at most 1000000000/s";
  }
  if (is_amount(kind)) {
    result += " between " + format_amount(kind, rule.min) + " and " + format_amount(kind, rule.max);
  }
  if (!text->example.empty()) {
    result += " such as " + std::string(text->example);
  }
  return result;
}

std::optional<Fault> check_scalar(const TreeNode& node, const ValueRule& rule,
                                  std::string_view what) {
  switch (rule.kind) {
    case ValueKind::boolean:
      return check_boolean(node, rule, what);
    case ValueKind::choice:
    case ValueKind::choice_or_section:
    case ValueKind::choice_or_list:
    case ValueKind::choice_or_numbered:
      return check_choice(node, rule, what);
    case ValueKind::rate: {
      const Parsed<Rate> parsed = parse_rate(node.text);
      return parsed ? std::nullopt
                    : std::optional(wrong(node, rule, what, why(parsed.error, rule.kind)));
    }
    case ValueKind::utc: {
      const Parsed<std::int64_t> parsed = parse_utc(node.text);
      return parsed ? std::nullopt
                    : std::optional(wrong(node, rule, what, why(parsed.error, rule.kind)));
    }
    case ValueKind::name:
      if (auto fault = name_fault(node.text, rule.names)) {
        return fault_at(node, std::move(*fault));
      }
      return std::nullopt;
    case ValueKind::title:
    case ValueKind::file_name:
      return check_title(node, rule, what);
    case ValueKind::key_template:
      return check_template(node, what);
    case ValueKind::time_format:
      return TimeFormat::parse(node.text) ? std::nullopt
                                          : std::optional(wrong(node, rule, what, " is unknown"));
    case ValueKind::number_format:
      return parse_number_format(node.text)
                 ? std::nullopt
                 : std::optional(wrong(node, rule, what, " has no single place for the number"));
    case ValueKind::any_scalar:
      return parse_component(node)
                 ? std::nullopt
                 : std::optional(
                       wrong(node, rule, what, " is not a plain number; quote it if it is text"));
    case ValueKind::field_name:
    case ValueKind::expectation:
      return std::nullopt;
    default:
      return check_amount(node, rule, what);
  }
}

std::optional<std::string> name_fault(std::string_view name, NameRule rule) {
  const std::string got = ", got " + quoted(name);
  if (name.find_first_not_of(' ') == std::string_view::npos) {
    return "blank name, expected letters, digits, . _ -";
  }
  if (name.size() > kMaxNameBytes) {
    return "name longer than 64 characters" + got;
  }
  if (rule == NameRule::field) {
    const bool is_good =
        !is_digit(name.front()) && std::all_of(name.begin(), name.end(), [](char c) {
          return is_digit(c) || is_letter(c) || c == '_';
        });
    return is_good ? std::nullopt
                   : std::optional("a field name may hold letters, digits and _ only" + got);
  }
  const bool is_good = (is_digit(name.front()) || is_letter(name.front())) &&
                       std::all_of(name.begin(), name.end(), [](char c) {
                         return is_digit(c) || is_letter(c) || c == '.' || c == '_' || c == '-';
                       });
  if (!is_good) {
    return "a name may hold letters, digits, . _ - only, the first a letter or digit" + got;
  }
  if (name.back() == '.') {
    return "a name must not end in a dot" + got;
  }
  const std::string lower = lower_case(name);
  const auto reserved = reserved_names();
  const bool names_output = rule == NameRule::none || rule == NameRule::variant;
  const bool is_reserved =
      names_output && std::find(reserved.begin(), reserved.end(), lower) != reserved.end();
  // Results tell of the partitions of a container by its name, and of those shared as "database".
  if (is_reserved || (rule == NameRule::variant && lower == "base") ||
      (rule == NameRule::container && lower == "database")) {
    return "reserved name, expected another" + got;
  }
  return std::nullopt;
}

std::optional<NumberFormat> parse_number_format(std::string_view text) {
  const std::size_t open = text.find('{');
  const std::size_t close = text.find('}');
  const bool is_single = open != std::string_view::npos && close != std::string_view::npos &&
                         open < close && open == text.rfind('{') && close == text.rfind('}');
  if (!is_single || text.size() > kMaxFormatBytes) {
    return std::nullopt;
  }
  NumberFormat format{std::string(text.substr(0, open)), std::string(text.substr(close + 1)), 0};
  std::string_view inside = text.substr(open + 1, close - open - 1);
  if (inside.empty()) {
    return format;
  }
  if (!inside.starts_with(":0")) {
    return std::nullopt;
  }
  const Parsed<std::uint64_t> width = parse_integer(inside.substr(2));
  if (!width || *width.value < 1 || *width.value > kMaxFormatWidth) {
    return std::nullopt;
  }
  format.width = static_cast<std::uint32_t>(*width.value);
  return format;
}

std::optional<std::string> field_of_key_path(std::string_view text) {
  static constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
  const std::string name = std::string(kLetters) + "0123456789";
  const bool is_path = text.size() > 1 && text.front() == '/' &&
                       kLetters.find(text[1]) != std::string_view::npos &&
                       text.find_first_not_of(name, 1) == std::string_view::npos;
  return is_path ? std::optional(std::string(text.substr(1))) : std::nullopt;
}

std::string key_path_message(std::string_view text) {
  return quoted(text) + " is text without a field, so all items would have one key";
}

std::string key_path_hint(std::string_view field) {
  return "write \"{" + std::string(field) + "}\"";
}

std::vector<std::string> word_names(std::span<const Word> words) {
  std::vector<std::string> names;
  for (const Word& word : words) {
    names.emplace_back(word.name);
  }
  return names;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  const auto nearest = nearest_word(word, known);
  return nearest ? "did you mean " + quoted(*nearest) + "?" : std::string();
}

std::string joined(const std::vector<std::string>& words, std::size_t limit) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (text.size() + words[i].size() > limit) {
      return text + " and " + std::to_string(words.size() - i) + " more";
    }
    text += (i == 0 ? "" : ", ") + words[i];
  }
  return text;
}

}  // namespace partsim
