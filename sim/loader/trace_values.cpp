#include "trace_values.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "partsim/core/calendar.hpp"
#include "partsim/workload/trace_rows.hpp"

#include "text.hpp"

namespace partsim {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Takes values off the front of a text; once something was missing it stays failed.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  [[nodiscard]] bool done() const { return good_ && text_.empty(); }
  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] bool try_take(char c) {
    const bool there = !text_.empty() && text_.front() == c;
    text_.remove_prefix(there ? 1 : 0);
    return there;
  }
  void take(char c) { good_ = try_take(c) && good_; }
  bool try_take(std::string_view word) {
    const bool there = text_.starts_with(word);
    text_.remove_prefix(there ? word.size() : 0);
    return there;
  }
  /// A whole number of so many digits.
  std::int64_t number(std::size_t least, std::size_t most) {
    std::int64_t value = 0;
    std::size_t digits = 0;
    for (; !text_.empty() && is_digit(text_.front()) && digits < most; ++digits) {
      value = value * 10 + (text_.front() - '0');
      text_.remove_prefix(1);
    }
    good_ = good_ && digits >= least;
    return value;
  }
  int field(std::size_t least, std::size_t most) { return static_cast<int>(number(least, most)); }
  /// `.123` in nanoseconds; digits beyond the ninth are dropped. Nothing is zero.
  Nanoseconds fraction() {
    if (!try_take('.')) {
      return 0;
    }
    Nanoseconds value = 0;
    Nanoseconds unit = kSecond / 10;
    good_ = good_ && !text_.empty() && is_digit(text_.front());
    for (; !text_.empty() && is_digit(text_.front()); unit /= 10) {
      value += (text_.front() - '0') * unit;
      text_.remove_prefix(1);
    }
    return value;
  }

 private:
  std::string_view text_;
  bool good_ = true;
};

std::optional<Nanoseconds> instant(const CivilTime& time, Nanoseconds fraction) {
  constexpr std::int64_t kLastSecond = 9'000'000'000;  // in nanoseconds it still fits
  const std::optional<std::int64_t> seconds = unix_seconds(time);
  if (!seconds || *seconds > kLastSecond) {
    return std::nullopt;
  }
  return *seconds * kSecond + fraction;
}

std::optional<Nanoseconds> seconds_of(std::string_view text) {
  Scanner scanner(text);
  const std::int64_t seconds = scanner.number(1, 10);
  const Nanoseconds fraction = scanner.fraction();
  if (!scanner.done() || seconds > 9'000'000'000) {
    return std::nullopt;
  }
  return seconds * kSecond + fraction;
}

std::optional<Nanoseconds> iso_instant(std::string_view text) {
  Scanner scanner(text);
  CivilTime time;
  time.year = scanner.field(4, 4);
  scanner.take('-');
  time.month = scanner.field(2, 2);
  scanner.take('-');
  time.day = scanner.field(2, 2);
  if (!scanner.try_take('T')) {
    scanner.take(' ');
  }
  time.hour = scanner.field(2, 2);
  scanner.take(':');
  time.minute = scanner.field(2, 2);
  scanner.take(':');
  time.second = scanner.field(2, 2);
  const Nanoseconds fraction = scanner.fraction();
  if (!scanner.try_take('Z')) {
    scanner.try_take(std::string_view("+00:00"));
  }
  return scanner.done() ? instant(time, fraction) : std::nullopt;
}

