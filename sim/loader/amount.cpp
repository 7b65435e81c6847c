// Amounts in the integer scale of their kind: from text, and back for messages and the schema.
#include "scalar.hpp"

namespace partsim {
namespace {

Parsed<std::uint64_t> widened(const Parsed<std::int64_t>& parsed) {
  Parsed<std::uint64_t> result;
  result.error = parsed.error;
  if (parsed) {
    result.value = static_cast<std::uint64_t>(*parsed.value);
  }
  return result;
}

Parsed<std::uint64_t> parse_ru_number(std::string_view text) {
  Parsed<std::uint64_t> result = widened(parse_decimal_micro(text));
  static constexpr std::uint64_t kMicroPerMilli = 1'000;
  if (result && *result.value % kMicroPerMilli != 0) {
    return {std::nullopt, UnitError::too_fine};
  }
  if (result) {
    *result.value /= kMicroPerMilli;
  }
  return result;
}

/// A number of units of `scale`, in the smallest amount there is; what is finer is cut off.
Parsed<std::uint64_t> parse_scaled(std::string_view text, std::uint64_t scale) {
  Parsed<std::uint64_t> result = widened(parse_decimal_micro(text));
  if (result) {
    __extension__ using Wide = unsigned __int128;
    const Wide amount = Wide{*result.value} * scale / kMillion;
    if (amount > Wide{INT64_MAX}) {
      return {std::nullopt, UnitError::out_of_range};
    }
    *result.value = static_cast<std::uint64_t>(amount);
  }
  return result;
}

Parsed<std::uint64_t> parse_jitter(std::string_view text) {
  return widened(text.ends_with('%') ? parse_percent(text) : parse_duration(text));
}

}  // namespace

Parsed<std::uint64_t> parse_amount(ValueKind kind, std::string_view text) {
  switch (kind) {
    case ValueKind::integer:
      return parse_integer(text);
    case ValueKind::decimal:
    case ValueKind::ms_number:
      return widened(parse_decimal_micro(text));
    case ValueKind::ru_number:
      return parse_ru_number(text);
    case ValueKind::s_number:
      return parse_scaled(text, static_cast<std::uint64_t>(kSecond));
    case ValueKind::gb_number:
      return parse_scaled(text, static_cast<std::uint64_t>(kGigabyte));
    case ValueKind::kb_number:
      return parse_scaled(text, static_cast<std::uint64_t>(kKilobyte));
    case ValueKind::duration:
      return widened(parse_duration(text));
    case ValueKind::throughput:
      return widened(parse_throughput(text));
    case ValueKind::ru:
      return widened(parse_ru(text));
    case ValueKind::size:
      return widened(parse_size(text));
    case ValueKind::percent:
      return widened(parse_percent(text));
    case ValueKind::jitter:
      return parse_jitter(text);
    case ValueKind::service_duration: {
      const Parsed<ServiceDuration> parsed = parse_service_duration(text);
      return widened({parsed ? std::optional(parsed.value->mean_ns) : std::nullopt, parsed.error});
    }
    default:
      return {};
  }
}

std::string format_number(ValueKind kind, std::uint64_t amount) {
  const auto in_units_of = [amount](std::uint64_t scale) {
    __extension__ using Wide = unsigned __int128;
    // Rounded up: the least amount is still one that can be written.
    const Wide micro = (Wide{amount} * kMillion + scale - 1) / scale;
    return format_decimal_micro(static_cast<std::int64_t>(micro));
  };
  switch (kind) {
    case ValueKind::integer:
      return std::to_string(amount);
    case ValueKind::ru_number:
      return in_units_of(static_cast<std::uint64_t>(kMilliPerRu));
    case ValueKind::s_number:
      return in_units_of(static_cast<std::uint64_t>(kSecond));
    case ValueKind::gb_number:
      return in_units_of(static_cast<std::uint64_t>(kGigabyte));
    case ValueKind::kb_number:
      return in_units_of(static_cast<std::uint64_t>(kKilobyte));
    default:
      return in_units_of(kMillion);
  }
}

}  // namespace partsim
