#include <array>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "partsim/metrics/derived.hpp"
#include "partsim/report/report.hpp"

#include "expectation_json.hpp"
#include "json_writer.hpp"
#include "numbers.hpp"
#include "provider_words.hpp"

namespace partsim {
namespace {

Json ru(MilliRu value) {
  return amount(value, kMilliPerRu);
}

Json seconds(Nanoseconds value) {
  return amount(value, kSecond);
}

Json operations_json(const OperationCounts& counts) {
  return {{"offered", counts.offered},
          {"succeeded", counts.succeeded},
          {"failed", counts.failed},
          {"in_flight", counts.in_flight}};
}

Json latency_json(const Histogram& latency_ns) {
  const LatencySummary ms = latency_ms(latency_ns);
  return {{"mean", fraction(ms.mean)}, {"p50", fraction(ms.p50)}, {"p90", fraction(ms.p90)},
          {"p95", fraction(ms.p95)},   {"p99", fraction(ms.p99)}, {"p999", fraction(ms.p999)},
          {"max", fraction(ms.max)}};
}

Json latency_parts_json(const ClientResult& client) {
  const LatencyPartsSummary ms = latency_parts_ms(client);
  return {{"service", fraction(ms.service)},
          {"queue", fraction(ms.queue)},
          {"retry_wait", fraction(ms.retry_wait)}};
}

Json client_json(const ClientResult& client) {
  return {{"operations", operations_json(client.operations)},
          {"attempts", client.attempts},
          {"throttled", client.throttled},
          {"throttled_share", fraction(throttled_share(client))},
          {"failed_share", fraction(failed_share(client))},
          {"latency_ms", latency_json(client.latency_ns)},
          {"ru_per_operation", fraction(ru_per_operation(client))},
          {"partitions_per_operation", fraction(partitions_per_operation(client))},
          {"latency_parts_ms", latency_parts_json(client)},
          {"gone", client.gone},
          {"forbidden", client.forbidden},
          {"refused", client.refused},
          {"timed_out", client.timed_out}};
}

/// Only of clients that replay one.
Json trace_json(const TraceCounts& trace) {
  return {{"rows", trace.read},
          {"rows_throttled", trace.throttled},
          {"rows_bad", trace.bad},
          {"complete", trace.complete}};
}

Json partition_json(const RunResult& run, const PartitionResult& partition) {
  Json json{{"id", partition.id},
            {"parent", partition.parent ? Json(*partition.parent) : Json(nullptr)},
            {"container", partition.container},
            {"min", partition.min_epk},
            {"max", partition.max_epk},
            {"ru_per_s", ru(partition.share_mru_per_s)},
            {"attempts", partition.attempts},
            {"throttled", partition.throttled},
            {"throttled_share", fraction(throttled_share(partition))},
            {"ru_consumed", ru(partition.consumed_mru)},
            {"peak_utilization", fraction(peak_utilization(partition))},
            {"storage_bytes", partition.storage_bytes},
            {"ru_demand", ru(partition.demand_mru)},
            {"utilization", fraction(mean_utilization(run, partition))},
            {"key_space", fraction(key_space(partition.width_q32))},
            {"born_s", seconds(partition.born_ns)},
            {"retired_s", partition.retired_ns ? seconds(*partition.retired_ns) : Json(nullptr)},
            {"burst_ru", ru(partition.burst_mru)},
            {"ttl_ru", ru(partition.ttl_mru)},
            {"single_key_full", partition.single_key_full}};
  if (partition.write_share_mru_per_s > 0) {
    json["write_ru_per_s"] = ru(partition.write_share_mru_per_s);
  }
  return json;
}

Json hot_key_json(const HotKey& hot_key, MilliRu total_demand_mru) {
  const double share = total_demand_mru > 0 ? static_cast<double>(hot_key.demand_mru) /
                                                  static_cast<double>(total_demand_mru)
                                            : 0.0;
  return {{"key", hot_key.key}, {"partition", hot_key.partition}, {"ru_share", fraction(share)}};
}

Json slice_json(const LayoutEvent::Slice& slice) {
  return {{"id", slice.partition},
          {"key_space", fraction(key_space(slice.width_q32))},
          {"ru_per_s", ru(slice.share_mru_per_s)},
          {"storage_bytes", slice.storage_bytes}};
}

Json layout_event_json(const LayoutEvent& event) {
  static constexpr std::array kKinds{"split", "merge", "scale", "redistribute", "refused"};
  static constexpr std::array kCauses{"throughput", "storage", "heat", "request"};
  const auto id_of = [](const LayoutEvent::Slice& slice) { return Json(slice.partition); };
  // only these have parents and children; after a change of shares everybody is who they were
  const bool kin = event.kind == LayoutEventKind::split || event.kind == LayoutEventKind::merge;
  Json json{{"at_s", seconds(event.at_ns)},
            {"kind", kKinds.at(static_cast<std::size_t>(event.kind))},
            {"cause", kCauses.at(static_cast<std::size_t>(event.cause))},
            {"parents", kin ? array_json(event.before, id_of) : Json::array()},
            {"children", kin ? array_json(event.after, id_of) : Json::array()},
            {"asked_s", seconds(event.asked_ns)},
            {"container", event.container},
            {"before", array_json(event.before, slice_json)},
            {"after", array_json(event.after, slice_json)},
            {"total_ru_per_s_before", ru(event.total_before_mru)},
            {"total_ru_per_s_after", ru(event.total_after_mru)}};
  if (!event.reason.empty()) {
    json["reason"] = event.reason;
  }
  return json;
}

Json large_key_json(const LargeKey& key) {
  return {{"key", key.key}, {"partition", key.partition}, {"bytes", key.bytes}, {"full", key.full}};
}

Json cost_json(const Cost& cost) {
  return {{"currency", "USD"},
          {"per_hour", amount(cost.per_hour_micro, kMillion)},
          {"per_month", amount(cost.per_month_micro, kMillion)},
          {"total", amount(total_cost_micro(cost), kMillion)},
          {"hours", cost.hours},
          {"throughput", amount(cost.throughput_micro, kMillion)},
          {"storage", amount(cost.storage_micro, kMillion)}};
}

/// What all clients saw together: the part of a run that reads like a client's.
void add_totals(Json& json, const RunResult& run) {
  const ClientResult total = run.total();
  json["operations"] = operations_json(total.operations);
  json["attempts"] = total.attempts;
  json["throttled"] = total.throttled;
  json["throttled_share"] = fraction(throttled_share(total));
  json["failed_share"] = fraction(failed_share(total));
  json["latency_ms"] = latency_json(total.latency_ns);
  json["latency_parts_ms"] = latency_parts_json(total);
  json["ru"] = {{"consumed", ru(total.consumed_mru)},
                {"per_operation", fraction(ru_per_operation(total))},
                {"provisioned_per_s", ru(run.provisioned_mru_per_s)},
                {"utilization", fraction(run.utilization())},
                {"normalized_peak", fraction(run.normalized_peak())},
                {"burst", ru(total_burst_mru(run))}};
}

/// What formats 1.1 and later have beyond 1.0.
void add_layout(Json& json, const RunResult& run) {
  const ClientResult total = run.total();
  json["provider"] = provider_name(run.provider);
  json["api"] = api_name(run.api);
  json["regions"] = run.regions;
  json["gone"] = total.gone;
  json["forbidden"] = total.forbidden;
  json["refused"] = total.refused;
  json["timed_out"] = total.timed_out;
  json["layout"] = {{"partitions", alive_partitions(run)},
                    {"splits", count_events(run, LayoutEventKind::split)},
                    {"merges", count_events(run, LayoutEventKind::merge)},
                    {"refused", count_events(run, LayoutEventKind::refused)}};
  json["storage"] = {{"bytes", total_storage_bytes(run)},
                     {"largest_partition_bytes", largest_partition_bytes(run)},
                     {"largest_key_bytes", largest_key_bytes(run)}};
  json["large_keys"] = array_json(run.large_keys, large_key_json);
}

Json run_json(const VariantResult& result) {
  const RunResult& run = result.run;
  Json json;
  json["variant"] = result.variant;
  json["seed"] = run.seed;
  json["digest"] = fmt::format("{:016x}", run.digest);
  json["events"] = run.events;
  json["simulated_s"] = seconds(run.simulated_ns);
  add_totals(json, run);
  json["imbalance"] = fraction(run.imbalance());
  json["clients"] = Json::object();
  for (const ClientResult& client : run.clients) {
    json["clients"][client.name] = client_json(client);
    if (client.trace) {
      json["clients"][client.name]["trace"] = trace_json(*client.trace);
    }
  }
  json["partitions"] = array_json(run.partitions, [&run](const PartitionResult& partition) {
    return partition_json(run, partition);
  });
  json["hot_keys"] = array_json(run.hot_keys, [&run](const HotKey& hot_key) {
    return hot_key_json(hot_key, run.total_demand_mru);
  });
  json["layout_events"] = array_json(run.layout_events, layout_event_json);
  json["cost"] = cost_json(run.cost);
  json["warm_up_s"] = seconds(run.warm_up_ns);
  json["model"] = kModelVersion;
  add_layout(json, run);
  if (result.fingerprint != 0) {
    json["fingerprint"] = fmt::format("{:016x}", result.fingerprint);
  }
  if (run.partial) {
    json["partial"] = true;
  }
  return json;
}

}  // namespace

std::string results_json(const StudyResult& study) {
  Json json;
  json["format_version"] = "1.3";
  json["generator"] = "partsim " PARTSIM_VERSION;
  json["scenario"] = {{"name", study.name}, {"title", study.title}, {"seed", study.seed}};
  json["runs"] = array_json(study.runs, run_json);
  json["expectations"] = array_json(study.expectations, expectation_json);
  if (study.partial) {
    json["partial"] = true;
  }
  return json_file(json);
}

}  // namespace partsim
