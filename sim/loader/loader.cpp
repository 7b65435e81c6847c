#include "partsim/loader/loader.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "partsim/scenario/check.hpp"

#include "bind.hpp"
#include "data_files.hpp"
#include "expect.hpp"
#include "explain.hpp"
#include "fingerprint.hpp"
#include "fragment.hpp"
#include "resolve.hpp"
#include "scalar.hpp"
#include "walk.hpp"

namespace partsim {
namespace {

/// Values over all merged variants; each variant copies the scenario.
constexpr std::size_t kMaxMergedNodes = 1'000'000;
constexpr std::size_t kMaxMessageBytes = 200;
/// Values from files over all variants; each has its own copy.
constexpr std::size_t kMaxFileValues = 10'000'000;
/// Nobody reads this many mistakes; further variants would mostly repeat them.
constexpr std::size_t kEnoughFaults = 1'000;

/// The one container is called `main` if the file gives it no name, and may be by one that does.
Place find_problem(const TreeNode& fragment, const std::string& path) {
  static const std::string kOnly = "container";
  const bool is_of_only = path == kOnly || path.starts_with(kOnly + ".");
  if (is_of_only && fragment.find(kOnly) == nullptr) {
    return find_place(fragment, "containers.main" + path.substr(kOnly.size()));
  }
  return find_place(fragment, path);
}

class Loading {
 public:
  Loading(std::string_view file_name, const LoadOptions& options)
      : file_name_(file_name), options_(options), files_(options.read_file) {
    overrides_ = options.overrides;
    if (options.seed) {
      overrides_.push_back({"seed", std::to_string(*options.seed)});
    }
  }

  LoadResult load(std::string_view text);
  /// After `load` without diagnostics.
  [[nodiscard]] std::string explain(const StudyFile& study) const;

 private:
  [[nodiscard]] bool failed() const { return !faults_.empty(); }
  void add(std::vector<Fault> faults) {
    std::move(faults.begin(), faults.end(), std::back_inserter(faults_));
  }
  void read_overrides();
  void apply_overrides(TreeNode& fragment);
  void merge_variants();
  void check_tree(TreeNode& fragment, const std::string& variant);
  void check_selection();
  void read_expectations();
  [[nodiscard]] bool is_selected(const std::string& variant) const;
  [[nodiscard]] StudyFile make_study();
  [[nodiscard]] std::uint64_t fingerprint_of(const std::string& variant) const;
  [[nodiscard]] std::vector<Diagnostic> diagnostics();
  [[nodiscard]] std::string label(std::uint32_t origin) const;

