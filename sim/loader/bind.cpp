#include "bind.hpp"

#include <algorithm>
#include <array>

#include "bind_values.hpp"
#include "fragment.hpp"
#include "parameter_table.hpp"

namespace partsim {
namespace bind {
namespace {

// ---- clients -----------------------------------------------------------------------------------

OperationSpec bind_operation(const TreeNode& node) {
  static constexpr std::array<std::pair<std::string_view, OperationKind>, 3> kKinds{{
      {"create", OperationKind::create},
      {"read", OperationKind::read},
      {"query", OperationKind::query},
  }};
  OperationSpec operation;
  for (const auto& [name, kind] : kKinds) {
    if (node.find(name) != nullptr) {
      operation.kind = kind;
      operation.share_ppm = signed_amount(node, name, ValueKind::percent);
    }
  }
  if (const TreeNode* given = node.find("given")) {
    for (const TreeNode& item : given->items) {
      operation.given.push_back(item.text);
    }
    std::sort(operation.given.begin(), operation.given.end());
  }
  if (operation.kind == OperationKind::query) {
    operation.matches = small_amount(member(node, "matches"));
    operation.returned = small_amount(member(node, "returned"));
  }
  if (const TreeNode* charge = node.find("charge")) {
    operation.charge_mru = static_cast<MilliRu>(amount(*charge, ValueKind::ru));
  }
  return operation;
}

/// The defaults of the struct are those of `dotnet`.
RetrySpec retry_of_word(std::string_view word) {
  RetrySpec retry;
  if (word == "none") {
    retry.max_retries = 0;
  } else if (word == "aws") {
    retry.max_retries = 3;
    retry.max_wait_ns = static_cast<Nanoseconds>(language::kTenYears);
    retry.backoff_base_ns = kSecond;
    retry.backoff_max_ns = 20 * kSecond;
  }
  return retry;
}

RetrySpec bind_retry(const TreeNode& node) {
  if (node.is_scalar()) {
    return retry_of_word(node.text);
  }
  RetrySpec retry;
  retry.max_retries = small_amount(member(node, "max_retries"));
  retry.max_wait_ns = signed_amount(node, "max_wait", ValueKind::duration);
  retry.backoff_base_ns = signed_amount(node, "backoff_base", ValueKind::duration);
  retry.backoff_max_ns = signed_amount(node, "backoff_max", ValueKind::duration);
  const TreeNode& jitter = member(node, "jitter");
  const auto value = static_cast<std::int64_t>(amount(jitter, ValueKind::jitter));
  (jitter.text.ends_with('%') ? retry.jitter_ppm : retry.jitter_ns) = value;
  return retry;
}

/// What clients and the timeline refer to by name.
struct Names {
  std::vector<std::string> containers;
  std::vector<std::string> regions;
};

std::uint32_t index_of(const std::vector<std::string>& names, const TreeNode* name) {
  if (name == nullptr) {
    return 0;
  }
  const auto found = std::find(names.begin(), names.end(), name->text);
  PARTSIM_ASSERT(found != names.end(), "every reference was checked");
  return static_cast<std::uint32_t>(found - names.begin());
}

ClientSpec bind_client(const Entry& entry, const Names& names) {
  const TreeNode& node = entry.value;
  ClientSpec client;
  client.name = entry.key;
  client.container = index_of(names.containers, node.find("container"));
  client.region = index_of(names.regions, node.find("region"));
  client.priority = word_of<Priority>(member(node, "priority"), priority_words());
  if (const TreeNode* bucket = node.find("bucket")) {
    client.bucket = small_amount(*bucket);
  }
  if (const TreeNode* count = node.find("at_once")) {
    client.arrivals =
        AtOnce{amount(*count, ValueKind::integer), signed_amount(node, "at", ValueKind::duration)};
  } else {
    client.arrivals =
        OpenLoop{parse_rate(member(node, "rate").text).value.value_or(Rate{}),
                 word_of<OpenLoop::Spacing>(member(node, "spacing"), spacing_words())};
  }
  for (const TreeNode& operation : member(node, "operations").items) {
    client.operations.push_back(bind_operation(operation));
  }
  client.retry = bind_retry(member(node, "retry"));
  return client;
}

// ---- timeline ----------------------------------------------------------------------------------

Redistribute bind_redistribute(const TreeNode& node) {
  Redistribute request;
  for (const Entry& entry : node.entries) {
    const std::uint64_t id = parse_integer(entry.key).value.value_or(0);
    request.targets.push_back({static_cast<std::uint32_t>(id),
                               static_cast<MilliRu>(amount(entry.value, ValueKind::throughput))});
  }
  std::sort(request.targets.begin(), request.targets.end(),
            [](const auto& a, const auto& b) { return a.partition < b.partition; });
  return request;
}

TimelineEntry bind_timeline(const TreeNode& node, const Names& names) {
  TimelineEntry entry;
  entry.at_ns = signed_amount(node, "at", ValueKind::duration);
  entry.container = index_of(names.containers, node.find("container"));
  if (const TreeNode* request = node.find("redistribute")) {
    entry.action = bind_redistribute(*request);
  } else if (node.find("merge") != nullptr) {
    entry.action = MergePartitions{};
  } else {
    const bool is_manual = node.find("throughput") != nullptr;
    entry.action = SetThroughput{
        signed_amount(node, is_manual ? "throughput" : "autoscale", ValueKind::throughput)};
  }
  return entry;
}

}  // namespace
}  // namespace bind

Scenario bind_scenario(const TreeNode& fragment) {
  using namespace bind;
  Scenario scenario;
  scenario.seed = amount(member(fragment, "seed"), ValueKind::integer);
  scenario.start_unix_s = parse_utc(member(fragment, "start").text).value.value_or(0);
  scenario.duration_ns = signed_amount(fragment, "duration", ValueKind::duration);
  scenario.warm_up_ns = signed_amount(fragment, "warm_up", ValueKind::duration);
  const Profile profile = profile_of(fragment);
  scenario.provider = profile.provider;
  scenario.api = profile.api;
  scenario.parameters = bind_parameters(member(fragment, "parameters"));
  scenario.multi_region_writes = member(fragment, "multi_region_writes").text == "true";
  Names names;
  for (const TreeNode& region : member(fragment, "regions").items) {
    names.regions.push_back(region.text);
  }
  scenario.regions = names.regions;
  if (const TreeNode* database = fragment.find("database")) {
    scenario.database = DatabaseSpec{bind_throughput(*database)};
  }
  for (const NamedContainer& named : containers_in(fragment)) {
    scenario.containers.push_back(bind_container(*named.node));
    scenario.containers.back().name = named.name;
    scenario.containers.back().shares_database = shares_database(*named.node);
    names.containers.push_back(named.name);
  }
  for (const Entry& entry : member(fragment, "clients").entries) {
    scenario.clients.push_back(bind_client(entry, names));
  }
  sort_by_name(scenario.clients);
  if (const TreeNode* timeline = fragment.find("timeline")) {
    for (const TreeNode& entry : timeline->items) {
      scenario.timeline.push_back(bind_timeline(entry, names));
    }
  }
  return scenario;
}

}  // namespace partsim
