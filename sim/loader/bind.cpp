#include "bind.hpp"

#include <algorithm>

#include "bind_values.hpp"
#include "fragment.hpp"

namespace partsim {
namespace bind {
namespace {

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
  } else if (const TreeNode* read_and_write = node.find("capacity_units")) {
    const CapacityUnits units = bind_units(*read_and_write);
    entry.action = SetThroughput{units.read_per_s + units.write_per_s, units};
  } else {
    const bool is_manual = node.find("throughput") != nullptr;
    entry.action = SetThroughput{
        signed_amount(node, is_manual ? "throughput" : "autoscale", ValueKind::throughput)};
  }
  return entry;
}

}  // namespace
}  // namespace bind

Scenario bind_scenario(const TreeNode& fragment, const DataFiles& files) {
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
    scenario.containers.push_back(bind_container(*named.node, files));
    scenario.containers.back().name = named.name;
    scenario.containers.back().shares_database = shares_database(*named.node);
    names.containers.push_back(named.name);
  }
  for (const Entry& entry : member(fragment, "clients").entries) {
    scenario.clients.push_back(bind_client(entry, names, files));
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
