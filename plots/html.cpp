#include "html.hpp"

#include "partsim/core/assert.hpp"

namespace partsim {

void Html::begin(std::string_view name, HtmlAttributes attributes) {
  out_ += '<';
  out_ += name;
  for (const HtmlAttribute& attribute : attributes) {
    out_ += ' ';
    out_ += attribute.first;
    out_ += "=\"";
    out_ += markup_text(attribute.second);
    out_ += '"';
  }
}

void Html::open(std::string_view name, HtmlAttributes attributes) {
  begin(name, attributes);
  out_ += '>';
  open_.emplace_back(name);
}

void Html::close() {
  PARTSIM_ASSERT(!open_.empty(), "every element that is closed was opened");
  out_ += "</";
  out_ += open_.back();
  out_ += '>';
  open_.pop_back();
}

void Html::add(std::string_view name, std::string_view text, HtmlAttributes attributes) {
  open(name, attributes);
  add_text(text);
  close();
}

void Html::add_void(std::string_view name, HtmlAttributes attributes) {
  begin(name, attributes);
  out_ += "/>";
}

void Html::add_lines(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find_first_of("\t\n\r");
    add_text(text.substr(0, end));
    if (end == std::string_view::npos) {
      return;
    }
    if (text[end] != '\r') {
      out_ += text[end];
    }
    text.remove_prefix(end + 1);
  }
}

}  // namespace partsim
