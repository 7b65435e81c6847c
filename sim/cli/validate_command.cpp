#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "partsim/cli/commands.hpp"
#include "partsim/cli/exit_code.hpp"
#include "partsim/cli/json_text.hpp"
#include "partsim/cli/scenario_files.hpp"

namespace partsim {
namespace {

/// Of each trace; about a second each.
constexpr std::uint64_t kCheckedRows = 1'000'000;

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// "about 1.3 M": an estimate deserves no more digits.
std::string rounded(double value) {
  if (value >= 1e9) {
    return fmt::format("{:.1f} G", value / 1e9);
  }
  if (value >= 1e6) {
    return fmt::format("{:.1f} M", value / 1e6);
  }
  if (value >= 1e3) {
    return fmt::format("{:.1f} k", value / 1e3);
  }
  return fmt::format("{:.0f}", value);
}

std::size_t client_count(const StudyFile& study) {
  std::set<std::string> names;
  for (const Variant& variant : study.variants) {
    for (const ClientSpec& client : variant.scenario.clients) {
      names.insert(client.name);
    }
  }
  return names.size();
}

std::string text_line(const LoadedFile& file) {
  const StudyFile& study = *file.result.study;
  return fmt::format("{}: ok ({}, {}, about {} requests)\n", file.path,
                     counted(study.variants.size(), "variant"),
                     counted(client_count(study), "client"), rounded(estimated_requests(study)));
}

std::string json_finding(std::uint32_t line, std::uint32_t column, const std::string& message,
                         const std::string& hint) {
  return fmt::format(R"({{"line":{},"column":{},"message":{},"hint":{}}})", line, column,
                     json_string(message), json_string(hint));
}

std::string json_file(const LoadedFile& file) {
  std::string findings;
  if (!file.unreadable.empty()) {
    findings = json_finding(0, 0, file.unreadable, "");
  }
  for (const Diagnostic& each : file.result.diagnostics) {
    findings += (findings.empty() ? "" : ",") +
                json_finding(each.line, each.column, each.message, each.hint);
  }
  std::string text =
      fmt::format(R"({{"file":{},"ok":{})", json_string(file.path), file.result.study.has_value());
  if (file.result.study) {
    const StudyFile& study = *file.result.study;
    text += fmt::format(R"(,"name":{},"variants":{},"clients":{},"estimated_requests":{:.0f})",
                        json_string(study.name), study.variants.size(), client_count(study),
                        estimated_requests(study));
  }
  return text + ",\"diagnostics\":[" + findings + "]}";
}

int validate_files(const Flags& flags, Console& console) {
  const std::vector<LoadedFile> files = load_files(flags, kCheckedRows);
  if (flags.format == OutputFormat::json) {
    std::string list;
    for (const LoadedFile& file : files) {
      list += (list.empty() ? "" : ",\n") + json_file(file);
    }
    console.data("{\"files\":[\n" + list + "\n]}\n");
    return findings_exit_code(files);
  }
  for (const LoadedFile& file : files) {
    if (file.result.study) {
      console.data(text_line(file));
    }
  }
  console.flush();
  tell_findings(files, console);
  return findings_exit_code(files);
}

}  // namespace

const Command& validate_command() {
  static const Command kCommand{
      {.name = "validate",
       .arguments = "FILE...",
       .summary = "check scenarios without running them",
       .details = "Prints one line for every good FILE, or all that is wrong with it. Traces are\n"
                  "read too, the first million rows of each. The flags of 'partsim run' are taken\n"
                  "too, so that one set of flags serves both.\n",
       .examples = "  partsim validate scenarios/*.yaml\n"
                   "  partsim validate scenario.yaml --set container.partitions=20\n"
                   "  partsim validate scenario.yaml --format json\n",
       .flags = {Flag::seed, Flag::set, Flag::variant, Flag::max_events, Flag::format, Flag::help},
       .also_accepted = {Flag::jobs, Flag::quiet, Flag::color, Flag::force, Flag::output,
                         Flag::charts, Flag::skip_bad_rows, Flag::save_baseline},
       .arguments_min = 1},
      validate_files};
  return kCommand;
}

}  // namespace partsim
