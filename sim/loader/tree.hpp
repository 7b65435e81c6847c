/// A scenario file as our own tree, each key and value with its place. The YAML library stays
/// behind this line: it accepts too much (duplicate keys, cycles, second documents) to be trusted
/// further.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text.hpp"

namespace partsim {

struct Entry;

struct TreeNode {
  enum class Kind : std::uint8_t { empty, scalar, list, map };
  Kind kind = Kind::empty;
  bool is_quoted = false;   // a quoted scalar is never a number
  bool is_default = false;  // not written by anybody: the language's own value
  Place place;
  std::string note;             // what the resolved view says beside it
  std::string text;             // of a scalar; of an empty value what stood there ("null", "~", "")
  std::vector<TreeNode> items;  // of a list
  std::vector<Entry> entries;   // of a map, in the order of the file

  [[nodiscard]] const TreeNode* find(std::string_view key) const;
  [[nodiscard]] TreeNode* find(std::string_view key);
  [[nodiscard]] bool is_scalar() const { return kind == Kind::scalar; }
  [[nodiscard]] bool is_list() const { return kind == Kind::list; }
  [[nodiscard]] bool is_map() const { return kind == Kind::map; }
};

struct Entry {
  std::string key;
  Place key_place;
  TreeNode value;
};

/// A mistake on its way to a Diagnostic, which also knows the file's name.
struct Fault {
  Place place;
  std::string message;
  std::string hint;
  bool over_limit = false;
};

inline constexpr std::size_t kMaxFileBytes = 1'048'576;
inline constexpr std::size_t kMaxDepth = 32;
inline constexpr std::size_t kMaxNodes = 100'000;
inline constexpr std::size_t kMaxScalarBytes = 65'536;

struct ParsedTree {
  std::optional<TreeNode> root;  // empty after a mistake that ends reading
  std::vector<Fault> faults;     // that one, or all duplicate keys
};

/// Reads a whole file; its root must be a mapping. Never throws on bad text.
[[nodiscard]] ParsedTree parse_file_tree(std::string_view bytes);
/// Reads the value of a `--set`, where a lone scalar or list is welcome.
[[nodiscard]] ParsedTree parse_value_tree(std::string_view bytes, std::uint32_t origin);

/// "a mapping", "a list", "nothing" or the quoted scalar, for the end of a message.
[[nodiscard]] std::string describe(const TreeNode& node);
/// Nodes of a tree: values and keys.
[[nodiscard]] std::size_t count_nodes(const TreeNode& node);

}  // namespace partsim
