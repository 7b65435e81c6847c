#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "partsim/cli/commands.hpp"
#include "partsim/cli/descriptor.hpp"
#include "partsim/cli/exit_code.hpp"
#include "partsim/cli/progress_line.hpp"
#include "partsim/cli/scenario_files.hpp"
#include "partsim/cli/signals.hpp"
#include "partsim/loader/key_text.hpp"
#include "partsim/report/advice.hpp"
#include "partsim/report/text.hpp"
#include "partsim/study/advise.hpp"
#include "partsim/workload/trace_feed.hpp"

namespace partsim {
namespace {

std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) {
    text += (text.empty() ? "" : ", ") + names[i];
  }
  return names.size() > kShown ? fmt::format("{} and {} more", text, names.size() - kShown) : text;
}

[[noreturn]] void unknown_name(const std::string& what, const std::string& name,
                               const std::vector<std::string>& known) {
  const std::optional<std::string> meant = nearest_word(name, known);
  throw UsageError(what + " is " + in_quotes(name) + ", expected " +
                       (known.empty() ? "none: there are none" : "one of " + list_of(known)),
                   meant ? "did you mean '" + *meant + "'?" : "");
}

std::uint32_t container_of(const Scenario& scenario, const std::optional<std::string>& name) {
  std::vector<std::string> names;
  for (const ContainerSpec& container : scenario.containers) {
    names.push_back(container.name);
  }
  if (!name && names.size() > 1) {
    throw UsageError("there are several containers, expected --container with one of " +
                     list_of(names));
  }
  const auto found = name ? std::find(names.begin(), names.end(), *name) : names.begin();
  if (found == names.end()) {
    unknown_name("--container", *name, names);
  }
  return static_cast<std::uint32_t>(found - names.begin());
}

/// The scenario itself, or one of its variants.
const Scenario& scenario_of(const LoadedFile& file, const std::vector<std::string>& variants) {
  if (variants.size() > 1) {
    throw UsageError("'partsim advise' judges one variant, got " + std::to_string(variants.size()));
  }
  if (variants.empty()) {
    return *file.result.base;
  }
  std::vector<std::string> names;
  for (const Variant& variant : file.result.study->variants) {
    if (variant.name == variants.front()) {
      return variant.scenario;
    }
    names.push_back(variant.name);
  }
  unknown_name("--variant", variants.front(), names);
}

/// Fields that keys may use: with a sample its columns and what the clock says.
std::vector<std::string> usable_fields(const ContainerSpec& container,
                                       const std::optional<std::string>& sample) {
  std::vector<std::string> names;
  if (sample) {
    names = open_sample(*sample)->names();
  }
  for (const FieldSpec& field : container.fields) {
    const bool is_known = std::find(names.begin(), names.end(), field.name) != names.end();
    if (!is_known && (!sample || std::holds_alternative<TimeField>(field.kind))) {
      names.push_back(field.name);
    }
  }
  return names;
}

bool is_clock(const ContainerSpec& container, const std::string& name) {
  return std::any_of(container.fields.begin(), container.fields.end(),
                     [&name](const FieldSpec& field) {
                       return field.name == name && std::holds_alternative<TimeField>(field.kind);
                     });
}

void read_keys(const AdviseFlags& flags, const ContainerSpec& container, AdviceRequest& request) {
  const std::vector<std::string> fields = usable_fields(container, flags.sample);
  for (const std::string& text : flags.keys) {
    KeyText key = parse_key_text(text, fields);
    if (!key.error.empty()) {
      const std::string of = flags.sample ? " (a column of " + in_quotes(*flags.sample) + ")" : "";
      throw UsageError("--key is " + in_quotes(text) + ": " + key.error +
                           (key.error.starts_with("unknown field") ? of : ""),
                       key.hint);
    }
    request.keys.push_back(std::move(key.levels));
  }
  if (flags.suffixes) {
    std::vector<std::string> words{"random"};
    std::copy_if(fields.begin(), fields.end(), std::back_inserter(words),
                 [&](const std::string& name) { return !is_clock(container, name); });
    if (std::find(words.begin(), words.end(), *flags.suffixes) == words.end()) {
      unknown_name("--suffixes", *flags.suffixes, words);
    }
    request.suffixes = *flags.suffixes;
  }
}

std::vector<std::string> fields_of(const KeyLevels& levels) {
  std::vector<std::string> fields;
  for (const KeyTemplate& level : levels) {
    for (const KeyPart& part : level.parts) {
      const auto* value = std::get_if<FieldValue>(&part);
      const auto* hashed = std::get_if<HashedSuffix>(&part);
      if (value != nullptr || hashed != nullptr) {
        fields.push_back(value != nullptr ? value->field : hashed->field);
      }
    }
  }
  return fields;
}

