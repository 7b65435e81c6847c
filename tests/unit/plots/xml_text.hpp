/// A small reader of XML, enough to tell whether a chart is well formed and what it says.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace partsim::testing {

class XmlReader {
 public:
  explicit XmlReader(std::string_view xml) : rest_(xml) {
    while (!rest_.empty() && fault_.empty()) {
      if (rest_.starts_with("<!--")) {
        skip_past("-->");
      } else if (rest_.starts_with("<![CDATA[")) {
        skip_past("]]>");
      } else if (rest_.starts_with("<?") || rest_.starts_with("<!")) {
        skip_past(">");
      } else if (rest_.starts_with('<')) {
        read_tag();
      } else if (rest_.starts_with('&')) {
        read_entity();
      } else if (rest_.front() >= 0 && rest_.front() < ' ' &&
                 std::string_view("\t\r\n").find(rest_.front()) == std::string_view::npos) {
        fault_ = "a control character";
      } else {
        text_ += rest_.front();
        rest_.remove_prefix(1);
      }
    }
    if (fault_.empty() && !open_.empty()) {
      fault_ = "<" + open_.back() + "> is not closed";
    }
  }

  [[nodiscard]] const std::string& fault() const { return fault_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void skip_past(std::string_view end) {
    const std::size_t at = rest_.find(end);
    if (at == std::string_view::npos) {
      fault_ = "no " + std::string(end);
      return;
    }
    rest_.remove_prefix(at + end.size());
  }

  void read_entity() {
    using Entity = std::pair<std::string_view, char>;
    constexpr std::array<Entity, 6> kEntities{{{"&amp;", '&'},
                                               {"&lt;", '<'},
                                               {"&gt;", '>'},
                                               {"&quot;", '"'},
                                               {"&apos;", '\''},
                                               {"&#39;", '\''}}};
    for (const auto& [name, character] : kEntities) {
      if (rest_.starts_with(name)) {
        text_ += character;
        rest_.remove_prefix(name.size());
        return;
      }
    }
    fault_ = "a bare & at " + std::string(rest_.substr(0, 20));
  }

  void read_tag() {
    std::size_t end = 1;
    char quote = 0;
    for (; end < rest_.size() && (quote != 0 || rest_[end] != '>'); ++end) {
      const char c = rest_[end];
      if (c == '<') {
        break;  // not even quotes may hold one
      }
      quote = c == quote ? '\0' : quote == 0 && (c == '"' || c == '\'') ? c : quote;
    }
    if (end >= rest_.size() || rest_[end] != '>') {
      fault_ = "a bare < at " + std::string(rest_.substr(0, 20));
      return;
    }
    const std::string_view tag = rest_.substr(1, end - 1);
    const bool closes = tag.starts_with('/');
    const std::string_view inner = closes ? tag.substr(1) : tag;
    const std::string name(inner.substr(0, inner.find_first_of(" \t\r\n/")));
    if (closes && (open_.empty() || open_.back() != name)) {
      fault_ = "</" + name + "> closes nothing";
    } else if (closes) {
      open_.pop_back();
    } else if (!tag.ends_with('/')) {
      open_.push_back(name);
    }
    rest_.remove_prefix(end + 1);
  }

  std::string_view rest_;
  std::vector<std::string> open_;
  std::string fault_;
  std::string text_;
};

/// What is wrong with the form; empty if nothing is.
inline std::string xml_fault(std::string_view xml) {
  return XmlReader(xml).fault();
}

/// The text a reader sees; no-break spaces, which gnuplot writes to keep them all, as plain ones.
inline std::string xml_text(std::string_view xml) {
  std::string text = XmlReader(xml).text();
  for (std::size_t at = text.find("\u00A0"); at != std::string::npos; at = text.find("\u00A0")) {
    text.replace(at, 2, " ");
  }
  return text;
}

}  // namespace partsim::testing
