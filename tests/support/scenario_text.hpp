/// A scenario as text, one thing a line, enough to rebuild it by hand; used by `describe`.
#pragma once

#include <ostream>
#include <string>

#include "partsim/scenario/scenario.hpp"

namespace partsim::scenario_text {

template <class T>
std::string or_word(const std::optional<T>& value, const char* word) {
  return value ? std::to_string(*value) : std::string(word);
}

inline void put(const ThroughputSpec& bought, std::ostream& out) {
  out << " mode " << static_cast<int>(bought.mode) << " throughput_mru " << bought.mru_per_s;
  if (bought.units) {
    out << " read " << bought.units->read_per_s << " write " << bought.units->write_per_s;
  }
  out << ", partitions " << or_word(bought.partitions, "by rule");
}

inline void put(const FieldSpec& field, std::ostream& out) {
  out << ' ' << field.name << '#' << field.kind.index();
  if (const auto* clock = std::get_if<TimeField>(&field.kind)) {
    out << '(' << clock->format.pattern() << ')';
  } else if (const auto* choose = std::get_if<ChooseField>(&field.kind)) {
    out << '(' << choose->count << " law " << choose->law.index() << ')';
  }
}

inline void put(const ContainerSpec& container, std::ostream& out) {
  out << "container " << container.name << ':' << (container.fixed ? " fixed" : "");
  if (container.shares_database) {
    out << " in the database";
  } else {
    put(container.throughput, out);
  }
  out << ", hash " << static_cast<int>(container.hash) << ", size " << container.item_size_bytes
      << ", terms " << container.indexed_terms << ", consistency "
      << static_cast<int>(container.consistency) << ", initial " << container.initial_storage_bytes
      << ", key";
  for (const KeyTemplate& level : container.partition_key) {
    out << " [" << level.text << ']';
  }
  out << ", fields";
  for (const FieldSpec& field : container.fields) {
    put(field, out);
  }
  if (container.workers) {
    out << ", workers " << container.workers->count << " queue "
        << or_word(container.workers->queue_limit, "unbounded");
  }
  if (container.service) {
    out << ", service law " << static_cast<int>(container.service->law) << " mean "
        << container.service->mean.mean_ns << (container.service->mean.per_ru ? " ns/RU" : " ns");
  }
  out << ", buckets";
  for (const std::int64_t ppm : container.bucket_ppm) {
    out << ' ' << ppm;
  }
  out << '\n';
}

inline void put(const ClientSpec& client, std::ostream& out) {
  out << "client " << client.name << ": container " << client.container << " region "
      << client.region << " bucket " << client.bucket
      << (client.priority == Priority::low ? " low" : "");
  if (const auto* batch = std::get_if<AtOnce>(&client.arrivals)) {
    out << ", at_once " << batch->count << " at " << batch->at_ns;
  } else if (const auto* loop = std::get_if<OpenLoop>(&client.arrivals)) {
    out << (loop->spacing == OpenLoop::Spacing::evenly ? ", evenly " : ", poisson ")
        << loop->rate.count_micro << " micro per " << loop->rate.per_ns << " ns";
  }
  out << ", retries " << client.retry.max_retries << " max_wait " << client.retry.max_wait_ns
      << " jitter " << client.retry.jitter_ns << " ns " << client.retry.jitter_ppm
      << " ppm backoff " << client.retry.backoff_base_ns << " to " << client.retry.backoff_max_ns
      << '\n';
  for (const OperationSpec& operation : client.operations) {
    out << "  operation kind " << static_cast<int>(operation.kind) << " share "
        << operation.share_ppm << " matches " << operation.matches << " returned "
        << operation.returned << " charge " << operation.charge_mru.value_or(-1) << " given";
    for (const std::string& field : operation.given) {
      out << ' ' << field;
    }
    out << '\n';
  }
}

inline void put(const TimelineEntry& entry, std::ostream& out) {
  out << "at " << entry.at_ns << " container " << entry.container;
  if (const auto* set = std::get_if<SetThroughput>(&entry.action)) {
    out << " throughput " << set->mru_per_s;
  } else if (const auto* change = std::get_if<Redistribute>(&entry.action)) {
    out << " redistribute";
    for (const Redistribute::Target& target : change->targets) {
      out << ' ' << target.partition << ": " << target.mru_per_s;
    }
  } else {
    out << " merge";
  }
  out << '\n';
}

inline void put_layout(const ProviderParameters& p, std::ostream& out) {
  out << "partition max " << p.partition_max_mru_per_s << ", initial "
      << p.initial_partition_mru_manual << " or " << p.initial_partition_mru_autoscale
      << ", growth " << p.growth_partition_mru << (p.growth_splits_all ? " splits all" : "")
      << ", minimum " << p.min_mru_manual << ' ' << p.min_mru_per_gb_manual << "/GB 1/"
      << p.min_mru_high_water_divisor_manual << " or " << p.min_mru_autoscale_max << ' '
      << p.min_mru_per_gb_autoscale << "/GB 1/" << p.min_mru_high_water_divisor_autoscale
      << " step " << p.mru_step_autoscale << ", serverless " << p.serverless_mru_per_partition
      << ", database of " << p.shared_db_max_containers << ", distribution "
      << static_cast<int>(p.throughput_distribution) << '\n'
      << "cut " << static_cast<int>(p.split_cut_throughput) << ' '
      << static_cast<int>(p.split_cut_storage) << ", order " << static_cast<int>(p.split_order)
      << ", split " << p.split_duration_ns << " swap " << p.split_swap_unavailable_ns << ", gone "
      << p.client_gone_retry_initial_ns << ' ' << p.client_gone_retry_max_ns << ' '
      << p.client_gone_retry_total_ns << ", merge " << p.merge_enabled << ' ' << p.merge_duration_ns
      << ' ' << p.merge_max_partition_mru_per_s << ' ' << p.merge_max_partition_bytes << '\n';
}

inline void put_capacity(const ProviderParameters& p, std::ostream& out) {
  out << "storage max " << p.partition_max_storage_bytes << " split "
      << p.split_storage_threshold_bytes << " logical " << p.logical_partition_max_storage_bytes
      << " overhead " << p.index_storage_overhead_ppm << ", units " << p.read_unit_bytes << ' '
      << p.write_unit_bytes << " factor " << p.eventual_read_factor_ppm << " max "
      << p.partition_max_read_units_per_s << ' ' << p.partition_max_write_units_per_s
      << ", adaptive " << p.adaptive_capacity << '\n'
      << "burst " << p.burst_enabled << ' ' << p.burst_window_s << " s max "
      << p.burst_max_mru_per_s << " below " << p.burst_eligible_below_mru_per_s
      << (p.burst_net_of_share ? " net" : " gross") << ", per minute " << p.ru_per_minute_enabled
      << ' ' << p.ru_per_minute_ratio << " up to " << p.ru_per_minute_max_partition_mru << '\n';
}

inline void put(const Scenario& scenario, std::ostream& out) {
  const ProviderParameters& p = scenario.parameters;
  out << "seed " << scenario.seed << ", start " << scenario.start_unix_s << ", duration "
      << scenario.duration_ns << ", warm_up " << scenario.warm_up_ns << ", model "
      << static_cast<int>(p.throttle_model) << ", window " << p.throttle_window_ns
      << ", retry_after min " << p.retry_after_min_ns << " step " << p.retry_after_step_ns
      << ", response " << p.throttle_response_ns << ", throttled charge "
      << p.throttled_request_charge_mru << (p.throttled_charge_counts ? " counts" : "")
      << ", regions " << scenario.regions.size()
      << (scenario.multi_region_writes ? " all take writes" : "") << " apart "
      << p.region_round_trip_ns << '\n';
  put_layout(p, out);
  put_capacity(p, out);
  if (scenario.database) {
    out << "database:";
    put(scenario.database->throughput, out);
    out << '\n';
  }
  for (const ContainerSpec& container : scenario.containers) {
    put(container, out);
  }
  for (const ClientSpec& client : scenario.clients) {
    put(client, out);
  }
  for (const TimelineEntry& entry : scenario.timeline) {
    put(entry, out);
  }
}

}  // namespace partsim::scenario_text
