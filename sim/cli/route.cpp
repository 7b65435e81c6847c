#include "partsim/cli/route.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <poll.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "partsim/cli/descriptor.hpp"
#include "partsim/cli/exit_code.hpp"
#include "partsim/keys/key_line.hpp"
#include "partsim/keys/utf8.hpp"

namespace partsim {

namespace {

constexpr std::size_t kBlockBytes = std::size_t{256} << 10;

std::string with_reason(const std::string& what, int reason) {
  return reason == 0 ? what : what + ": " + std::generic_category().message(reason);
}

/// Why the options cannot be used, or nothing.
std::string option_error(const RouteOptions& options) {
  if (options.partitions >= 1 && options.partitions <= kMaxRanges) {
    return {};
  }
  return "error: '--partitions' is " + std::to_string(options.partitions) + ", outside 1.." +
         std::to_string(kMaxRanges);
}

/// `PLACE:COLUMN: error: message`. Everything before the mistake is valid UTF-8.
std::string located(const std::string& place, std::string_view line, const KeyError& error) {
  const std::string_view before = line.substr(0, error.offset);
  const auto inner = std::count_if(before.begin(), before.end(), is_utf8_continuation);
  const std::size_t column = before.size() - static_cast<std::size_t>(inner) + 1;
  return place + ":" + std::to_string(column) + ": error: " + error.message;
}

/// From key to answer; both ways in share it. Once something failed, `result()` says what.
class Router {
 public:
  Router(const RouteOptions& options, const RouteWriter& write)
      : hash_(options.hash),
        ranges_(initial_ranges(options.hash, options.partitions)),
        write_(write) {}

  /// `place` makes the text that names the key in an error.
  template <typename Place>
  [[nodiscard]] bool answer(std::string_view text, bool is_json, const Place& place) {
    if (text.size() > kRouteLineMax) {
      const std::string message =
          "longer than " + std::to_string(kRouteLineMax) + " bytes, expected a key of at most 2 KB";
      return fail(RouteStatus::over_limit, located(place(), text, {0, message}));
    }
    const std::size_t limit = hash_ == HashVersion::multihash ? kMaxKeyLevels : 0;
    if (!(is_json ? key_.parse(text, limit) : key_.set_text(text))) {
      return fail(RouteStatus::bad_input, located(place(), text, key_.error()));
    }
    append_answer();
    return out_.size() < kBlockBytes || flush();
  }

  [[nodiscard]] bool flush() {
    errno = 0;
    const bool written = out_.empty() || write_(out_);
    const int reason = errno;
    out_.clear();
    return written ||
           fail(RouteStatus::cannot_write, with_reason("error: cannot write the answers", reason));
  }

  bool fail(RouteStatus status, std::string error) {
    result_.status = status;
    result_.error = std::move(error);
    return false;
  }

  /// Passes on the answers that are left; failing to do so outweighs what came before.
  [[nodiscard]] RouteResult result() {
    static_cast<void>(flush());
    return result_;
  }

 private:
  void append_answer() {
    const HashPoint point = hash_point(hash_, key_.components());
    out_ += R"({"epk":")";
    if (hash_ == HashVersion::v1) {
      append_epk_hex(hash_, key_.components(), out_);
    } else {
      append_boundary_hex(hash_, point, out_);
    }
    out_ += R"(","partition":)";
    std::array<char, 20> digits{};
    char* const first = digits.data();
    out_.append(first, std::to_chars(first, first + digits.size(), owner_of(ranges_, point)).ptr);
    out_ += "}\n";
    ++result_.keys;
  }

  HashVersion hash_;
  std::vector<HashRange> ranges_;
  const RouteWriter& write_;
  KeyLine key_;
  std::string out_;
  RouteResult result_;
};

/// Lines out of blocks. There is room for the longest line and a block behind it, so that a line
/// never has to be put together from pieces.
class LineBuffer {
 public:
  /// Bytes read, 0 at the end, negative if reading failed.
  std::ptrdiff_t fill(const RouteReader& read) {
    std::memmove(bytes_.get(), bytes_.get() + begin_, end_ - begin_);
    searched_ -= begin_;
    end_ -= begin_;
    begin_ = 0;
    const std::ptrdiff_t got = read(std::span<char>(bytes_.get() + end_, kBlockBytes));
    end_ += got > 0 ? static_cast<std::size_t>(got) : 0;
    return got;
  }

  /// The next complete line, without its end.
  [[nodiscard]] bool next_line(std::string_view& line) noexcept {
    const void* found = std::memchr(bytes_.get() + searched_, '\n', end_ - searched_);
    if (found == nullptr) {
      searched_ = end_;
      return false;
    }
    const auto at = static_cast<std::size_t>(static_cast<const char*>(found) - bytes_.get());
    line = without_return({bytes_.get() + begin_, at - begin_});
    begin_ = at + 1;
    searched_ = begin_;
    return true;
  }

