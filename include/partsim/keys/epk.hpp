/// Effective partition keys: from key value to the place in hash space that decides the owner.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "partsim/keys/component.hpp"

namespace partsim {

__extension__ using Uint128 = unsigned __int128;

/// The three algorithms of Cosmos DB; `multihash` is what a hierarchical key uses.
enum class HashVersion : std::uint8_t { v1, v2, multihash };

/// `v1`, `v2`, `multihash`: the words of scenario files and of `--hash`.
[[nodiscard]] std::string_view hash_version_name(HashVersion version) noexcept;
[[nodiscard]] std::optional<HashVersion> hash_version_from_name(std::string_view name) noexcept;

inline constexpr std::size_t kMaxKeyLevels = 3;
inline constexpr std::uint32_t kMaxRanges = 1U << 20;

/// Largest hash value: 2^32 - 1 for v1, 2^126 - 1 otherwise.
[[nodiscard]] Uint128 hash_space_max(HashVersion version) noexcept;

/// A place in hash space as integers, one a level. A shorter point sorts before its continuations,
/// exactly as its hex text would.
struct HashPoint {
  std::array<Uint128, kMaxKeyLevels> level{};  // zero beyond `levels`
  std::uint8_t levels = 1;
  /// Lexicographic; missing levels are below every value.
  [[nodiscard]] std::strong_ordering operator<=>(const HashPoint& other) const noexcept;
  [[nodiscard]] bool operator==(const HashPoint& other) const noexcept = default;
};

/// [min, max) of hash space; `open_ended` stands for the exclusive top "FF".
struct HashRange {
  HashPoint min;  // levels == 0 means "", the inclusive bottom
  HashPoint max;
  bool open_ended = true;
  [[nodiscard]] bool contains(const HashPoint& point) const noexcept;
};

/// The full EPK as upper-case hex (for v1 with its tail), as the SDKs print it. No components: "".
/// Strings must be valid UTF-8. v1 and v2 hash any number of components, multihash at most three.
[[nodiscard]] std::string epk_hex(HashVersion version, std::span<const KeyComponent> components);
/// The same at the end of a text, for callers that write many.
void append_epk_hex(HashVersion version, std::span<const KeyComponent> components,
                    std::string& out);

/// The hash of a full key as integers: v1 its 32-bit hash, v2 one 126-bit number, multihash one a
/// level; no level without components. Allocates nothing for keys within the service's 2 KB.
[[nodiscard]] HashPoint hash_point(HashVersion version, std::span<const KeyComponent> components);

/// Fast path of the loop: the v2 hash of one string component.
[[nodiscard]] Uint128 hash_string_v2(std::span<const char> utf8) noexcept;
/// Likewise for one number.
[[nodiscard]] Uint128 hash_number_v2(double value) noexcept;

/// The text of a boundary: v2 and multihash 32 hex digits a level, v1 its encoded number; "" for
/// levels == 0. For v2 and multihash this is also the EPK of the keys at that point.
[[nodiscard]] std::string boundary_hex(HashVersion version, const HashPoint& point);
void append_boundary_hex(HashVersion version, const HashPoint& point, std::string& out);

/// N ranges that tile the space by the service's rule (boundary i at i * floor(M / N)). N from 1 to
/// kMaxRanges.
[[nodiscard]] std::vector<HashRange> initial_ranges(HashVersion version, std::uint32_t count);

/// The parts - 1 boundaries that cut a range into equal parts, the last part taking the remainder;
/// nothing if the range has fewer hash values than parts. Multihash is cut at its first level.
[[nodiscard]] std::optional<std::vector<HashPoint>> cut_points(HashVersion version,
                                                               const HashRange& range,
                                                               std::uint32_t parts);

/// Where a range is cut in two at the middle; `paths` is the number of key levels (1 for v1, v2).
/// Not above `range.min` when the range is too narrow to be cut.
[[nodiscard]] HashPoint midpoint(HashVersion version, const HashRange& range, unsigned paths);

/// What a prefix of a hierarchical key covers: [E, E + "FF"). `prefix` has at least one level.
struct PrefixRange {
  HashPoint prefix;
  [[nodiscard]] bool overlaps(const HashRange& range) const noexcept;
};

/// Index of the owner in ranges sorted by min that tile the space.
[[nodiscard]] std::size_t owner_of(std::span<const HashRange> ranges,
                                   const HashPoint& point) noexcept;

/// Share of uniformly spread keys that a range gets, in parts per 2^32. The widths of ranges that
/// tile the space sum to exactly 2^32; deeper levels of a multihash range weigh nothing.
[[nodiscard]] std::uint64_t range_width_q32(HashVersion version, const HashRange& range) noexcept;

}  // namespace partsim