NextStep next_step(const LoadedFile& file, const std::string& variant, const KeyAdvice& advice,
                   const ScenarioWords& words) {
  const StudyFile& study = *file.result.study;
  const KeyJudgement& best = advice.keys.front();
  const auto has_key = [&](const Variant& each) {
    return std::any_of(each.scenario.containers.begin(), each.scenario.containers.end(),
                       [&](const ContainerSpec& container) {
                         return container.name == advice.container &&
                                !container.partition_key.empty() &&
                                key_text(container.partition_key) == best.key;
                       });
  };
  const auto same = std::find_if(study.variants.begin(), study.variants.end(), has_key);
  NextStep step{"see it run", command_words("run", words)};
  if (same != study.variants.end()) {
    if (same->name != "base") {
      add_variant(step.command, same->name);
    }
    return step;
  }
  const std::vector<ContainerSpec>& containers = file.result.base->containers;
  const ContainerSpec& container =
      *std::find_if(containers.begin(), containers.end(),
                    [&](const ContainerSpec& each) { return each.name == advice.container; });
  std::string missing;
  for (const std::string& field : fields_of(best.levels)) {
    const auto is_it = [&field](const FieldSpec& each) { return each.name == field; };
    if (std::none_of(container.fields.begin(), container.fields.end(), is_it)) {
      missing += (missing.empty() ? "" : ", ") + field;
    }
  }
  if (!missing.empty()) {
    step.why = fmt::format("add to the fields of the file: {}; then see it run", missing);
  }
  const std::string& of = variant.empty() ? study.variants.front().name : variant;
  const std::string path =
      advice.container == "main" ? "container" : "containers." + advice.container;
  const std::string value = best.levels.size() > 1 ? best.key : "\"" + best.key + "\"";
  if (of != "base") {
    add_variant(step.command, of);
  }
  step.command.push_back("--set " + shell_word(path + ".partition_key=" + value));
  return step;
}

AdviceRequest request_of(const LoadedFile& file, const Scenario& scenario, const Flags& flags) {
  AdviceRequest request;
  request.container = container_of(scenario, flags.advise.container);
  const ContainerSpec& container = scenario.containers[request.container];
  read_keys(flags.advise, container, request);
  for (const Variant& variant : file.result.study->variants) {
    for (const ContainerSpec& other : variant.scenario.containers) {
      if (other.name == container.name) {
        request.also.push_back(other.partition_key);
      }
    }
  }
  request.simulate = flags.advise.simulate;
  request.max_requests = flags.load.max_requests;
  if (flags.advise.sample) {
    request.open_sample = [path = *flags.advise.sample] { return open_sample(path); };
  }
  request.jobs = flags.jobs;
  request.stop = &stop_requested();
  return request;
}

int advise_file(const Flags& flags, Console& console) {
  Flags loading = flags;
  loading.load.only_variants.clear();  // the keys of all of them are candidates
  const std::vector<LoadedFile> files = load_files(loading);
  tell_findings(files, console);
  const int findings = findings_exit_code(files);
  if (findings != exit_ok) {
    return findings;
  }
  const LoadedFile& file = files.front();
  const Scenario& scenario = scenario_of(file, flags.load.only_variants);
  if (replays_traces(scenario)) {
    throw UsageError("the scenario replays a trace, expected clients that draw their items",
                     "the rows of a trace can be judged as a --sample");
  }
  AdviceRequest request = request_of(file, scenario, flags);
  KeyAdvice advice;
  {
    ProgressLine line(console, "simulating", flags.quiet);
    request.progress = [&line](const StudyProgress& at) { line.show(at); };
    advice = advise(scenario, request);
  }
  if (stop_signal() != 0) {
    console.talk("partsim: interrupted; there is no advice before all keys are judged\n");
    return exit_signal_base + stop_signal();
  }
  if (advice.keys.empty()) {
    throw UsageError("there is no key to judge: no field could make one",
                     "--key names one, --sample brings fields");
  }
  const std::string variant =
      flags.load.only_variants.empty() ? "" : flags.load.only_variants.front();
  const AdviceContext context{file.result.study->name, variant, flags.advise.sample.value_or(""),
                              next_step(file, variant, advice, words_of(flags, file.path))};
  if (flags.format == OutputFormat::json) {
    console.data(advice_json(advice, context));
  } else {
    TextStyle style;
    style.width = console.width();
    style.color = flags.color == ColorMode::always ||
                  (flags.color == ColorMode::automatic && console.color());
    style.unicode = console.unicode();
    console.data(advice_text(advice, context, style));
  }
  console.flush();
  return exit_ok;
}

}  // namespace

const Command& advise_command() {
  static const Command kCommand{
      {.name = "advise",
       .arguments = "FILE",
       .summary = "judge partition keys for a scenario or a sample; simulate the best",
       .details = "Judges each key by its number of values, the heaviest of them, how evenly the\n"
                  "provider's real hash spreads them, what operations cost their callers, when\n"
                  "a logical partition is full and whether transactions are possible. Then runs\n"
                  "the best keys and the current one, and ranks all by grades from A to F: the\n"
                  "worst criterion decides. A suffix comes with a table of how many are enough.\n",
       .examples = "  partsim advise scenario.yaml\n"
                   "  partsim advise scenario.yaml --key '[\"{date}\", \"{customer}\"]'\n"
                   "  partsim advise scenario.yaml --suffixes random --simulate 0\n"
                   "  partsim advise scenario.yaml --sample items.csv.gz --format json\n",
       .flags = {Flag::key, Flag::sample, Flag::suffixes, Flag::simulate, Flag::container,
                 Flag::variant, Flag::set, Flag::seed, Flag::jobs, Flag::max_events, Flag::format,
                 Flag::quiet, Flag::color, Flag::help},
       .arguments_min = 1,
       .arguments_max = 1},
      advise_file};
  return kCommand;
}

}  // namespace partsim
