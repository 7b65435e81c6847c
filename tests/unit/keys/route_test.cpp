#include "partsim/cli/route.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <nlohmann/json.hpp>

#include "partsim/core/rng.hpp"

#include "support/catch.hpp"
#include "vectors.hpp"

namespace partsim {
namespace {

/// A stream that hands out a text in pieces of the given size.
RouteReader pieces_of(std::string text, std::size_t piece) {
  return [text = std::move(text), piece, at = std::size_t{0}](std::span<char> buffer) mutable {
    const std::size_t size = std::min({piece, buffer.size(), text.size() - at});
    std::memcpy(buffer.data(), text.data() + at, size);
    at += size;
    return static_cast<std::ptrdiff_t>(size);
  };
}

struct Routed {
  RouteResult result;
  std::string out;
};

Routed route(const RouteOptions& options, const std::string& input,
             std::size_t piece = std::size_t{1} << 20) {
  Routed routed;
  routed.result = route_stream(options, pieces_of(input, piece), [&routed](std::string_view text) {
    routed.out += text;
    return true;
  });
  return routed;
}

Routed route_v2(const std::string& input) {
  return route({HashVersion::v2, 10}, input);
}

/// The error of one line as the second of a stream, after one good line.
std::string error_of(const std::string& line, HashVersion hash = HashVersion::v2) {
  const Routed routed = route({hash, 10}, "[1]\n" + line + "\n[2]\n");
  if (routed.result.status == RouteStatus::ok) {
    return "accepted";
  }
  CHECK(routed.result.status == RouteStatus::bad_input);
  CHECK(routed.result.keys == 1);  // the good line before stays answered, none after it is
  CHECK(std::count(routed.out.begin(), routed.out.end(), '\n') == 1);
  CHECK(routed.result.error.size() <= 200);
  return routed.result.error;
}

std::string epk_of(const std::string& line, HashVersion hash = HashVersion::v2) {
  const Routed routed = route({hash, 1}, line);
  INFO(line << " " << routed.result.error);
  CHECK(routed.result.status == RouteStatus::ok);
  const std::string before = R"({"epk":")";
  REQUIRE(routed.out.size() > before.size());
  return routed.out.substr(before.size(), routed.out.find("\",") - before.size());
}

const std::string kDate = R"({"epk":"37A47DB3EA1A030DB57FD8587FD7D414","partition":8})";

TEST_CASE("An answer is one JSON object a line, without spaces", "[route]") {
  const Routed routed = route_v2("[\"2018-08-09\"]\n[5.5]\n");
  CHECK(routed.result.status == RouteStatus::ok);
  CHECK(routed.result.keys == 2);
  CHECK(routed.result.error.empty());
  CHECK(routed.out ==
        kDate + "\n" + R"({"epk":"0E2EE47829D1AF775EEFB6540FD1D0ED","partition":2})" + "\n");
}

TEST_CASE("All keys of the public SDKs' tests pass through the stream unharmed", "[route]") {
  const std::vector<EpkVector> vectors = read_epk_vectors();
  for (const HashVersion hash : {HashVersion::v1, HashVersion::v2, HashVersion::multihash}) {
    std::string input;
    std::string expected;
    for (const EpkVector& vector : vectors) {
      if (vector.version == hash) {
        input += vector.json + "\n";
        expected += R"({"epk":")" + vector.epk + R"(","partition":0})" + "\n";
      }
    }
    REQUIRE_FALSE(expected.empty());
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{1} << 20}) {
      const Routed routed = route({hash, 1}, input, piece);
      CHECK(routed.result.error.empty());
      CHECK(routed.out == expected);
    }
  }
}

TEST_CASE("An empty key and a prefix of a hierarchical key belong to the owner of their point",
          "[route]") {
  CHECK(route_v2("[]\n").out == "{\"epk\":\"\",\"partition\":0}\n");
  CHECK(route({HashVersion::v1, 10}, "[ ]\n").out == "{\"epk\":\"\",\"partition\":0}\n");
  // "a" hashes to 3A53..., the last of four ranges, alone or with more below it.
  const RouteOptions four{HashVersion::multihash, 4};
  CHECK_THAT(route(four, "[\"a\"]").out, has_text("\"partition\":3"));
  CHECK_THAT(route(four, "[\"a\",\"b\"]").out, has_text("\"partition\":3"));
}

