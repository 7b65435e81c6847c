#include "tree.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <sstream>
#include <unordered_map>
#include <utility>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

namespace partsim {
namespace {

/// Leaves the YAML library's recursion at the first mistake that makes the rest meaningless.
struct Refused {
  Fault fault;
};

[[noreturn]] void refuse(Place place, std::string message, bool over_limit = false) {
  throw Refused{{place, std::move(message), {}, over_limit}};
}

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/// What the YAML library says, in the words of a scenario's author.
std::string plain_words(const std::string& library_message) {
  using Translation = std::pair<std::string_view, std::string_view>;
  static constexpr std::array<Translation, 16> kWords{{
      {"end of sequence flow not found", "list is not closed, expected ] or a comma"},
      {"end of map flow not found", "mapping is not closed, expected } or a comma"},
      {"end of map not found", "bad indentation, expected a key in line with the keys above"},
      {"end of sequence not found", "bad indentation, expected - in line with the items above"},
      {"illegal EOF in scalar", "text is not closed, expected a quote"},
      {"illegal tab when looking for indentation", "tab in indentation, expected spaces"},
      {"illegal map value", "unexpected colon or a key too long, expected one 'key: value' a line"},
      {"illegal map key", "unexpected key, expected one 'key: value' a line"},
      {"illegal block entry", "unexpected -, expected a key in line with the keys above"},
      {"illegal flow end", "unexpected ] or }, expected none: nothing is open here"},
      {"unknown token", "reserved character, expected text that starts with it to be quoted"},
      {"the referenced anchor is not defined", "aliases are not allowed"},
      {"alias not found after *", "aliases are not allowed"},
      {"anchor not found after &", "anchors are not allowed"},
      {"bad file", "nested deeper than 32 levels"},
      {"unexpected character in block scalar", "unexpected character after | or >"},
  }};
  for (const auto& [library, ours] : kWords) {
    if (library_message == library) {
      return std::string(ours);
    }
  }
  return "not valid YAML: " + shortened(escaped(library_message), 80);
}

/// Whether the bracket at `offset` finds its partner. The library takes a list that never ends for
/// the beginning of a key.
bool is_closed(std::string_view text, std::size_t offset) {
  std::size_t depth = 0;
  char quote = '\0';
  for (; offset < text.size(); ++offset) {
    const char c = text[offset];
    if (quote != '\0') {
      quote = c == quote ? '\0' : quote;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if ((c == ']' || c == '}') && --depth == 0) {
      return true;
    }
  }
  return false;
}

/// The first tab of a line's indentation, if there is one.
std::optional<std::size_t> find_indenting_tab(std::string_view text, std::size_t offset) {
  const std::size_t newline = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  std::size_t at = newline == std::string_view::npos ? 0 : newline + 1;
  while (at < text.size() && text[at] == ' ') {
    ++at;
  }
  return at < text.size() && text[at] == '\t' ? std::optional(at) : std::nullopt;
}

class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view text, std::uint32_t origin)
      : text_(text), is_file_(origin == 0), places_(text, origin) {}

