#include "partsim/keys/epk.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "partsim/core/assert.hpp"
#include "partsim/keys/murmur3.hpp"

#include "murmur3_rounds.hpp"

namespace partsim {

namespace {

// One byte names the type of a component, in hash input and in the tail of a v1 key alike.
constexpr unsigned char kUndefinedTag = 0x00;
constexpr unsigned char kNullTag = 0x01;
constexpr unsigned char kFalseTag = 0x02;
constexpr unsigned char kTrueTag = 0x03;
constexpr unsigned char kNumberTag = 0x05;
constexpr unsigned char kStringTag = 0x08;

constexpr unsigned char kStringEndV1 = 0x00;
constexpr unsigned char kStringEndV2 = 0xFF;

/// The tag of a component that has nothing but its tag.
std::optional<unsigned char> bare_tag(const KeyComponent& component) noexcept {
  if (std::holds_alternative<Undefined>(component)) {
    return kUndefinedTag;
  }
  if (std::holds_alternative<Null>(component)) {
    return kNullTag;
  }
  if (const bool* truth = std::get_if<bool>(&component)) {
    return *truth ? kTrueTag : kFalseTag;
  }
  return std::nullopt;
}

/// Bytes to be hashed. A key within the service's limit of 2 KB stays on the stack.
class HashInput {
 public:
  void append(unsigned char byte) {
    const char one = static_cast<char>(byte);
    append(std::string_view(&one, 1));
  }

  void append(std::string_view bytes) {
    if (spilled_.empty() && bytes.size() <= local_.size() - size_) {
      std::memcpy(local_.data() + size_, bytes.data(), bytes.size());
      size_ += bytes.size();
      return;
    }
    if (spilled_.empty()) {
      spilled_.assign(local_.data(), size_);
    }
    spilled_.append(bytes);
  }

  void append_number(double value) {
    append(kNumberTag);
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (unsigned shift = 0; shift < 64; shift += 8) {
      append(static_cast<unsigned char>(bits >> shift));
    }
  }

  [[nodiscard]] std::span<const char> bytes() const noexcept {
    return spilled_.empty() ? std::span<const char>(local_.data(), size_)
                            : std::span<const char>(spilled_);
  }

 private:
  std::array<char, 2'056> local_;
  std::size_t size_ = 0;
  std::string spilled_;
};

// ---- v2 and multihash
// ----------------------------------------------------------------------------

/// The top two bits are cleared so that every key stays below the sentinel "FF".
Uint128 masked(const Hash128& hash) noexcept {
  const Uint128 whole = static_cast<Uint128>(hash.h2) << 64 | hash.h1;
  return whole & hash_space_max(HashVersion::v2);
}

Uint128 hash_component_v2(const KeyComponent& component) noexcept {
  if (const std::string* text = std::get_if<std::string>(&component)) {
    return hash_string_v2(*text);
  }
  if (const double* number = std::get_if<double>(&component)) {
    return hash_number_v2(*number);
  }
  return masked(Murmur128().finish(bare_tag(component).value_or(kUndefinedTag), 0, 1));
}

Uint128 hash_components_v2(std::span<const KeyComponent> components) {
  if (components.size() == 1) {
    return hash_component_v2(components[0]);
  }
  HashInput input;
  for (const KeyComponent& component : components) {
    if (const std::string* text = std::get_if<std::string>(&component)) {
      input.append(kStringTag);
      input.append(*text);
      input.append(kStringEndV2);
    } else if (const double* number = std::get_if<double>(&component)) {
      input.append_number(*number);
    } else {
      input.append(bare_tag(component).value_or(kUndefinedTag));
    }
  }
  return masked(murmur3_x64_128(input.bytes()));
}

// ---- v1
// ------------------------------------------------------------------------------------------

constexpr std::size_t kUtf16UnitsV1 = 100;
constexpr std::size_t kTailBytesV1 = 100;

/// What v1 sees of a string: its first 100 UTF-16 units. A cut through a surrogate pair leaves a
/// widowed half, which .NET writes as U+FFFD.
struct CutString {
  std::string_view kept;
  std::string_view widow;
};

CutString cut_v1(std::string_view text) noexcept {
  std::size_t units = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0U) == 0x80U) {
      continue;  // inside a character
    }
    const std::size_t width = byte >= 0xF0U ? 2 : 1;
    if (units + width > kUtf16UnitsV1) {
      return {text.substr(0, i), units < kUtf16UnitsV1 ? "\xEF\xBF\xBD" : ""};
    }
    units += width;
  }
  return {text, ""};
}