  std::string file_name_;
  const LoadOptions& options_;
  std::vector<Override> overrides_;
  DataFiles files_;
  std::size_t file_values_ = 0;  // over all variants
  std::set<std::string> touched_;
  std::vector<TreeNode> override_values_;
  TreeNode root_;
  TreeNode base_;  // resolved, without variants
  std::vector<NamedTree> variants_;
  std::vector<std::pair<std::string, Scenario>> scenarios_;
  std::vector<Problem> base_problems_;
  std::vector<Expectation> expectations_;
  std::vector<Fault> faults_;
  std::vector<Diagnostic> flag_diagnostics_;
};

/// `--set container.partition_key={customer}`: the quotes were for the shell, or left out, and YAML
/// takes braces for a mapping.
std::optional<Fault> unquoted_template(const Override& override, const ParsedTree& value) {
  const bool is_key = override.path == "partition_key" || override.path.ends_with(".partition_key");
  const bool is_text = value.root && (value.root->is_scalar() || value.root->is_list());
  if (!is_key || is_text || !override.value.starts_with('{')) {
    return std::nullopt;
  }
  const bool fits_between_quotes = override.value.find_first_of("'\"") == std::string::npos;
  return Fault{{},
               "a key in braces needs quotes of its own",
               fits_between_quotes ? "--set '" + override.path + "=\"" + override.value + "\"'"
                                   : "such as --set '" + override.path + "=\"{customer}\"'"};
}

void Loading::read_overrides() {
  for (std::size_t i = 0; i < overrides_.size(); ++i) {
    const auto origin = static_cast<std::uint32_t>(i + 1);
    ParsedTree value = parse_value_tree(overrides_[i].value, origin);
    if (auto fault = unquoted_template(overrides_[i], value)) {
      fault->place = {origin, 1, 1};
      value.faults.assign(1, *fault);
    }
    add(std::move(value.faults));
    if (value.root && value.root->kind == TreeNode::Kind::empty) {
      faults_.push_back({{origin, 1, 1}, "missing value, expected --set PATH=VALUE", {}});
    }
    override_values_.push_back(value.root ? std::move(*value.root) : TreeNode{});
  }
}

void Loading::apply_overrides(TreeNode& fragment) {
  for (std::size_t i = 0; i < overrides_.size(); ++i) {
    const bool is_burst = overrides_[i].path == "burst";
    const std::string path = is_burst ? "parameters.burst_enabled" : overrides_[i].path;
    if (auto fault = set_path(fragment, path, override_values_[i])) {
      fault->place = {static_cast<std::uint32_t>(i + 1), 1, 1};
      faults_.push_back(std::move(*fault));
    }
  }
}

/// The whole-scenario checks of one variant, or of the scenario itself (`variant` empty).
void Loading::check_tree(TreeNode& fragment, const std::string& variant) {
  std::vector<Fault> faults;
  walk_section(fragment, fragment_language(), fragment.place, faults);
  if (faults.empty()) {
    find_wrong_references(fragment, faults);
  }
  if (faults.empty()) {
    files_.read_all(fragment, faults);
  }
  if (faults.empty()) {
    file_values_ += files_.count_values(fragment);
    if (file_values_ > kMaxFileValues) {
      faults.push_back({fragment.place, "the variants hold more than 10000000 values", {}, true});
    }
  }
  if (!faults.empty()) {
    add(std::move(faults));
    return;
  }
  sort_timeline(fragment);
  move_rate_changes(fragment, touched_);
  resolve_defaults(fragment);
  Scenario scenario = bind_scenario(fragment, files_);
  std::vector<Problem> problems = check(scenario, options_.max_requests);
  if (problems.empty() && apply_counters(fragment, files_, scenario)) {
    problems = check(scenario, options_.max_requests);
  }
  if (!variant.empty() && !is_selected(variant) && !options_.overrides.empty()) {
    problems.clear();  // what is set for the variants that run need not suit the others
  }
  for (const Problem& problem : problems) {
    const auto is_same = [&](const Problem& other) {
      return other.path == problem.path && other.message == problem.message;
    };
    const bool is_of_base = std::any_of(base_problems_.begin(), base_problems_.end(), is_same);
    std::string message = problem.message;
    if (!variant.empty() && !is_of_base) {
      message = shortened(std::move(message), 140) + " in variant " + quoted(variant);
    }
    faults_.push_back({find_problem(fragment, problem.path), std::move(message), problem.hint,
                       problem.over_limit});
  }
  if (variant.empty()) {
    base_problems_ = std::move(problems);
  }
  scenarios_.emplace_back(variant, std::move(scenario));
}

void Loading::merge_variants() {
  TreeNode base = fragment_of(root_);
  move_burst(base);
  base_ = base;
  const std::size_t faults_before = faults_.size();
  apply_overrides(base_);
  for (std::size_t i = 0; i < overrides_.size(); ++i) {
    if (auto fault = unknown_member(base, base_, overrides_[i].path)) {
      fault->place = {static_cast<std::uint32_t>(i + 1), 1, 1};
      faults_.push_back(std::move(*fault));
    }
  }
  if (faults_.size() > faults_before) {
    return;
  }
  check_tree(base_, {});
  const TreeNode* variants = root_.find("variants");
  if (variants == nullptr) {
    return;
  }
  if (count_nodes(base) * variants->entries.size() > kMaxMergedNodes) {
    faults_.push_back({variants->place, "the variants hold more than 1000000 values", {}, true});
    return;
  }
  for (const Entry& entry : variants->entries) {
    if (faults_.size() > kEnoughFaults) {
      return;
    }
    TreeNode merged = base;
    TreeNode fragment = entry.value;
    move_burst(fragment);
    merge_section(merged, fragment, fragment_language());
    apply_overrides(merged);
    check_tree(merged, entry.key);
    variants_.push_back({entry.key, std::move(merged)});
  }
}

bool Loading::is_selected(const std::string& variant) const {
  const auto& only = options_.only_variants;
  return only.empty() || std::find(only.begin(), only.end(), variant) != only.end();
}

void Loading::check_selection() {
  std::vector<std::string> known;
  for (const NamedTree& variant : variants_) {
    known.push_back(variant.name);
  }
  if (known.empty()) {
    known.emplace_back("base");
  }
  for (const std::string& name : options_.only_variants) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      Diagnostic diagnostic;
      diagnostic.file = shortened("--variant " + escaped(name), 80);
      diagnostic.message = "unknown variant " + quoted(name) + ", expected one of " + joined(known);
      diagnostic.hint = suggestion(name, known);
      flag_diagnostics_.push_back(std::move(diagnostic));
    }
  }
}

void Loading::read_expectations() {
  const TreeNode* rules = root_.find("expect");
  if (rules == nullptr) {
    return;
  }
  std::vector<VariantNames> names;
  const auto add_names = [&names](const std::string& variant, const TreeNode& tree) {
    VariantNames entry{variant, {}};
    if (const TreeNode* clients = tree.find("clients")) {
      for (const Entry& client : clients->entries) {
        entry.clients.push_back(client.key);
      }
    }
    names.push_back(std::move(entry));
  };
  // With variants the scenario itself is not run.
  if (variants_.empty()) {
    add_names("base", base_);
  }
  for (const NamedTree& variant : variants_) {
    add_names(variant.name, variant.tree);
  }
  for (const TreeNode& rule : rules->items) {
    if (!rule.is_scalar()) {
      continue;
    }
    auto parsed = parse_expectation(rule.text, names);
    if (auto* fault = std::get_if<Fault>(&parsed)) {
      fault->place = rule.place;
      faults_.push_back(std::move(*fault));
    } else {
      expectations_.push_back(std::get<Expectation>(std::move(parsed)));
      expectations_.back().line = rule.place.line;
    }
  }
}

