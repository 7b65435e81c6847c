#include "explain.hpp"

#include <algorithm>

#include "text.hpp"

namespace partsim {
namespace {

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
    }
    out += c;
  }
  return out += '"';
}

/// What was written plainly stays plain, so that numbers stay numbers.
std::string scalar_text(const TreeNode& node, bool in_flow) {
  const bool needs_quotes = in_flow && node.text.find_first_of(",[]{}") != std::string::npos;
  return node.is_quoted || needs_quotes ? in_quotes(node.text) : node.text;
}

std::string key_text(const std::string& key) {
  return lower_case(key) == "null" ? in_quotes(key) : key;
}

bool same(const TreeNode& a, const TreeNode& b) {
  const auto same_entry = [](const Entry& x, const Entry& y) {
    return x.key == y.key && same(x.value, y.value);
  };
  return a.kind == b.kind && a.text == b.text && a.is_quoted == b.is_quoted &&
         std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), same) &&
         std::equal(a.entries.begin(), a.entries.end(), b.entries.begin(), b.entries.end(),
                    same_entry);
}

/// The mappings of `node` without what `base` says already.
TreeNode difference(const TreeNode& node, const TreeNode& base) {
  TreeNode result = node;
  result.entries.clear();
  for (const Entry& entry : node.entries) {
    const TreeNode* known = base.find(entry.key);
    if (known != nullptr && same(*known, entry.value)) {
      continue;
    }
    const bool both_maps = known != nullptr && known->is_map() && entry.value.is_map();
    result.entries.push_back(
        both_maps ? Entry{entry.key, entry.key_place, difference(entry.value, *known)} : entry);
  }
  return result;
}

class Printer {
 public:
  void map(const TreeNode& node, std::size_t indent) {
    for (const Entry& entry : node.entries) {
      out_ += std::string(indent, ' ') + key_text(entry.key) + ":";
      value(entry.value, indent + 2);
    }
  }
  void line(const std::string& text) { out_ += text + "\n"; }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  void end_line(const TreeNode& node) {
    out_ += node.is_default ? "  # default" : "";
    out_ += node.note.empty() ? "\n" : "  # " + node.note + "\n";
  }

  void value(const TreeNode& node, std::size_t indent) {
    if (node.is_map() && !node.entries.empty()) {
      out_ += "\n";
      map(node, indent);
    } else if (node.is_list() && !node.items.empty() &&
               std::all_of(node.items.begin(), node.items.end(),
                           [](const TreeNode& item) { return item.is_map(); })) {
      out_ += "\n";
      sections(node, indent);
    } else {
      out_ += " " + flow(node);
      end_line(node);
    }
  }

  void sections(const TreeNode& list, std::size_t indent) {
    for (const TreeNode& item : list.items) {
      const std::size_t begin = out_.size();
      map(item, indent + 2);
      out_[begin + indent] = '-';
    }
  }

  static std::string flow(const TreeNode& node, bool in_flow = false) {
    if (node.is_map()) {
      std::string text = "{";
      for (const Entry& entry : node.entries) {
        text +=
            (text.size() > 1 ? ", " : "") + key_text(entry.key) + ": " + flow(entry.value, true);
      }
      return text += "}";
    }
    if (!node.is_list()) {
      return scalar_text(node, in_flow);
    }
    std::string text = "[";
    for (const TreeNode& item : node.items) {
      text += (text.size() > 1 ? ", " : "") + flow(item, true);
    }
    return text += "]";
  }

  std::string out_;
};

}  // namespace

std::string explain_trees(const StudyFile& study, const TreeNode& base,
                          const std::vector<NamedTree>& variants) {
  Printer printer;
  printer.line("# Resolved scenario; `# default` marks what the file left out.");
  printer.line("partsim: 1");
  printer.line("name: " + in_quotes(study.name));
  printer.line("title: " + in_quotes(study.title));
  if (!study.group.empty()) {
    printer.line("group: " + study.group);
  }
  if (!study.lesson.empty()) {
    printer.line("lesson: " + in_quotes(study.lesson));
  }
  printer.map(base, 0);
  if (!variants.empty()) {
    printer.line("variants:  # each with what differs from the scenario above");
    for (const NamedTree& variant : variants) {
      TreeNode entry;
      entry.kind = TreeNode::Kind::map;
      entry.entries.push_back({variant.name, {}, difference(variant.tree, base)});
      printer.map(entry, 2);
    }
  }
  if (!study.expectations.empty()) {
    printer.line("expect:");
    for (const Expectation& expectation : study.expectations) {
      printer.line("  - " + in_quotes(expectation.rule));
    }
  }
  return printer.take();
}

}  // namespace partsim