TEST_CASE("The largest number of partitions is accepted and one more is not", "[route]") {
  CHECK(route({HashVersion::v2, kMaxRanges}, "[1]").result.status == RouteStatus::ok);
  CHECK(route({HashVersion::v2, 1}, "[1]").result.status == RouteStatus::ok);
  for (const std::uint32_t partitions : {0U, kMaxRanges + 1}) {
    const RouteResult result = route({HashVersion::v2, partitions}, "[1]").result;
    CHECK(result.status == RouteStatus::bad_input);
    CHECK_THAT(result.error, has_text("'--partitions' is " + std::to_string(partitions)));
    CHECK_THAT(result.error, has_text("outside 1..1048576"));
  }
}

TEST_CASE("A hierarchical key has at most three components, v1 and v2 hash any number", "[route]") {
  CHECK(error_of("[1,2,3]", HashVersion::multihash) == "accepted");
  CHECK(error_of("[1,2,3,4]", HashVersion::multihash) ==
        "2:8: error: too many components, expected at most 3 for a hierarchical key");
  CHECK(error_of("[1,2,3,4]", HashVersion::v2) == "accepted");
  CHECK(error_of("[1,2,3,4]", HashVersion::v1) == "accepted");
}

TEST_CASE("Numbers are keys by their value: -0 is the integer zero, -0.0 is not", "[route]") {
  CHECK(epk_of("[5]") == epk_of("[5.0]"));
  CHECK(epk_of("[5]") == epk_of("[0.5e1]"));
  CHECK(epk_of("[5]") == epk_of("[50E-1]"));
  CHECK(epk_of("[-0]") == epk_of("[0]"));
  CHECK(epk_of("[-0.0]") != epk_of("[0]"));
  CHECK(epk_of("[-0.0]") == "3D018BB1DF3DB27235766E81FD10406E");
  CHECK(epk_of("[-0e0]") == epk_of("[-0.0]"));
  CHECK(epk_of("[9223372036854775807]") == epk_of("[9223372036854775806]"));
  CHECK(epk_of("[5e-324]") == "0E6CBA63A280927DE485DEF865800139");
}

TEST_CASE("A number beyond the largest double is refused, one below the smallest is zero",
          "[route]") {
  CHECK(error_of("[1.7976931348623157e308]") == "accepted");
  const std::string beyond = "2:2: error: a number beyond the largest double";
  CHECK_THAT(error_of("[1e309]"), has_text(beyond));
  CHECK_THAT(error_of("[-1e400]"), has_text(beyond));
  CHECK_THAT(error_of("[0.001e99999999999999999999]"), has_text(beyond));
  CHECK_THAT(error_of("[1" + std::string(400, '0') + "e-5]"), has_text(beyond));
  CHECK(epk_of("[1e-400]") == epk_of("[0]"));
  CHECK(epk_of("[-1e-400]") == epk_of("[-0.0]"));
  CHECK(epk_of("[0." + std::string(400, '0') + "1e5]") == epk_of("[0]"));
  CHECK(epk_of("[1e-99999999999999999999]") == epk_of("[0]"));
}

TEST_CASE("Undefined is written as an object, in long or as on the wire", "[route]") {
  CHECK(epk_of(R"([{"undefined":true}])", HashVersion::v1) == "05C1D529E345DC00");
  CHECK(epk_of(R"([ { "undefined" : true } ])", HashVersion::v1) == "05C1D529E345DC00");
  CHECK(epk_of("[{}]", HashVersion::v1) == "05C1D529E345DC00");
  CHECK(epk_of("[{ }]", HashVersion::v1) == "05C1D529E345DC00");
  const std::string refused = "2:2: error: an object that is no component";
  CHECK_THAT(error_of(R"([{"undefined":false}])"), has_text(refused));
  CHECK_THAT(error_of(R"([{"undefined":true,"a":1}])"), has_text(refused));
  CHECK_THAT(error_of(R"([{"a":1}])"), has_text(refused));
  CHECK_THAT(error_of(R"([{"undefined")"), has_text(refused));
  CHECK_THAT(error_of("[{"), has_text(refused));
}