StudyFile Loading::make_study() {
  StudyFile study;
  study.name = root_.find("name")->text;
  const TreeNode* title = root_.find("title");
  study.title = title == nullptr ? study.name : title->text;
  const TreeNode* group = root_.find("group");
  study.group = group == nullptr ? "" : group->text;
  const TreeNode* lesson = root_.find("lesson");
  study.lesson = lesson == nullptr ? "" : lesson->text;
  for (auto& [name, scenario] : scenarios_) {
    const std::string variant = name.empty() ? "base" : name;
    if (is_selected(variant) && (!name.empty() || variants_.empty())) {
      study.variants.push_back({variant, std::move(scenario), fingerprint_of(name)});
    }
  }
  for (Expectation& rule : expectations_) {
    const bool has_other =
        !rule.against || rule.against->variant.empty() || is_selected(rule.against->variant);
    if ((rule.variant.empty() || is_selected(rule.variant)) && has_other) {
      study.expectations.push_back(std::move(rule));
    }
  }
  return study;
}

std::uint64_t Loading::fingerprint_of(const std::string& variant) const {
  const auto named = std::find_if(variants_.begin(), variants_.end(),
                                  [&](const NamedTree& each) { return each.name == variant; });
  return scenario_fingerprint(named == variants_.end() ? base_ : named->tree, files_);
}

std::string Loading::explain(const StudyFile& study) const {
  std::vector<NamedTree> shown;
  for (const NamedTree& variant : variants_) {
    if (is_selected(variant.name)) {
      shown.push_back(variant);
    }
  }
  return explain_trees(study, base_, shown);
}

std::string Loading::label(std::uint32_t origin) const {
  if (origin == 0) {
    return file_name_;
  }
  if (origin >= kFirstFileOrigin) {
    return files_.path_of(origin);
  }
  if (options_.seed && origin == overrides_.size()) {
    return "--seed " + std::to_string(*options_.seed);
  }
  const Override& source = overrides_[origin - 1];
  return shortened("--set " + escaped(source.path) + "=" + escaped(source.value), 80);
}

std::vector<Diagnostic> Loading::diagnostics() {
  // Variants share what they do not replace, and so its mistakes: each is told once.
  std::stable_sort(faults_.begin(), faults_.end(), [](const Fault& a, const Fault& b) {
    return std::tie(a.place, a.message) < std::tie(b.place, b.message);
  });
  const auto is_same = [](const Fault& a, const Fault& b) {
    return a.place == b.place && a.message == b.message;
  };
  faults_.erase(std::unique(faults_.begin(), faults_.end(), is_same), faults_.end());
  std::vector<Diagnostic> result;
  for (Fault& fault : faults_) {
    const bool in_file = fault.place.origin == 0 || fault.place.origin >= kFirstFileOrigin;
    result.push_back({label(fault.place.origin), in_file ? fault.place.line : 0,
                      in_file ? fault.place.column : 0,
                      shortened(std::move(fault.message), kMaxMessageBytes), std::move(fault.hint),
                      fault.over_limit});
  }
  std::move(flag_diagnostics_.begin(), flag_diagnostics_.end(), std::back_inserter(result));
  return result;
}

LoadResult Loading::load(std::string_view text) {
  ParsedTree parsed = parse_file_tree(text);
  add(std::move(parsed.faults));
  if (parsed.root) {
    root_ = std::move(*parsed.root);
    walk_section(root_, scenario_language(), root_.place, faults_);
    read_overrides();
    const bool can_merge = std::none_of(faults_.begin(), faults_.end(),
                                        [](const Fault& fault) { return fault.place.origin > 0; });
    const TreeNode* variants = root_.find("variants");
    if (can_merge && (variants == nullptr || variants->is_map())) {
      merge_variants();
      check_selection();
      if (variants == nullptr || variants_.size() == variants->entries.size()) {
        read_expectations();
      }
    }
  }
  LoadResult result;
  if (failed() || !flag_diagnostics_.empty()) {
    result.diagnostics = diagnostics();
  } else {
    result.base = scenarios_.front().second;
    result.study = make_study();
  }
  return result;
}

}  // namespace

LoadResult load_study(std::string_view text, std::string_view file_name,
                      const LoadOptions& options) {
  return Loading(file_name, options).load(text);
}

std::string explain_study(std::string_view text, std::string_view file_name,
                          const LoadOptions& options, LoadResult& result) {
  Loading loading(file_name, options);
  result = loading.load(text);
  return result.study ? loading.explain(*result.study) : std::string();
}

}  // namespace partsim
