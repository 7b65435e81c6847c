#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "partsim/cli/commands.hpp"
#include "partsim/cli/descriptor.hpp"
#include "partsim/cli/exit_code.hpp"
#include "partsim/cli/json_text.hpp"
#include "partsim/cli/scenario_library.hpp"
#include "partsim/loader/loader.hpp"
#include "partsim/metrics/metric_table.hpp"

namespace partsim {
namespace {

std::string direction_of(const Metric& metric) {
  return metric.good == GoodDirection::lower    ? "; lower is better"
         : metric.good == GoodDirection::higher ? "; higher is better"
                                                : "";
}

std::vector<ChoiceGroup> all_groups() {
  std::vector<ChoiceGroup> groups = scenario_choices();
  ChoiceGroup metrics{"metrics", {}};
  for (const Metric& metric : metric_table()) {
    metrics.choices.push_back({metric.path, metric.description + direction_of(metric)});
  }
  groups.push_back(std::move(metrics));
  return groups;
}

constexpr std::string_view kScenarios = "scenarios";

/// "throttle models" is asked for as throttle-models.
std::string kind_of(const ChoiceGroup& group) {
  std::string kind = group.title;
  std::replace(kind.begin(), kind.end(), ' ', '-');
  return kind;
}

/// Words packed into lines of `width`, the first one after `indent` columns already used.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::string out;
  std::size_t column = indent;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::size_t length = end - begin;
    if (column > indent && column + 1 + length > width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += text.substr(begin, length);
    column += length;
    begin = end + 1;
  }
  return out;
}

std::string text_of(const ChoiceGroup& group, unsigned width) {
  constexpr std::size_t kWidestName = 36;
  std::size_t name_width = 0;
  for (const NamedChoice& choice : group.choices) {
    name_width = std::max(name_width, std::min(choice.name.size(), kWidestName));
  }
  const std::size_t indent = name_width + 4;
  std::string text = kind_of(group) + "\n";
  for (const NamedChoice& choice : group.choices) {
    text += "  " + choice.name;
    if (choice.name.size() > name_width) {
      text += '\n' + std::string(indent, ' ');
    } else {
      text += std::string(indent - 2 - choice.name.size(), ' ');
    }
    text += wrapped(choice.description, indent, width) + "\n";
  }
  return text;
}

std::string json_of(const ChoiceGroup& group) {
  std::string list;
  for (const NamedChoice& choice : group.choices) {
    list += fmt::format("{}\n  {{\"name\":{},\"description\":{}}}", list.empty() ? "" : ",",
                        json_string(choice.name), json_string(choice.description));
  }
  return json_string(kind_of(group)) + ":[" + list + "]";
}

std::vector<ChoiceGroup> wanted_groups(const std::vector<std::string>& kinds) {
  std::vector<ChoiceGroup> groups = all_groups();
  if (kinds.empty()) {
    return groups;
  }
  std::string wanted = kinds.front();
  std::replace(wanted.begin(), wanted.end(), ' ', '-');
  std::vector<std::string> names;
  for (const ChoiceGroup& group : groups) {
    if (kind_of(group) == wanted) {
      return {group};
    }
    names.push_back(kind_of(group));
  }
  names.emplace_back(kScenarios);
  const std::optional<std::string> meant = nearest_word(wanted, names);
  std::string list;
  for (const std::string& name : names) {
    list += (list.empty() ? "" : ", ") + name;
  }
  throw UsageError("unknown kind " + in_quotes(kinds.front()),
                   meant ? "did you mean '" + *meant + "'?" : "one of " + list);
}

int list_scenarios(Flags flags, Console& console) {
  flags.arguments.erase(flags.arguments.begin());
  if (flags.arguments.empty()) {
    if (std::error_code ignored; !std::filesystem::exists(kLibraryFolder, ignored)) {
      throw FileError("there is no folder " + in_quotes(kLibraryFolder) +
                      " here, where scenarios are looked for by default; 'partsim list scenarios "
                      "DIR' looks in another");
    }
    flags.arguments.emplace_back(kLibraryFolder);
  }
  flags.arguments = scenario_paths(flags.arguments);
  const std::vector<LoadedFile> files = load_files(flags);
  const std::vector<LibraryGroup> groups = by_group(files);
  if (flags.format == OutputFormat::json) {
    console.data(library_json(groups));
  } else {
    std::string text;
    for (const LibraryGroup& group : groups) {
      ChoiceGroup lines{group.name, {}};
      for (const LoadedFile* file : group.files) {
        lines.choices.push_back({file->result.study->name, lesson_of(*file->result.study)});
      }
      text += (text.empty() ? "" : "\n") + text_of(lines, console.width());
    }
    console.data(text);
  }
  console.flush();
  tell_findings(files, console);
  return findings_exit_code(files);
}

int list_names(const Flags& flags, Console& console) {
  if (!flags.arguments.empty() && flags.arguments.front() == kScenarios) {
    return list_scenarios(flags, console);
  }
  if (flags.arguments.size() > 1) {
    throw UsageError("'partsim list' does not take " + in_quotes(flags.arguments[1]),
                     "only 'partsim list scenarios' takes files");
  }
  std::string text;
  for (const ChoiceGroup& group : wanted_groups(flags.arguments)) {
    if (flags.format == OutputFormat::json) {
      text += (text.empty() ? "{" : ",\n") + json_of(group);
    } else {
      text += (text.empty() ? "" : "\n") + text_of(group, console.width());
    }
  }
  console.data(flags.format == OutputFormat::json ? text + "}\n" : text);
  return exit_ok;
}

}  // namespace

const Command& list_command() {
  static const Command kCommand{
      {.name = "list",
       .arguments = "[KIND | scenarios [DIR | FILE]...]",
       .summary = "print the names a scenario may use, or what scenarios teach",
       .details =
           "Without KIND everything: providers, operations, retry presets, parameters and\n"
           "the metrics that 'expect:' rules may name. With 'scenarios' the lesson of every\n"
           "scenario in DIR (default: the folder 'scenarios' here), by its 'group:'.\n",
       .examples = "  partsim list\n"
                   "  partsim list metrics\n"
                   "  partsim list scenarios\n"
                   "  partsim list parameters --format json\n",
       .flags = {Flag::format, Flag::help},
       .also_accepted = {Flag::quiet, Flag::color}},
      list_names};
  return kCommand;
}

}  // namespace partsim