std::uint32_t hash_components_v1(std::span<const KeyComponent> components) {
  HashInput input;
  for (const KeyComponent& component : components) {
    if (const std::string* text = std::get_if<std::string>(&component)) {
      const CutString cut = cut_v1(*text);
      input.append(kStringTag);
      input.append(cut.kept);
      input.append(cut.widow);
      input.append(kStringEndV1);
    } else if (const double* number = std::get_if<double>(&component)) {
      input.append_number(*number);
    } else {
      input.append(bare_tag(component).value_or(kUndefinedTag));
    }
  }
  return murmur3_x86_32(input.bytes());
}

// ---- text
// ----------------------------------------------------------------------------------------

void append_hex(std::uint64_t byte, std::string& out) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  out += kDigits[(byte >> 4) & 0xF];
  out += kDigits[byte & 0xF];
}

/// Four bytes as eight digits at once: this is what a stream of keys spends its output on.
std::uint64_t hex_digits(std::uint32_t word) noexcept {
  std::uint64_t x = word;
  x = (x | x << 16) & 0x0000FFFF0000FFFF;
  x = (x | x << 8) & 0x00FF00FF00FF00FF;
  x = (x | x << 4) & 0x0F0F0F0F0F0F0F0F;
  // Adding 6 carries into the next bit exactly for the digits A to F.
  const std::uint64_t letters = ((x + 0x0606060606060606) >> 4) & 0x0101010101010101;
  return x + 0x3030303030303030 + letters * ('A' - '0' - 10);
}

void append_hex128(Uint128 value, std::string& out) {
  std::array<char, 32> text{};
  for (std::size_t word = 0; word < 4; ++word) {
    std::uint64_t digits = hex_digits(static_cast<std::uint32_t>(value >> (96 - 32 * word)));
    for (std::size_t i = 8; i-- > 0; digits >>= 8) {
      text[8 * word + i] = static_cast<char>(digits & 0xFF);
    }
  }
  out.append(text.data(), text.size());
}

/// N(value): doubles as bytes that sort like the numbers. The top eight bits first, then seven a
/// byte; the low bit of those says whether more follow, so no encoding is a prefix of another.
void append_number_v1(double value, std::string& out) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  std::uint64_t x = (bits & kSign) == 0 ? bits ^ kSign : 0 - bits;
  append_hex(kNumberTag, out);
  append_hex(x >> 56, out);
  x <<= 8;
  do {
    const std::uint64_t rest = x << 7;
    append_hex((x >> 57) << 1 | (rest != 0 ? 1 : 0), out);
    x = rest;
  } while (x != 0);
}

void append_string_v1(std::string_view text, std::string& out) {
  const CutString cut = cut_v1(text);
  const std::size_t size = cut.kept.size() + cut.widow.size();
  // A longer string loses its terminator and keeps one byte more: the services' SDKs do so.
  const std::size_t shown = size <= kTailBytesV1 ? size : kTailBytesV1 + 1;
  append_hex(kStringTag, out);
  for (std::size_t i = 0; i < shown; ++i) {
    const char byte = i < cut.kept.size() ? cut.kept[i] : cut.widow[i - cut.kept.size()];
    append_hex(static_cast<unsigned char>(byte) + 1U, out);
  }
  if (size <= kTailBytesV1) {
    append_hex(kStringEndV1, out);
  }
}

}  // namespace

std::string_view hash_version_name(HashVersion version) noexcept {
  switch (version) {
    case HashVersion::v1:
      return "v1";
    case HashVersion::v2:
      return "v2";
    case HashVersion::multihash:
      break;
  }
  return "multihash";
}

