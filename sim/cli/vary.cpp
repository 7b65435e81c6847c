#include "partsim/cli/vary.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "partsim/cli/command_line.hpp"
#include "partsim/cli/descriptor.hpp"
#include "partsim/cli/exit_code.hpp"

namespace partsim {
namespace {

constexpr std::int64_t kMicro = 1'000'000;
constexpr int kPlaces = 6;
constexpr std::size_t kMostDigits = 12;  // with six places still within 63 bits

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string_view::npos
             ? std::string_view()
             : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// A number at the beginning of the text, taken off it.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::size_t end = 0;
  std::int64_t micro = 0;
  while (end < text.size() && is_digit(text[end])) {
    micro = micro * 10 + (text[end++] - '0');
    if (end > kMostDigits) {
      return std::nullopt;
    }
  }
  if (end == 0) {
    return std::nullopt;
  }
  micro *= kMicro;
  // Two dots belong to the range.
  if (end + 1 < text.size() && text[end] == '.' && is_digit(text[end + 1])) {
    std::int64_t worth = kMicro;
    for (++end; end < text.size() && is_digit(text[end]); ++end) {
      worth /= 10;
      if (worth == 0) {
        return std::nullopt;
      }
      micro += (text[end] - '0') * worth;
    }
  }
  text.remove_prefix(end);
  return micro;
}

/// A number with its unit, which ends before `end` or with the text.
std::optional<Quantity> take_quantity(std::string_view& text, std::size_t end) {
  std::string_view part = text.substr(0, end);
  const std::optional<std::int64_t> micro = take_number(part);
  if (!micro) {
    return std::nullopt;
  }
  std::string_view unit = part;
  unit = unit.substr(0, unit.find_last_not_of(' ') + 1);
  text.remove_prefix(std::min(end, text.size()));
  return Quantity{*micro, std::string(unit)};
}

/// Where the step begins: a `/` before a digit or before `x` and a digit; units have slashes too.
std::size_t find_step(std::string_view text) {
  for (std::size_t at = text.find('/'); at != std::string_view::npos; at = text.find('/', at + 1)) {
    std::string_view rest = trimmed(text.substr(at + 1));
    if (rest.starts_with('x')) {
      rest.remove_prefix(1);
    }
    if (!rest.empty() && is_digit(rest.front())) {
      return at;
    }
  }
  return std::string_view::npos;
}

/// One unit for all numbers, wherever it is written; false if they disagree.
bool share_unit(const std::vector<Quantity*>& quantities) {
  std::string unit;
  for (const Quantity* each : quantities) {
    if (!each->unit.empty() && !unit.empty() && trimmed(each->unit) != trimmed(unit)) {
      return false;
    }
    unit = each->unit.empty() ? unit : each->unit;
  }
  for (Quantity* each : quantities) {
    each->unit = unit;
  }
  return true;
}

[[noreturn]] void refuse(const std::string& text, const std::string& why, std::string hint = {}) {
  throw UsageError("--vary is " + in_quotes(text) + ": " + why, std::move(hint));
}

/// low, low + step, ... or low, low * factor, ... up to high.
std::vector<std::string> steps(const std::string& text, Quantity low, const Quantity& high,
                               std::int64_t step, bool is_factor) {
  if (low.micro > high.micro) {
    refuse(text, "the range ends below its beginning");
  }
  if (step <= (is_factor ? kMicro : 0) || (is_factor && low.micro == 0)) {
    refuse(text, is_factor ? "the factor must be above 1 and the beginning above 0"
                           : "the step must be above 0");
  }
  std::vector<std::string> values;
  __extension__ using Wide = __int128;
  for (Wide at = low.micro; at <= high.micro;) {
    low.micro = static_cast<std::int64_t>(at);
    values.push_back(quantity_text(low));
    if (values.size() > kMaxAxisValues) {
      refuse(text, "more than 100000 values");
    }
    const Wide next = is_factor ? at * step / kMicro : at + step;
    at = next > at ? next : at + 1;
  }
  return values;
}

bool read_ends(const std::string& text, Quantity& low, Quantity& high) {
  std::string_view rest = trimmed(text);
  const std::size_t dots = rest.find("..");
  if (dots == std::string_view::npos) {
    return false;
  }
  const std::optional<Quantity> first = take_quantity(rest, dots);
  if (!first) {
    return false;
  }
  rest = trimmed(rest.substr(2));
  const std::optional<Quantity> last = take_quantity(rest, rest.size());
  if (!last) {
    return false;
  }
  low = *first;
  high = *last;
  return true;
}

/// Nothing if the text is no range at all.
std::optional<std::vector<std::string>> range_values(const std::string& text,
                                                     std::string_view values) {
  const std::size_t slash = find_step(values);
  Quantity low;
  Quantity high;
  if (!read_ends(std::string(trimmed(values.substr(0, slash))), low, high)) {
    return std::nullopt;
  }
  if (slash == std::string_view::npos) {
    refuse(text, "the range has no step", "write LO..HI/STEP, such as 1000..5000/1000 RU/s");
  }
  std::string_view rest = trimmed(values.substr(slash + 1));
  const bool is_factor = rest.starts_with('x');
  rest.remove_prefix(is_factor ? 1 : 0);
  std::optional<Quantity> step = take_quantity(rest, rest.size());
  if (!step || !share_unit({&low, &high, &*step})) {
    refuse(text, "the numbers of a range have one unit, written once or alike",
           "such as 1000..5000/1000 RU/s");
  }
  return steps(text, low, high, step->micro, is_factor);
}

/// At the commas outside quotes and brackets.
std::vector<std::string> split(const std::string& text, std::string_view values) {
  std::vector<std::string> items(1);
  char quote = '\0';
  int depth = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const char c = values[i];
    if (quote != '\0') {
      if (c == '\\' && quote == '"' && i + 1 < values.size()) {
        items.back() += c;
        items.back() += values[++i];
        continue;
      }
      quote = c == quote ? '\0' : quote;
    } else if ((c == '"' || c == '\'') && trimmed(items.back()).empty()) {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth == 0) {
      items.emplace_back();
      continue;
    }
    items.back() += c;
  }
  if (quote != '\0' || depth != 0) {
    refuse(text, "a quote or a bracket is not closed");
  }
  for (std::string& item : items) {
    item = std::string(trimmed(item));
    if (item.empty()) {
      refuse(text, "a value is missing");
    }
  }
  return items;
}

}  // namespace

