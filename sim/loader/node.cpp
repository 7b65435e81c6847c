#include <algorithm>

#include "tree.hpp"

namespace partsim {

const TreeNode* TreeNode::find(std::string_view key) const {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [key](const Entry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &found->value;
}

TreeNode* TreeNode::find(std::string_view key) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [key](const Entry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &found->value;
}

std::string describe(const TreeNode& node) {
  switch (node.kind) {
    case TreeNode::Kind::empty:
      return node.text.empty() ? "nothing" : quoted(node.text);
    case TreeNode::Kind::scalar:
      return quoted(node.text);
    case TreeNode::Kind::list:
      return "a list";
    case TreeNode::Kind::map:
      break;
  }
  return "a mapping";
}

std::size_t count_nodes(const TreeNode& node) {
  std::size_t count = 1;
  for (const TreeNode& item : node.items) {
    count += count_nodes(item);
  }
  for (const Entry& entry : node.entries) {
    count += 1 + count_nodes(entry.value);
  }
  return count;
}

}  // namespace partsim