  void OnDocumentStart(const YAML::Mark& mark) override;
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse(place(mark), "aliases are not allowed");
  }
  void OnAnchor(const YAML::Mark& mark, const std::string&) override {
    refuse(place(mark), "anchors are not allowed");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override { close(); }

  [[nodiscard]] Place place(const YAML::Mark& mark) { return places_.at(offset_of(mark)); }
  /// What the library found, at its place or at a better one.
  [[noreturn]] void refuse_error(const YAML::Exception& error) {
    if (const auto tab = find_indenting_tab(text_, offset_of(error.mark))) {
      refuse(places_.at(*tab), "tab in indentation, expected spaces");
    }
    refuse(place(error.mark), plain_words(error.msg));
  }
  [[nodiscard]] TreeNode take_root() { return std::move(root_); }
  [[nodiscard]] std::vector<Fault> take_faults() { return std::move(faults_); }

 private:
  /// A map or list still being read.
  struct Frame {
    TreeNode node;
    bool is_flow = false;
    bool has_key = false;       // map: the next event is the value of `entry`
    bool is_duplicate = false;  // that value is dropped
    std::size_t key_end = 0;    // byte after that key's colon
    Entry entry;
    std::unordered_map<std::string, Place> seen;
  };

  /// The library counts columns in bytes; its position is the byte, from which we count ourselves.
  [[nodiscard]] std::size_t offset_of(const YAML::Mark& mark) const {
    return std::min(text_.size(), static_cast<std::size_t>(std::max(mark.pos, 0)));
  }
  void begin_node(std::size_t offset, const std::string& tag, YAML::anchor_t anchor);
  void open(TreeNode::Kind kind, std::size_t offset, YAML::EmitterStyle::value style);
  void close();
  void add(TreeNode node);
  void set_key(std::string key, std::size_t offset, std::size_t end);
  [[nodiscard]] bool expects_key() const {
    return !frames_.empty() && frames_.back().node.is_map() && !frames_.back().has_key;
  }
  [[nodiscard]] std::size_t end_of_quoted(std::size_t offset);
  [[nodiscard]] std::size_t offset_of_missing(std::size_t next_token) const;

  std::string_view text_;
  bool is_file_;
  PlaceFinder places_;
  std::vector<Frame> frames_;
  TreeNode root_;
  std::vector<Fault> faults_;
  std::size_t nodes_ = 0;
  std::size_t documents_ = 0;
  std::size_t first_document_ = 0;
};

void TreeBuilder::OnDocumentStart(const YAML::Mark& mark) {
  const std::size_t offset = offset_of(mark);
  if (++documents_ == 1) {
    first_document_ = offset;
    return;
  }
  const std::string_view rest = text_.substr(offset);
  if (rest.starts_with("---")) {
    refuse(place(mark), "more than one document, expected one scenario a file");
  }
  // The library makes no progress on a character that cannot start a document; it would loop for
  // ever.
  if (offset == first_document_) {
    refuse(place(mark),
           "unexpected " + quoted(rest.substr(0, 1)) + ", expected 'key: value' lines");
  }
  if (text_.substr(0, offset).find("\n...") != std::string_view::npos) {
    refuse(place(mark), "text after the end of the document, expected none");
  }
  refuse(place(mark), "bad indentation, expected a key in line with the keys above");
}

void TreeBuilder::begin_node(std::size_t offset, const std::string& tag, YAML::anchor_t anchor) {
  if (anchor != 0) {
    refuse(places_.at(offset), "anchors are not allowed");
  }
  // "?" and "!" are the library's own marks for plain and quoted; a tag somebody wrote begins with
  // "!".
  const bool is_written = offset < text_.size() && text_[offset] == '!';
  if (is_written || (tag != "?" && tag != "!" && !tag.empty())) {
    refuse(places_.at(offset), "tags are not allowed");
  }
  if (++nodes_ > kMaxNodes) {
    refuse(places_.at(offset), "more than 100000 keys and values", true);
  }
}

std::size_t TreeBuilder::end_of_quoted(std::size_t offset) {
  const char quote = text_[offset];
  for (std::size_t at = offset + 1; at < text_.size(); ++at) {
    if (text_[at] == '\\' && quote == '"') {
      ++at;
    } else if (text_[at] == quote) {
      if (quote == '\'' && at + 1 < text_.size() && text_[at + 1] == '\'') {
        ++at;
        continue;
      }
      return at + 1;
    }
  }
  // The library takes a text left open at the last line end as if it were closed.
  refuse(places_.at(offset), "text is not closed, expected a quote");
}

void TreeBuilder::set_key(std::string key, std::size_t offset, std::size_t end) {
  Frame& frame = frames_.back();
  const Place where = places_.at(offset);
  if (key == "<<") {
    refuse(where, "merge keys are not allowed");
  }
  std::size_t colon = end;
  while (colon < text_.size() && is_blank(text_[colon])) {
    ++colon;
  }
  if (colon >= text_.size() || text_[colon] != ':') {
    refuse(where, "key " + quoted(key) + " has no value, expected 'key: value'");
  }
  const auto [first, is_new] = frame.seen.emplace(key, where);
  if (!is_new) {
    faults_.push_back({where,
                       "duplicate key " + quoted(key) + ", first at " +
                           std::to_string(first->second.line) + ":" +
                           std::to_string(first->second.column),
                       {}});
  }
  frame.has_key = true;
  frame.key_end = colon + 1;
  frame.is_duplicate = !is_new;
  frame.entry.key = std::move(key);
  frame.entry.key_place = where;
}

void TreeBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& value) {
  const std::size_t offset = offset_of(mark);
  begin_node(offset, tag, anchor);
  if (value.size() > kMaxScalarBytes) {
    refuse(places_.at(offset), "text is longer than 65536 bytes", true);
  }
  const char first = offset < text_.size() ? text_[offset] : '\0';
  const bool has_quotes = tag == "!" && (first == '"' || first == '\'');
  const std::size_t end = has_quotes ? end_of_quoted(offset) : offset + value.size();
  if (const auto fault = find_fault_in_value(value)) {
    refuse(places_.at(offset), fault->message + " in text");
  }
  if (expects_key()) {
    set_key(value, offset, end);
    return;
  }
  TreeNode node;
  node.kind = TreeNode::Kind::scalar;
  node.is_quoted = tag == "!";
  node.place = places_.at(offset);
  node.text = value;
  add(std::move(node));
}

