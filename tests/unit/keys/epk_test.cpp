#include "partsim/keys/epk.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "partsim/core/rng.hpp"
#include "partsim/keys/murmur3.hpp"

#include "support/catch.hpp"
#include "vectors.hpp"

namespace partsim {
namespace {

using Key = std::vector<KeyComponent>;

std::string text(const std::string& value) {
  return value;
}

std::string v1(const Key& key) {
  return epk_hex(HashVersion::v1, key);
}
std::string v2(const Key& key) {
  return epk_hex(HashVersion::v2, key);
}
std::string multihash(const Key& key) {
  return epk_hex(HashVersion::multihash, key);
}

std::string repeated(const std::string& piece, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) {
    all += piece;
  }
  return all;
}

/// A string or number drawn from a stream; strings of up to 20 ASCII letters.
KeyComponent random_component(const RngStream& stream, std::uint64_t index) {
  const std::uint64_t kind = bounded(stream.draw(index, 0), 3);
  if (kind == 0) {
    return static_cast<double>(bounded(stream.draw(index, 1), 1'000'000)) / 8.0;
  }
  const std::uint64_t size = bounded(stream.draw(index, 2), 21);
  std::string letters;
  for (std::uint64_t i = 0; i < size; ++i) {
    letters += static_cast<char>('a' + bounded(stream.draw(index * 32 + i, 3), 26));
  }
  return letters;
}

TEST_CASE("All keys of the public SDKs' tests get the effective partition key they expect",
          "[keys]") {
  const std::vector<EpkVector> vectors = read_epk_vectors();
  REQUIRE(vectors.size() == 93);
  for (const EpkVector& vector : vectors) {
    INFO(hash_version_name(vector.version) << " " << vector.json);
    CHECK(epk_hex(vector.version, vector.components) == vector.epk);
  }
}

TEST_CASE("V1 of the validation table: the provider's hash, exactly", "[keys][validation]") {
  CHECK(v2({text("")}) == "32E9366E637A71B4E710384B2F4970A0");
  CHECK(v2({text("partitionKey")}) == "013AEFCF77FA271571CF665A58C933F1");
  CHECK(v2({text("redmond")}) == "22E342F38A486A088463DFF7838A5963");
  CHECK(v2({std::string(1024, 'a')}) == "332BDF5512AE49615F32C7D98C2DB86C");
  CHECK(v2({Null{}}) == "378867E4430E67857ACE5C908374FE16");
  CHECK(v2({true}) == "0E711127C5B5A8E4726AC6DD306A3E59");
  CHECK(v2({false}) == "2FE1BE91E90A3439635E0E9E37361EF2");
  CHECK(v2({5.0}) == "19C08621B135968252FB34B4CF66F811");
  CHECK(v2({127.0}) == "0C507ACAC853ECA7977BF4CEFB562A25");
  CHECK(v2({-128.0}) == "01DAEDABF913540367FE219B2AD06148");
  CHECK(v2({5.0, text("redmond"), true, Null{}}) == "3032DECBE2AB1768D8E0AEDEA35881DF");
}

TEST_CASE("The worked examples of the three algorithms come out digit by digit", "[keys]") {
  CHECK(v2({text("Hello World")}) == "306C52B42DECB3AE9D3C7586975E30B9");
  CHECK(v2({5.5}) == "0E2EE47829D1AF775EEFB6540FD1D0ED");
  CHECK(v1({text("redmond")}) == "05C1EFE313830C087366656E706F6500");
  CHECK(v1({5.0}) == "05C1D9C1C5517C05C014");
  CHECK(multihash({text("a"), text("b")}) ==
        "3A5381E1114EB8D3FCC90795045B49B7195644569A78B1E22D200348AF9416CE");
}

TEST_CASE("No components give the empty key, which is not the key of an undefined value",
          "[keys]") {
  for (const HashVersion version : {HashVersion::v1, HashVersion::v2, HashVersion::multihash}) {
    CHECK(epk_hex(version, {}).empty());
    CHECK(hash_point(version, {}).levels == 0);
    const Key undefined{Undefined{}};
    CHECK_FALSE(epk_hex(version, undefined).empty());
    const Key null{Null{}};
    CHECK(epk_hex(version, undefined) != epk_hex(version, null));
  }
}

TEST_CASE("Numbers are doubles: 5 is 5.0, neighbours beyond 2^53 collide, -0.0 is not 0.0",
          "[keys]") {
  CHECK(v2({static_cast<double>(9223372036854775807LL)}) ==
        v2({static_cast<double>(9223372036854775806LL)}));
  CHECK(v2({-0.0}) != v2({0.0}));
  // In v1 both zeros have one tail, 05 80 00, but different hashes.
  CHECK(v1({-0.0}) != v1({0.0}));
  CHECK(v1({-0.0}).substr(v1({-0.0}).size() - 6) == "058000");
  CHECK(v1({0.0}).substr(v1({0.0}).size() - 6) == "058000");
}

TEST_CASE("A v1 number's tail is its order-preserving encoding", "[keys]") {
  const auto ends_with = [](const std::string& epk, const std::string& tail) {
    return epk.size() > tail.size() && epk.substr(epk.size() - tail.size()) == tail;
  };
  CHECK(ends_with(v1({0.0}), "058000"));
  CHECK(ends_with(v1({2.0}), "05C000"));
  CHECK(ends_with(v1({0.5}), "05BFE0"));
  CHECK(ends_with(v1({5.0}), "05C014"));
  CHECK(ends_with(v1({5.5}), "05C016"));
  CHECK(ends_with(v1({-1.0}), "054010"));
}

TEST_CASE("A v1 string is cut after 100 UTF-16 units, so longer ones share their key", "[keys]") {
  const std::string hundred(100, 'x');
  CHECK(v1({hundred}) == v1({hundred + "y"}));
  CHECK(v1({hundred}) != v1({std::string(99, 'x') + "y"}));
  // U+1F600 takes two units: 50 of them fill the limit, the next letter is lost.
  const std::string faces = repeated("\xF0\x9F\x98\x80", 50);
  CHECK(v1({faces}) == v1({faces + "y"}));
  CHECK(v1({repeated("\xF0\x9F\x98\x80", 49) + "a"}) != v1({repeated("\xF0\x9F\x98\x80", 49)}));
  // Three-byte characters are one unit each: the hash sees up to 300 bytes.
  const std::string signs = repeated("\xE2\x82\xAC", 100);
  CHECK(v1({signs}) == v1({signs + "y"}));
  CHECK(v1({signs}) != v1({repeated("\xE2\x82\xAC", 99) + "y"}));
}

TEST_CASE("A v1 cut through a surrogate pair leaves U+FFFD, as .NET does", "[keys]") {
  const std::string almost(99, 'x');
  CHECK(v1({almost + "\xF0\x9F\x98\x80"}) == v1({almost + "\xEF\xBF\xBD"}));
  const std::string less(98, 'x');
  CHECK(v1({less + "\xF0\x9F\x98\x80"}) != v1({less + "\xEF\xBF\xBD"}));
}

TEST_CASE("A v1 tail keeps 100 bytes and a terminator, or 101 bytes and none", "[keys]") {
  const auto tail_of = [](const std::string& value) {
    const std::string epk = v1({value});
    const std::string hash = boundary_hex(HashVersion::v1, hash_point(HashVersion::v1, Key{value}));
    REQUIRE(epk.substr(0, hash.size()) == hash);
    return epk.substr(hash.size());
  };
  CHECK(tail_of(std::string(100, 'a')) == "08" + repeated("62", 100) + "00");
  // 60 two-byte characters are 60 units and 120 bytes.
  const std::string cyrillic = repeated("\xD0\xB0", 60);
  CHECK(tail_of(cyrillic) == "08" + repeated("D1B1", 50) + "D1");
  CHECK(tail_of(repeated("\xD0\xB0", 50)) == "08" + repeated("D1B1", 50) + "00");
  CHECK(tail_of(repeated("\xD0\xB0", 50) + "a") == "08" + repeated("D1B1", 50) + "62");
  CHECK(v1({cyrillic}).size() == 2 * 109);
}

TEST_CASE("The point of a v1 key is its 32-bit hash, whatever its tail", "[keys]") {
  const Key redmond{text("redmond")};
  const HashPoint point = hash_point(HashVersion::v1, redmond);
  CHECK(point.levels == 1);
  CHECK(static_cast<std::uint64_t>(point.level[0]) == 4263665798U);
  CHECK(boundary_hex(HashVersion::v1, point) == "05C1EFE313830C");
}

TEST_CASE("A hierarchical key's prefix has a string prefix of the key's text", "[keys]") {
  const RngStream stream(7, "multihash", "components");
  for (std::uint64_t i = 0; i < 500; ++i) {
    const Key key{random_component(stream, 3 * i), random_component(stream, 3 * i + 1),
                  random_component(stream, 3 * i + 2)};
    const std::string full = multihash(key);
    INFO("key " << i << " " << full);
    REQUIRE(full.size() == 96);
    CHECK(full.substr(0, 32) == multihash({key[0]}));
    CHECK(full.substr(0, 64) == multihash({key[0], key[1]}));
    CHECK(full.substr(64) == v2({key[2]}));
  }
}

TEST_CASE("The fast paths for one string and one number agree with the definition", "[keys]") {
  // What the definition says, step by step: tag, bytes, terminator, hash, mask.
  const RngStream stream(3, "fast path", "bytes");
  const Uint128 mask = hash_space_max(HashVersion::v2);
  std::string letters;
  for (std::uint64_t size = 0; size <= 300; ++size) {
    const std::string exact(letters.begin(), letters.end());
    const Hash128 hash = murmur3_x64_128("\x08" + exact + "\xFF");
    INFO("size " << size);
    CHECK((hash_string_v2(exact) == ((static_cast<Uint128>(hash.h2) << 64 | hash.h1) & mask)));
    letters += static_cast<char>(stream.draw(size) & 0x7F);
  }
  CHECK(boundary_hex(HashVersion::v2, {{hash_number_v2(5.5)}, 1}) ==
        "0E2EE47829D1AF775EEFB6540FD1D0ED");
  const std::string longest(2048, 'k');
  CHECK(boundary_hex(HashVersion::v2, {{hash_string_v2(longest)}, 1}) == v2({longest}));
}

TEST_CASE("Keys beyond the service's 2 KB are hashed in full, not cut", "[keys]") {
  const std::string large(5'000, 'a');
  const Key pair{large, text("b")};
  const Hash128 hash = murmur3_x64_128("\x08" + large + "\xFF\x08" + "b\xFF");
  const Uint128 whole = static_cast<Uint128>(hash.h2) << 64 | hash.h1;
  CHECK((hash_point(HashVersion::v2, pair).level[0] == (whole & hash_space_max(HashVersion::v2))));
}

TEST_CASE("Every v2 hash stays below 2^126, so its text begins with 0, 1, 2 or 3", "[keys]") {
  bool above_half = false;
  for (int i = 0; i < 1'000; ++i) {
    const std::string epk = v2({static_cast<double>(i)});
    REQUIRE(epk.size() == 32);
    CHECK(epk[0] <= '3');
    above_half = above_half || epk[0] >= '2';
  }
  CHECK(above_half);
}

TEST_CASE("The names of the algorithms lead back to them, and no other name does", "[keys]") {
  for (const HashVersion version : {HashVersion::v1, HashVersion::v2, HashVersion::multihash}) {
    CHECK(hash_version_from_name(hash_version_name(version)) == version);
  }
  CHECK_FALSE(hash_version_from_name("V2").has_value());
  CHECK_FALSE(hash_version_from_name("").has_value());
}

}  // namespace
}  // namespace partsim
