#include "partsim/plots/report_page.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "partsim/plots/describe.hpp"
#include "partsim/report/findings.hpp"

#include "chart_json.hpp"
#include "html.hpp"
#include "page_assets.hpp"
#include "page_sections.hpp"
#include "sha256.hpp"

namespace partsim {
namespace {

/// Nothing but the page's own style and script; no address can be reached from it.
std::string policy(const PageAssets& assets) {
  std::string text = "default-src 'none'; base-uri 'none'; form-action 'none'; connect-src 'none'";
  text += "; style-src " + policy_hash(assets.style);
  return text + (assets.interactive() ? "; script-src " + policy_hash(assets.script)
                                      : std::string("; img-src data:"));
}

void add_head(Html& html, const std::string& title, const PageAssets& assets) {
  html.open("head");
  html.end_line();
  html.add_void("meta", {{"charset", "utf-8"}});
  html.add_void("meta", {{"http-equiv", "Content-Security-Policy"}, {"content", policy(assets)}});
  html.add_void("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  html.add_void("meta", {{"name", "color-scheme"}, {"content", "light dark"}});
  html.add_void("meta", {{"name", "generator"}, {"content", "partsim " PARTSIM_VERSION}});
  html.end_line();
  html.add("title", title + " - partsim");
  html.end_line();
  html.open("style");
  html.add_raw(assets.style);
  html.close();
  html.close();
  html.end_line();
}

void add_header(Html& html, const StudyResult& study, const std::string& title) {
  html.add("a", "Skip to the verdict", {{"class", "skip"}, {"href", "#verdict"}});
  html.end_line();
  html.open("header");
  html.add("h1", title);
  html.add("p",
           fmt::format("{}{} variant{}, seed {}, partsim " PARTSIM_VERSION,
                       title == study.name ? "" : study.name + ", ", study.runs.size(),
                       study.runs.size() == 1 ? "" : "s", study.seed),
           {{"class", "about"}});
  html.close();
  html.end_line();
  // filled and shown by the script
  html.add("div", "",
           {{"id", "controls"}, {"role", "toolbar"}, {"aria-label", "View"}, {"hidden", "hidden"}});
  html.end_line();
}

void add_scripts(Html& html, const StudyResult& study, const std::vector<Chart>& charts,
                 const PageAssets& assets) {
  html.open("script", {{"type", "application/json"}, {"id", "page-data"}});
  html.add_raw(page_data_json(study, charts));
  html.close();
  html.end_line();
  html.open("script");
  html.add_raw(assets.script);
  html.close();
  html.end_line();
}

}  // namespace

bool has_interactive_page() noexcept {
  return page_assets().interactive();
}

std::string report_page(const StudyResult& study, const ReportContext& context) {
  return make_page(study, context, page_assets());
}

std::string make_page(const StudyResult& study, const ReportContext& context,
                      const PageAssets& assets) {
  const std::vector<VariantFindings> found = findings(study);
  const std::vector<Chart> charts = describe_charts(study);
  const std::string title = study.title.empty() ? study.name : study.title;
  Html html;
  html.add_raw("<!DOCTYPE html>\n");
  html.open("html", {{"lang", "en"}});
  html.end_line();
  add_head(html, title, assets);
  html.open("body");
  html.end_line();
  add_header(html, study, title);
  html.open("main");
  html.end_line();
  PageWriter page{study, context, assets, found, charts, html};
  page.add_verdict();
  page.add_findings();
  page.add_heat_map();
  page.add_variants();
  page.add_partitions();
  page.add_latency();
  page.add_layout();
  page.add_keys();
  page.add_cost();
  page.add_other_charts();
  page.add_reproduction();
  html.close();
  html.end_line();
  if (assets.interactive()) {
    add_scripts(html, study, charts, assets);
  }
  html.close();
  html.close();
  html.end_line();
  return html.text();
}

}  // namespace partsim