/// The library marks a value that is not there with whatever comes next; the author looks for it
/// behind the colon or the dash.
std::size_t TreeBuilder::offset_of_missing(std::size_t next_token) const {
  const Frame& frame = frames_.back();
  if (frame.node.is_map()) {
    std::size_t at = frame.key_end;
    while (at < text_.size() && text_[at] == ' ') {
      ++at;
    }
    const bool is_written = text_.substr(at).starts_with("~") || text_.substr(at, 4) == "null" ||
                            text_.substr(at, 4) == "Null" || text_.substr(at, 4) == "NULL";
    return is_written ? at : frame.key_end;
  }
  if (frame.is_flow || text_.substr(next_token).starts_with("~") ||
      lower_case(text_.substr(next_token, 4)) == "null") {
    return next_token;
  }
  for (std::size_t end = next_token;;) {
    const std::size_t newline = end == 0 ? std::string_view::npos : text_.rfind('\n', end - 1);
    const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
    const std::string_view line = text_.substr(begin, end - begin);
    const std::size_t dash = line.substr(0, line.find('#')).rfind('-');
    if (dash != std::string_view::npos) {
      return begin + dash + 1;
    }
    if (begin == 0) {
      return next_token;
    }
    end = begin - 1;
  }
}

void TreeBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  std::size_t offset = offset_of(mark);
  begin_node(offset, "?", anchor);
  if (expects_key()) {
    refuse(places_.at(offset), "keys must be text, got none");
  }
  TreeNode node;
  if (!frames_.empty()) {
    offset = offset_of_missing(offset);
    const std::string_view word = text_.substr(offset, 4);
    node.text = lower_case(word) == "null" ? std::string(word) : word.starts_with("~") ? "~" : "";
  }
  node.place = places_.at(offset);
  add(std::move(node));
}

void TreeBuilder::open(TreeNode::Kind kind, std::size_t offset, YAML::EmitterStyle::value style) {
  if (expects_key() && style == YAML::EmitterStyle::Flow && !is_closed(text_, offset)) {
    refuse(places_.at(offset), kind == TreeNode::Kind::list ? "list is not closed, expected ]"
                                                            : "mapping is not closed, expected }");
  }
  if (expects_key()) {
    refuse(places_.at(offset), kind == TreeNode::Kind::list ? "keys must be text, got a list"
                                                            : "keys must be text, got a mapping");
  }
  if (frames_.empty() && is_file_ && kind == TreeNode::Kind::list) {
    refuse(places_.at(offset), "the file must be a mapping of keys, got a list");
  }
  if (frames_.size() == kMaxDepth) {
    refuse(places_.at(offset), "nested deeper than 32 levels", true);
  }
  Frame frame;
  frame.node.kind = kind;
  frame.node.place = places_.at(offset);
  frame.is_flow = style == YAML::EmitterStyle::Flow;
  frames_.push_back(std::move(frame));
}

void TreeBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag,
                                  YAML::anchor_t anchor, YAML::EmitterStyle::value style) {
  begin_node(offset_of(mark), tag, anchor);
  open(TreeNode::Kind::list, offset_of(mark), style);
}

void TreeBuilder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                             YAML::EmitterStyle::value style) {
  begin_node(offset_of(mark), tag, anchor);
  open(TreeNode::Kind::map, offset_of(mark), style);
}

void TreeBuilder::close() {
  TreeNode done = std::move(frames_.back().node);
  frames_.pop_back();
  add(std::move(done));
}

void TreeBuilder::add(TreeNode node) {
  if (frames_.empty()) {
    root_ = std::move(node);
    return;
  }
  Frame& frame = frames_.back();
  if (frame.node.is_list()) {
    frame.node.items.push_back(std::move(node));
    return;
  }
  frame.has_key = false;
  if (!frame.is_duplicate) {
    frame.entry.value = std::move(node);
    frame.node.entries.push_back(std::move(frame.entry));
  }
  frame.entry = {};
}

/// The library drops a directive in the middle of a file, and all that follows it, without a word.
std::optional<std::size_t> find_directive(std::string_view text) {
  if (text.starts_with("%")) {
    return 0;
  }
  const std::size_t at = text.find("\n%");
  return at == std::string_view::npos ? std::nullopt : std::optional<std::size_t>(at + 1);
}

TreeNode parse(std::string_view text, std::uint32_t origin, std::vector<Fault>& faults) {
  PlaceFinder places(text, origin);
  if (text.size() > kMaxFileBytes) {
    refuse(places.at(0), "larger than 1048576 bytes", true);
  }
  if (const auto fault = find_fault_in_file(text)) {
    refuse(places.at(fault->offset), fault->message);
  }
  if (const auto directive = find_directive(text)) {
    refuse(places.at(*directive), "directives are not allowed, expected no line to begin with %");
  }
  std::istringstream stream{std::string(text)};
  TreeBuilder builder(text, origin);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    builder.refuse_error(error);
  }
  faults = builder.take_faults();
  return builder.take_root();
}

ParsedTree guarded_parse(std::string_view text, std::uint32_t origin) {
  ParsedTree result;
  try {
    result.root = parse(text, origin, result.faults);
  } catch (Refused& refused) {
    result.root.reset();
    result.faults = {std::move(refused.fault)};
  } catch (const std::bad_alloc&) {
    result.root.reset();
    result.faults = {{{origin, 1, 1}, "not enough memory to read it", {}, true}};
  }
  return result;
}

}  // namespace

ParsedTree parse_file_tree(std::string_view bytes) {
  static constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (bytes.starts_with(kByteOrderMark)) {
    bytes.remove_prefix(kByteOrderMark.size());
  }
  ParsedTree result = guarded_parse(bytes, 0);
  if (!result.root || result.root->is_map()) {
    return result;
  }
  const TreeNode& root = *result.root;
  Fault fault{{0, 1, 1}, "empty scenario, expected 'partsim: 1' and more", {}};
  if (root.kind != TreeNode::Kind::empty) {
    fault = {root.place, "the file must be a mapping of keys, got " + describe(root), {}};
    if (root.is_scalar() && root.text.find(':') != std::string::npos) {
      fault.hint = "is a space missing after the colon?";
    }
  }
  return {std::nullopt, {std::move(fault)}};
}

ParsedTree parse_value_tree(std::string_view bytes, std::uint32_t origin) {
  return guarded_parse(bytes, origin);
}

}  // namespace partsim