bool parse_range(const std::string& text, Quantity& low, Quantity& high) {
  return read_ends(text, low, high) && share_unit({&low, &high});
}

std::string quantity_text(const Quantity& quantity) {
  std::string text = std::to_string(quantity.micro / kMicro);
  if (std::int64_t rest = quantity.micro % kMicro; rest != 0) {
    std::string places = std::to_string(rest);
    places.insert(0, static_cast<std::size_t>(kPlaces) - places.size(), '0');
    places.erase(places.find_last_not_of('0') + 1);
    text += "." + places;
  }
  return text + quantity.unit;
}

SweepAxis parse_vary(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string_view values = equals == std::string::npos
                                      ? std::string_view()
                                      : trimmed(std::string_view(text).substr(equals + 1));
  if (equals == 0 || values.empty()) {
    throw UsageError("--vary is " + in_quotes(text) + ", expected PATH=VALUES",
                     "such as container.throughput=10000..60000/10000 RU/s");
  }
  SweepAxis axis;
  axis.path = std::string(trimmed(text.substr(0, equals)));
  if (const auto range = range_values(text, values)) {
    axis.values = *range;
  } else if (values.front() == '[' && values.back() == ']') {
    axis.values = split(text, values.substr(1, values.size() - 2));
  } else {
    axis.values = split(text, values);
  }
  if (axis.values.size() > kMaxAxisValues) {
    refuse(text, "more than 100000 values");
  }
  std::vector<std::string> sorted = axis.values;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) {
    refuse(text, in_quotes(*twice) + " is there twice");
  }
  return axis;
}

std::vector<SweepAxis> parse_axes(const std::vector<std::string>& texts,
                                  const std::vector<std::string>& set_paths) {
  std::vector<SweepAxis> axes;
  for (const std::string& text : texts) {
    SweepAxis axis = parse_vary(text);
    const auto is_same = [&axis](const SweepAxis& each) { return each.path == axis.path; };
    if (std::any_of(axes.begin(), axes.end(), is_same)) {
      throw UsageError("--vary names " + in_quotes(axis.path) + " more than once");
    }
    if (std::find(set_paths.begin(), set_paths.end(), axis.path) != set_paths.end()) {
      throw UsageError(in_quotes(axis.path) + " is both set and varied");
    }
    if (axis.path == "seed") {
      throw UsageError("--vary names 'seed'", "--seeds N repeats every run with other seeds");
    }
    axes.push_back(std::move(axis));
  }
  return axes;
}

double parse_precision(const std::string& text) {
  std::string_view rest = text;
  const std::optional<std::int64_t> micro = take_number(rest);
  const bool is_percent = rest == "%";
  const std::int64_t whole = is_percent ? 100 * kMicro : kMicro;
  if (!micro || (!rest.empty() && !is_percent) || *micro <= 0 || *micro >= whole) {
    throw UsageError("--precision is " + in_quotes(text) +
                     ", expected a share of the mean such as 1% or 0.01");
  }
  return static_cast<double>(*micro) / static_cast<double>(whole);
}

Shard parse_shard(const std::string& text) {
  constexpr std::uint64_t kMostShards = 100'000;
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) {
    throw UsageError("--shard is " + in_quotes(text) + ", expected K/N such as 2/8");
  }
  const std::uint64_t count =
      parse_whole_number("shard", std::string_view(text).substr(slash + 1), 1, kMostShards);
  const std::uint64_t number =
      parse_whole_number("shard", std::string_view(text).substr(0, slash), 1, count);
  return {static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(count)};
}

}  // namespace partsim