/// `1/31/2024, 4:05:06.789 PM`
std::optional<Nanoseconds> portal_instant(std::string_view text) {
  Scanner scanner(text);
  CivilTime time;
  time.month = scanner.field(1, 2);
  scanner.take('/');
  time.day = scanner.field(1, 2);
  scanner.take('/');
  time.year = scanner.field(4, 4);
  scanner.try_take(std::string_view(","));
  scanner.take(' ');
  time.hour = scanner.field(1, 2);
  scanner.take(':');
  time.minute = scanner.field(2, 2);
  scanner.take(':');
  time.second = scanner.field(2, 2);
  const Nanoseconds fraction = scanner.fraction();
  if (scanner.try_take(' ')) {
    const bool is_twelve = time.hour == 12;
    if (time.hour < 1 || time.hour > 12) {
      return std::nullopt;
    }
    if (scanner.try_take(std::string_view("PM"))) {
      time.hour += is_twelve ? 0 : 12;
    } else {
      time.hour -= is_twelve ? 12 : 0;
      if (!scanner.try_take(std::string_view("AM"))) {
        return std::nullopt;
      }
    }
  }
  return scanner.done() ? instant(time, fraction) : std::nullopt;
}

using Kind = OperationKind;
constexpr std::array kOperations{
    std::pair{std::string_view("create"), Kind::create},
    std::pair{std::string_view("read"), Kind::read},
    std::pair{std::string_view("query"), Kind::query},
    std::pair{std::string_view("upsert"), Kind::upsert},
    std::pair{std::string_view("replace"), Kind::replace},
    std::pair{std::string_view("patch"), Kind::patch},
    std::pair{std::string_view("delete"), Kind::remove},
    std::pair{std::string_view("read_feed"), Kind::read_feed},
    std::pair{std::string_view("batch"), Kind::batch},
    std::pair{std::string_view("script"), Kind::script},
    // the service's logs
    std::pair{std::string_view("update"), Kind::replace},
    std::pair{std::string_view("readfeed"), Kind::read_feed},
    std::pair{std::string_view("execute"), Kind::script},
    std::pair{std::string_view("sqlquery"), Kind::query},
    std::pair{std::string_view("jsquery"), Kind::query},
    std::pair{std::string_view("head"), Kind::read},
    std::pair{std::string_view("headfeed"), Kind::read_feed},
};

}  // namespace

std::optional<Nanoseconds> trace_time(std::string_view text) {
  const std::size_t mark = text.find_first_not_of("0123456789");
  if (mark == std::string_view::npos || text[mark] == '.') {
    return seconds_of(text);
  }
  return text[mark] == '/' ? portal_instant(text) : iso_instant(text);
}

std::optional<Nanoseconds> TraceClock::read(std::string_view text) {
  constexpr std::size_t kLength = 17;
  constexpr std::size_t kColon = 16;
  if (!minute_.empty() && text.starts_with(minute_)) {
    Scanner scanner(text.substr(kLength));
    const std::int64_t second = scanner.number(2, 2);
    const Nanoseconds fraction = scanner.fraction();
    if (!scanner.try_take('Z')) {
      scanner.try_take(std::string_view("+00:00"));
    }
    if (scanner.done() && second < 60) {
      return minute_ns_ + second * kSecond + fraction;
    }
  }
  const std::optional<Nanoseconds> time = trace_time(text);
  minute_.clear();
  if (time && text.size() > kLength && text[kColon] == ':' && text[4] == '-') {
    minute_ = text.substr(0, kLength);
    minute_ns_ = *time - *time % (60 * kSecond);
  }
  return time;
}

std::optional<MilliRu> trace_charge(std::string_view text) {
  Scanner scanner(text);
  const std::int64_t whole = scanner.number(1, 10);
  const Nanoseconds fraction = scanner.fraction();
  const MilliRu charge = whole * kMilliPerRu + (fraction + 500'000) / 1'000'000;
  if (!scanner.done() || charge > kMaxRowCharge) {
    return std::nullopt;
  }
  return charge;
}

std::optional<std::int64_t> trace_number(std::string_view text) {
  Scanner scanner(text);
  const std::int64_t value = scanner.number(1, 15);
  return scanner.done() ? std::optional(value) : std::nullopt;
}

std::optional<OperationKind> trace_operation(std::string_view text) {
  const std::string name = lower_case(text);
  const auto* const found = std::find_if(kOperations.begin(), kOperations.end(),
                                         [&name](const auto& each) { return each.first == name; });
  return found == kOperations.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace partsim