std::optional<HashVersion> hash_version_from_name(std::string_view name) noexcept {
  for (const HashVersion version : {HashVersion::v1, HashVersion::v2, HashVersion::multihash}) {
    if (name == hash_version_name(version)) {
      return version;
    }
  }
  return std::nullopt;
}

Uint128 hash_space_max(HashVersion version) noexcept {
  return (static_cast<Uint128>(1) << (version == HashVersion::v1 ? 32 : 126)) - 1;
}

/// Word k of the hash input, k at least 1, is the text from byte 8k - 1 on: the tag shifts all by
/// one.
Uint128 hash_string_v2(std::span<const char> utf8) noexcept {
  const char* const text = utf8.data();
  const std::size_t size = utf8.size();
  const std::size_t length = size + 2;
  Murmur128 state;
  if (size < 8) {
    const std::uint64_t end = kStringEndV2;
    const std::uint64_t first = load_short(text, size) << 8 | kStringTag;
    return masked(size == 7 ? state.finish(first, end, length)
                            : state.finish(first | end << (8 * (size + 1)), 0, length));
  }
  const auto word = [text, size](std::size_t offset) noexcept -> std::uint64_t {
    const std::size_t from = offset - 1;
    if (from + 8 <= size) {
      return load64(text + from);
    }
    if (from > size) {
      return 0;  // even the terminator lies before
    }
    const std::size_t left = size - from;
    return load_last(text + size, left) | std::uint64_t{kStringEndV2} << (8 * left);
  };
  std::uint64_t first = load64(text) << 8 | kStringTag;
  std::size_t offset = 0;
  while (offset + 16 <= length) {
    state.block(first, word(offset + 8));
    offset += 16;
    first = word(offset);
  }
  return masked(state.finish(first, word(offset + 8), length));
}

Uint128 hash_number_v2(double value) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return masked(Murmur128().finish(bits << 8 | kNumberTag, bits >> 56, 9));
}

HashPoint hash_point(HashVersion version, std::span<const KeyComponent> components) {
  HashPoint point;
  if (components.empty()) {
    point.levels = 0;
  } else if (version == HashVersion::v1) {
    point.level[0] = hash_components_v1(components);
  } else if (version == HashVersion::v2) {
    point.level[0] = hash_components_v2(components);
  } else {
    PARTSIM_ASSERT(components.size() <= kMaxKeyLevels, "a hierarchical key has at most 3 levels");
    for (std::size_t i = 0; i < components.size(); ++i) {
      point.level[i] = hash_component_v2(components[i]);
    }
    point.levels = static_cast<std::uint8_t>(components.size());
  }
  return point;
}

void append_boundary_hex(HashVersion version, const HashPoint& point, std::string& out) {
  for (std::size_t i = 0; i < point.levels; ++i) {
    if (version == HashVersion::v1) {
      append_number_v1(static_cast<double>(static_cast<std::uint32_t>(point.level[i])), out);
    } else {
      append_hex128(point.level[i], out);
    }
  }
}

std::string boundary_hex(HashVersion version, const HashPoint& point) {
  std::string out;
  append_boundary_hex(version, point, out);
  return out;
}

void append_epk_hex(HashVersion version, std::span<const KeyComponent> components,
                    std::string& out) {
  append_boundary_hex(version, hash_point(version, components), out);
  if (version != HashVersion::v1) {
    return;
  }
  for (const KeyComponent& component : components) {
    if (const std::string* text = std::get_if<std::string>(&component)) {
      append_string_v1(*text, out);
    } else if (const double* number = std::get_if<double>(&component)) {
      append_number_v1(*number, out);
    } else {
      append_hex(bare_tag(component).value_or(kUndefinedTag), out);
    }
  }
}

std::string epk_hex(HashVersion version, std::span<const KeyComponent> components) {
  std::string out;
  append_epk_hex(version, components, out);
  return out;
}

}  // namespace partsim