TEST_CASE("Escapes in strings mean the characters they stand for", "[route]") {
  CHECK(epk_of(R"(["\u0061\u00e9\u20AC\ud83d\ude00"])") == epk_of("[\"aé€😀\"]"));
  CHECK(epk_of(R"(["2018\u002d08-09"])") == "37A47DB3EA1A030DB57FD8587FD7D414");
  CHECK(epk_of(R"(["a\/b"])") == epk_of(R"(["a/b"])"));
  CHECK(epk_of(R"(["\b\f\n\r\t\"\\"])") ==
        epk_of(R"(["\u0008\u000C\u000a\u000d\u0009\u0022\u005c"])"));
  // A zero is a character like any other.
  const std::vector<KeyComponent> zero{std::string("a\0b", 3)};
  CHECK(epk_of(R"(["a\u0000b"])") == epk_hex(HashVersion::v2, zero));
}

TEST_CASE("A bad escape is reported at its backslash", "[route]") {
  CHECK_THAT(error_of(R"(["ab\q"])"), has_text("2:5: error: unknown escape, expected one of"));
  CHECK_THAT(error_of(R"(["\u12G4"])"), has_text("2:3: error: incomplete escape"));
  CHECK_THAT(error_of(R"(["\u12)"), has_text("2:3: error: incomplete escape"));
  CHECK_THAT(error_of(R"(["\u-123"])"), has_text("2:3: error: incomplete escape"));
  CHECK_THAT(error_of(R"(["\ud83d"])"), has_text("2:3: error: half a surrogate pair"));
  CHECK_THAT(error_of(R"(["\ud83dx"])"), has_text("2:3: error: half a surrogate pair"));
  CHECK_THAT(error_of(R"(["\ud83d\u0041"])"), has_text("2:3: error: half a surrogate pair"));
  CHECK_THAT(error_of(R"(["\ude00"])"), has_text("2:3: error: half a surrogate pair"));
  CHECK_THAT(error_of(R"(["\)"), has_text("2:3: error: unknown escape"));
}

TEST_CASE("A malformed line is reported with line, column, what is wrong and what is right",
          "[route]") {
  CHECK(error_of("") == "2:1: error: empty line, expected a JSON array of key components");
  CHECK(error_of(" \t") == "2:1: error: empty line, expected a JSON array of key components");
  CHECK(error_of("\"a\"") == "2:1: error: unexpected '\"', expected '[' to begin a key");
  CHECK(error_of("[") ==
        "2:2: error: unexpected end of line, expected a string, number, true, false, null or "
        "{\"undefined\":true}");
  CHECK(error_of("[1") == "2:3: error: unexpected end of line, expected ',' or ']'");
  CHECK(error_of("[1 2]") == "2:4: error: unexpected '2', expected ',' or ']'");
  CHECK(error_of("[1] [2]") == "2:5: error: unexpected '[', expected one array a line");
  CHECK_THAT(error_of("[1,]"), has_text("2:4: error: unexpected ']', expected a string"));
  CHECK_THAT(error_of("[,1]"), has_text("2:2: error: unexpected ',', expected a string"));
  CHECK_THAT(error_of("[[1]]"), has_text("2:2: error: an array inside a key"));
  CHECK_THAT(error_of("[nul]"), has_text("2:2: error: unknown word 'nul'"));
  CHECK_THAT(error_of("[True]"), has_text("2:2: error: unknown word 'True'"));
  CHECK_THAT(error_of("[NaN]"), has_text("2:2: error: unknown word 'NaN'"));
  CHECK_THAT(error_of("[-Infinity]"), has_text("2:3: error: unexpected 'I', expected a digit"));
  CHECK_THAT(error_of("['a']"), has_text("2:2: error: unexpected '''"));
  CHECK_THAT(error_of("[\"a]"), has_text("2:2: error: unterminated string"));
  CHECK_THAT(error_of("[\"a\tb\"]"), has_text("2:4: error: control character \\x09"));
  CHECK_THAT(error_of(std::string("[\"a\0b\"]", 7)),
             has_text("2:4: error: control character \\x00"));
  CHECK_THAT(error_of("[01]"), has_text("2:2: error: a number with a leading zero"));
  CHECK_THAT(error_of("[1.]"), has_text("2:4: error: unexpected ']', expected a digit after '.'"));
  CHECK_THAT(error_of("[1e]"), has_text("2:4: error: unexpected ']', expected a digit of the exp"));
  CHECK_THAT(error_of("[1e+-2]"), has_text("2:5: error: unexpected '-'"));
  CHECK_THAT(error_of("[+1]"), has_text("2:2: error: unexpected '+'"));
  CHECK_THAT(error_of("[.5]"), has_text("2:2: error: unexpected '.'"));
  CHECK_THAT(error_of("[0x10]"), has_text("2:3: error: unexpected 'x'"));
}

TEST_CASE("Columns count characters, and quotes of the input stay short and printable", "[route]") {
  CHECK_THAT(error_of("[\"é€😀\" x]"), has_text("2:8: error: unexpected 'x'"));
  CHECK_THAT(error_of("[\"a\" €]"), has_text("2:6: error: unexpected '€'"));
  CHECK_THAT(error_of("[\"a\" \x1b[2J]"), has_text("unexpected \\x1B,"));
  CHECK_THAT(error_of("[\"a\" \xC2\x9B]"), has_text("unexpected \\xC2,"));
  const std::string error = error_of("[" + std::string(500, 'w') + "]");
  CHECK_THAT(error, has_text(std::string(40, 'w') + "'"));
  CHECK(error.find(std::string(41, 'w')) == std::string::npos);
}

TEST_CASE("Text that is not UTF-8 is refused at its first bad byte", "[route]") {
  for (const std::string bad :
       {"\xFF", "\xC0\xAF", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\x80", "\xC3", "\xE2\x82", "\xF0\x9F\x98"}) {
    INFO(nlohmann::json(std::vector<int>(bad.begin(), bad.end())).dump());
    CHECK_THAT(error_of("[\"aé" + bad + "\"]"), has_text("2:5: error: invalid UTF-8 \\x"));
  }
  for (const std::string good : {"\xC2\x80", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
                                 "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF", "\x7F"}) {
    CHECK(error_of("[\"" + good + "\"]") == "accepted");
  }
}

TEST_CASE("Line ends of Windows, a missing last line end and a byte order mark do no harm",
          "[route]") {
  CHECK(route_v2("[\"2018-08-09\"]\r\n[\"2018-08-09\"]\r\n").out == kDate + "\n" + kDate + "\n");
  CHECK(route_v2("[\"2018-08-09\"]\n[\"2018-08-09\"]").out == kDate + "\n" + kDate + "\n");
  CHECK(route_v2("[\"2018-08-09\"]\r").out == kDate + "\n");
  CHECK(route_v2("\xEF\xBB\xBF[\"2018-08-09\"]\n").out == kDate + "\n");
  CHECK_THAT(route_v2("\xEF\xBB\xBFx\n").result.error, has_text("1:1: error: unexpected 'x'"));
  CHECK_THAT(error_of("\xEF\xBB\xBF[1]"), has_text("2:1: error: unexpected"));
}

TEST_CASE("No input gives no answers and no error", "[route]") {
  const Routed routed = route_v2("");
  CHECK(routed.result.status == RouteStatus::ok);
  CHECK(routed.result.keys == 0);
  CHECK(routed.out.empty());
}

TEST_CASE("A malformed last line without its end is an error too", "[route]") {
  const Routed routed = route_v2("[\"2018-08-09\"]\n[");
  CHECK(routed.result.status == RouteStatus::bad_input);
  CHECK_THAT(routed.result.error, has_text("2:2: error: unexpected end of line"));
  CHECK(routed.out == kDate + "\n");
}

TEST_CASE("A line of 1 MiB is answered and one byte more is over the limit", "[route]") {
  const auto line = [](std::size_t size) { return "[\"" + std::string(size - 4, 'k') + "\"]"; };
  for (const std::size_t piece : {std::size_t{4'096}, std::size_t{1} << 21}) {
    for (const std::string end : {"\n", "\r\n", ""}) {
      const Routed longest =
          route({HashVersion::v2, 1}, "[1]\n" + line(kRouteLineMax) + end, piece);
      CHECK(longest.result.status == RouteStatus::ok);
      CHECK(longest.result.keys == 2);
      const Routed longer =
          route({HashVersion::v2, 1}, "[1]\n" + line(kRouteLineMax + 1) + end, piece);
      CHECK(longer.result.status == RouteStatus::over_limit);
      CHECK(longer.result.keys == 1);
      CHECK_THAT(longer.result.error, has_text("2:1: error: longer than 1048576 bytes"));
    }
  }
  // A stream without any line end is refused before it is read to its end.
  std::size_t asked = 0;
  const RouteReader endless = [&asked](std::span<char> buffer) {
    ++asked;
    std::fill(buffer.begin(), buffer.end(), 'k');
    return static_cast<std::ptrdiff_t>(buffer.size());
  };
  const RouteResult result =
      route_stream({HashVersion::v2, 1}, endless, [](std::string_view) { return true; });
  CHECK(result.status == RouteStatus::over_limit);
  CHECK(asked < 100);
}

TEST_CASE("Lines longer than a block and blocks of many lines give the same answers", "[route]") {
  const RngStream stream(5, "route", "lines");
  std::string input;
  std::uint64_t lines = 0;
  for (std::uint64_t i = 0; i < 20'000; ++i, ++lines) {
    input += "[\"" + std::string(bounded(stream.draw(i), 40), 'x') + std::to_string(i) + "\"]\n";
  }
  input += "[\"" + std::string(700'000, 'y') + "\"]\n[1]\n";
  const Routed whole = route_v2(input);
  CHECK(whole.result.keys == lines + 2);
  CHECK(route({HashVersion::v2, 10}, input, 997).out == whole.out);
  CHECK(route({HashVersion::v2, 10}, input, 65'536).out == whole.out);
}

TEST_CASE("What one read brought is answered before the next read", "[route]") {
  std::vector<std::string> pieces = {"[1]\n[2]\n[", "3]\n", ""};
  std::string out;
  std::vector<std::size_t> answered;  // lines written when each read was made
  const RouteReader read = [&](std::span<char> buffer) {
    answered.push_back(static_cast<std::size_t>(std::count(out.begin(), out.end(), '\n')));
    const std::string piece = pieces[answered.size() - 1];
    std::copy(piece.begin(), piece.end(), buffer.begin());
    return static_cast<std::ptrdiff_t>(piece.size());
  };
  const RouteResult result = route_stream({}, read, [&out](std::string_view text) {
    out += text;
    return true;
  });
  CHECK(result.status == RouteStatus::ok);
  CHECK(answered == std::vector<std::size_t>{0, 2, 3});
}

TEST_CASE("A failed read or write ends the stream and says why", "[route]") {
  const RouteReader broken = [](std::span<char>) -> std::ptrdiff_t {
    errno = EIO;
    return -1;
  };
  const RouteResult unread = route_stream({}, broken, [](std::string_view) { return true; });
  CHECK(unread.status == RouteStatus::cannot_read);
  CHECK_THAT(unread.error, has_text("error: cannot read the keys: "));
  int writes = 0;
  const RouteWriter full = [&writes](std::string_view) {
    ++writes;
    errno = ENOSPC;
    return false;
  };
  const RouteResult unwritten = route_stream({}, pieces_of("[1]\n[2]\n", 4), full);
  CHECK(unwritten.status == RouteStatus::cannot_write);
  CHECK_THAT(unwritten.error, has_text("error: cannot write the answers: "));
  CHECK(writes == 1);
  // Answers that could not be written outweigh a malformed line after them.
  CHECK(route_stream({}, pieces_of("[1]\n[", 100), full).status == RouteStatus::cannot_write);
}

TEST_CASE("A stop request ends the stream after what has been read", "[route]") {
  std::atomic<bool> stop{false};
  RouteOptions options;
  options.stop = &stop;
  const RouteReader read = [&stop](std::span<char> buffer) {
    const std::string piece = "[1]\n[2";  // the second line never ends
    std::copy(piece.begin(), piece.end(), buffer.begin());
    stop = true;
    return static_cast<std::ptrdiff_t>(piece.size());
  };
  const RouteResult result = route_stream(options, read, [](std::string_view) { return true; });
  CHECK(result.status == RouteStatus::stopped);
  CHECK(result.keys == 1);
  CHECK(result.error.empty());
}

TEST_CASE("File descriptors serve as input and output, and a stop ends the wait for input",
          "[route]") {
  int in[2] = {-1, -1};
  int out[2] = {-1, -1};
  REQUIRE(::pipe(in) == 0);
  REQUIRE(::pipe(out) == 0);
  const std::string line = "[\"2018-08-09\"]\n";
  REQUIRE(::write(in[1], line.data(), line.size()) == static_cast<ssize_t>(line.size()));
  std::atomic<bool> stop{false};
  RouteOptions options{HashVersion::v2, 10, &stop};
  // The other end of the input stays open: only the stop, set by the first answer, ends it.
  const RouteWriter writer = descriptor_writer(out[1]);
  const RouteWriter stopping = [&stop, &writer](std::string_view text) {
    stop = true;
    return writer(text);
  };
  const RouteResult result = route_stream(options, descriptor_reader(in[0], &stop), stopping);
  CHECK(result.status == RouteStatus::stopped);
  CHECK(descriptor_reader(in[0], &stop)(std::span<char>()) == 0);
  std::string answer(200, '\0');
  answer.resize(static_cast<std::size_t>(::read(out[0], answer.data(), answer.size())));
  CHECK(answer == kDate + "\n");
  for (const int descriptor : {in[0], in[1], out[0], out[1]}) {
    ::close(descriptor);
  }
  char byte = 0;
  CHECK(descriptor_reader(-1)(std::span<char>(&byte, 1)) < 0);
  CHECK_FALSE(descriptor_writer(-1)("x"));
}

TEST_CASE("Keys as arguments are texts as they are, or arrays", "[route]") {
  const RouteOptions options{HashVersion::v2, 10};
  std::string out;
  const RouteWriter write = [&out](std::string_view text) {
    out += text;
    return true;
  };
  const std::vector<std::string> keys = {"2018-08-09", "[\"2018-08-09\"]", "[5.5]"};
  const RouteResult result = route_arguments(options, keys, write);
  CHECK(result.status == RouteStatus::ok);
  CHECK(result.keys == 3);
  CHECK(out == kDate + "\n" + kDate + "\n" +
                   R"({"epk":"0E2EE47829D1AF775EEFB6540FD1D0ED","partition":2})" + "\n");
  // `5` is the text, not the number; nothing at all is the empty text.
  const auto answer_of = [&](const std::string& key) {
    out.clear();
    const std::vector<std::string> one = {key};
    CHECK(route_arguments(options, one, write).status == RouteStatus::ok);
    return out;
  };
  CHECK(answer_of("5") == answer_of("[\"5\"]"));
  CHECK(answer_of("5") != answer_of("[5]"));
  CHECK_THAT(answer_of(""), has_text("32E9366E637A71B4E710384B2F4970A0"));
  CHECK(answer_of("a\"b") == answer_of(R"(["a\"b"])"));
}

TEST_CASE("A malformed argument is named by its number, and those before it are answered",
          "[route]") {
  std::string out;
  const std::vector<std::string> keys = {"2018-08-09", "[1,]", "x"};
  const RouteResult result =
      route_arguments({HashVersion::v2, 10}, keys, [&out](std::string_view text) {
        out += text;
        return true;
      });
  CHECK(result.status == RouteStatus::bad_input);
  CHECK(out == kDate + "\n");
  CHECK_THAT(result.error, has_text("argument 2:4: error: unexpected ']'"));
  const std::vector<std::string> bad = {"a\xFF"};
  CHECK_THAT(route_arguments({}, bad, [](std::string_view) { return true; }).error,
             has_text("argument 1:2: error: invalid UTF-8 \\xFF"));
}

TEST_CASE("Each way to end has its exit code", "[route]") {
  CHECK(route_exit_code(RouteStatus::ok) == 0);
  CHECK(route_exit_code(RouteStatus::bad_input) == 2);
  CHECK(route_exit_code(RouteStatus::over_limit) == 4);
  CHECK(route_exit_code(RouteStatus::cannot_read) == 3);
  CHECK(route_exit_code(RouteStatus::cannot_write) == 3);
  CHECK(route_exit_code(RouteStatus::stopped) == 130);
}

/// Whether a general JSON reader takes the line for an array of components.
bool is_key_by_library(const std::string& line) {
  const nlohmann::json value = nlohmann::json::parse(line, nullptr, false);
  return value.is_array() && std::all_of(value.begin(), value.end(), [](const nlohmann::json& c) {
           return (c.is_primitive() && !c.is_discarded()) || c == nlohmann::json::object() ||
                  c == nlohmann::json{{"undefined", true}};
         });
}

TEST_CASE(
    "Lines with random damage are accepted exactly when they still are JSON arrays of "
    "components",
    "[route]") {
  const std::vector<std::string> seeds = {R"(["2018-08-09"])",
                                          R"([1, -2.5e+3, 0.125, 1E2])",
                                          R"([true,false,null])",
                                          R"([{"undefined":true},{}])",
                                          R"(["\u00e9\ud83d\ude00\n\\"])",
                                          "[\"é€😀\", \"\"]",
                                          "[]"};
  const std::string alphabet = "[]{}\",:\\ \tutrefalsn0123456789.-+eE\xC3\xA9\x80\xFF/x";
  const RngStream stream(6, "route", "damage");
  const RouteWriter ignore = [](std::string_view) { return true; };
  int accepted = 0;
  int refused = 0;
  for (std::uint64_t i = 0; i < 60'000; ++i) {
    std::string line = seeds[bounded(stream.draw(i, 0), seeds.size())];
    const std::uint64_t edits = 1 + bounded(stream.draw(i, 1), 2);
    for (std::uint64_t edit = 0; edit < edits && !line.empty(); ++edit) {
      const std::size_t at = bounded(stream.draw(i, 2 + 3 * edit), line.size());
      const char letter = alphabet[bounded(stream.draw(i, 3 + 3 * edit), alphabet.size())];
      const std::uint64_t kind = bounded(stream.draw(i, 4 + 3 * edit), 3);
      if (kind == 0) {
        line[at] = letter;
      } else if (kind == 1) {
        line.insert(at, 1, letter);
      } else {
        line.erase(at, 1);
      }
    }
    if (line.empty() || line.front() != '[') {
      continue;  // an argument that is no array is a text
    }
    const std::vector<std::string> keys = {line};
    const RouteStatus status = route_arguments({HashVersion::v2, 3}, keys, ignore).status;
    const bool ours = status == RouteStatus::ok;
    const bool theirs = is_key_by_library(line);
    if (ours != theirs) {
      FAIL_CHECK("draw " << i << ": " << line << (ours ? " accepted" : " refused"));
    }
    (ours ? accepted : refused) += 1;
  }
  CHECK(accepted > 5'000);
  CHECK(refused > 5'000);
}

}  // namespace
}  // namespace partsim