  /// What no line end has followed yet.
  [[nodiscard]] std::string_view rest() const noexcept {
    return without_return({bytes_.get() + begin_, end_ - begin_});
  }
  [[nodiscard]] bool empty() const noexcept { return begin_ == end_; }

 private:
  static std::string_view without_return(std::string_view line) noexcept {
    if (!line.empty() && line.back() == '\r') {
      line.remove_suffix(1);
    }
    return line;
  }

  // An array, because a vector would first fill a megabyte that most streams never touch.
  std::unique_ptr<char[]> bytes_ =  // NOLINT(modernize-avoid-c-arrays): see above
      std::make_unique_for_overwrite<char[]>(kRouteLineMax + 2 + kBlockBytes);  // NOLINT
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t searched_ = 0;
};

/// Answers the lines of one stream and counts them.
class LineRouter {
 public:
  explicit LineRouter(Router& router) : router_(router) {}

  [[nodiscard]] bool answer(std::string_view line) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (++number_ == 1 && line.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
      line.remove_prefix(kByteOrderMark.size());
    }
    return router_.answer(line, true, [this] { return std::to_string(number_); });
  }

  /// All complete lines, and the refusal of one that is already too long.
  [[nodiscard]] bool answer_complete(LineBuffer& buffer) {
    std::string_view line;
    while (buffer.next_line(line)) {
      if (!answer(line)) {
        return false;
      }
    }
    return buffer.rest().size() <= kRouteLineMax || answer(buffer.rest());
  }

 private:
  Router& router_;
  std::uint64_t number_ = 0;
};

}  // namespace

int route_exit_code(RouteStatus status) noexcept {
  switch (status) {
    case RouteStatus::ok:
      return exit_ok;
    case RouteStatus::bad_input:
      return exit_usage;
    case RouteStatus::over_limit:
      return exit_over_limit;
    case RouteStatus::cannot_read:
    case RouteStatus::cannot_write:
      return exit_files;
    case RouteStatus::stopped:
      break;
  }
  return exit_signal_base + 2;
}

RouteReader descriptor_reader(int descriptor, const std::atomic<bool>* stop) {
  return [descriptor, stop](std::span<char> buffer) -> std::ptrdiff_t {
    // A restarted read() would sleep through the signal. The limit of the wait covers a signal that
    // comes between the question and the wait.
    constexpr int kWaitMs = 200;
    pollfd input{descriptor, POLLIN, 0};
    while (stop != nullptr && !stop->load() && ::poll(&input, 1, kWaitMs) <= 0) {
    }
    if (stop != nullptr && stop->load()) {
      return 0;
    }
    ssize_t got = -1;
    do {
      got = ::read(descriptor, buffer.data(), buffer.size());
    } while (got < 0 && errno == EINTR);
    return got;
  };
}

RouteWriter descriptor_writer(int descriptor) {
  return [descriptor](std::string_view text) { return write_all(descriptor, text); };
}

RouteResult route_stream(const RouteOptions& options, const RouteReader& read,
                         const RouteWriter& write) {
  if (std::string error = option_error(options); !error.empty()) {
    return {RouteStatus::bad_input, 0, std::move(error)};
  }
  const auto stopped = [&options] { return options.stop != nullptr && options.stop->load(); };
  Router router(options, write);
  LineRouter lines(router);
  LineBuffer buffer;
  bool going = true;
  while (going) {
    errno = 0;
    const std::ptrdiff_t got = buffer.fill(read);
    const int reason = errno;
    going = lines.answer_complete(buffer) && router.flush();
    if (going && stopped()) {
      going = router.fail(RouteStatus::stopped, {});
    } else if (going && got < 0) {
      going =
          router.fail(RouteStatus::cannot_read, with_reason("error: cannot read the keys", reason));
    } else if (going && got == 0) {
      // The last line may lack its end. Its status is kept in the router either way.
      static_cast<void>(buffer.empty() || lines.answer(buffer.rest()));
      going = false;
    }
  }
  return router.result();
}

RouteResult route_arguments(const RouteOptions& options, std::span<const std::string> keys,
                            const RouteWriter& write) {
  if (std::string error = option_error(options); !error.empty()) {
    return {RouteStatus::bad_input, 0, std::move(error)};
  }
  Router router(options, write);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool is_json = !keys[i].empty() && keys[i].front() == '[';
    const auto place = [i] { return "argument " + std::to_string(i + 1); };
    if (!router.answer(keys[i], is_json, place)) {
      break;
    }
  }
  return router.result();
}

}  // namespace partsim
