/// Rough sizes of a scenario: how many requests, how dear, how slow. Upper bounds, so that what
/// passes cannot overflow the engine's integers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "partsim/scenario/charges.hpp"
#include "partsim/scenario/scenario.hpp"

#include "extent.hpp"
#include "workload_bounds.hpp"

namespace partsim::estimate {

inline constexpr std::size_t kCandidateLimit = 10'000;

/// Requests a single operation makes, by the routing rules of the model.
inline double requests_of(const ContainerSpec& container, const OperationSpec& operation,
                          double partitions) {
  if (operation.kind == OperationKind::create || operation.kind == OperationKind::upsert ||
      operation.kind == OperationKind::batch || operation.kind == OperationKind::script) {
    return 1;
  }
  if (operation.keys > 1) {
    return std::min(static_cast<double>(operation.keys), partitions);
  }
  const auto knows = [&operation](const std::string& field) {
    return std::find(operation.given.begin(), operation.given.end(), field) !=
           operation.given.end();
  };
  double candidates = 1;
  bool first_level_known = true;
  bool only_random_unknown = true;
  for (const KeyTemplate& level : container.partition_key) {
    for (const KeyPart& part : level.parts) {
      const auto* field = std::get_if<FieldValue>(&part);
      const auto* hashed = std::get_if<HashedSuffix>(&part);
      const auto* random = std::get_if<RandomSuffix>(&part);
      const bool is_unknown = (field != nullptr && !knows(field->field)) ||
                              (hashed != nullptr && !knows(hashed->field));
      candidates *= random != nullptr ? static_cast<double>(random->count) : 1;
      only_random_unknown = only_random_unknown && !is_unknown;
      if (&level == &container.partition_key.front() && (is_unknown || random != nullptr)) {
        first_level_known = false;
      }
    }
  }
  if (only_random_unknown && candidates <= static_cast<double>(kCandidateLimit)) {
    return std::min(candidates, partitions);
  }
  return container.partition_key.size() > 1 && first_level_known ? 1 : partitions;
}

inline double requests_of(const Scenario& scenario, const ClientSpec& client,
                          const Extent& extent) {
  const ContainerSpec& container = scenario.containers[client.container];
  const auto partitions = static_cast<double>(extent.partitions);
  double per_operation = 0;
  for (const OperationSpec& operation : client.operations) {
    per_operation += static_cast<double>(operation.share_ppm) / static_cast<double>(kMillion) *
                     requests_of(container, operation, partitions);
  }
  return operations_of(scenario, client) * per_operation;
}

inline double strong_factor(const Scenario& scenario, const ContainerSpec& container) {
  const bool is_strong = container.consistency == Consistency::strong ||
                         container.consistency == Consistency::bounded_staleness;
  return is_strong ? static_cast<double>(scenario.parameters.strong_read_multiplier_micro) /
                         static_cast<double>(kMillion)
                   : 1.0;
}

/// No request of the operation costs more, in milli-RU: one partition may hold all that matches.
inline double dearest_request(const Scenario& scenario, const ContainerSpec& container,
                              const OperationSpec& operation) {
  if (operation.charge_mru) {
    return static_cast<double>(*operation.charge_mru);
  }
  const Charges charges(container, scenario.parameters);
  const Bytes size = largest_item(scenario.parameters, container);
  const MilliRu query = charges.query(operation.matches, operation.returned, size);
  switch (operation.kind) {
    case OperationKind::query:
      return static_cast<double>(query);
    case OperationKind::read:
      return static_cast<double>(std::max(query, charges.point_read(size)));
    case OperationKind::read_feed:
      return static_cast<double>(charges.read_feed(operation.returned, size));
    default:
      break;
  }
  // Who does not know the key looks for the item first.
  return static_cast<double>(dearest_write(charges, operation, size)) +
         static_cast<double>(knows_key(container, operation) ? 0 : query);
}

/// The farthest sample of a log-normal by its median and 99th percentile: 2^-65 from the end of the
/// distribution lie 9.2 standard deviations, less than four times the 2.33 of the percentile.
inline double farthest_latency(Nanoseconds p50, Nanoseconds p99) {
  const double spread = static_cast<double>(p99) / static_cast<double>(p50);
  return static_cast<double>(p50) * spread * spread * spread * spread;
}

/// No request with such a charge takes longer, in nanoseconds.
inline double slowest_request(const Scenario& scenario, const ContainerSpec& container,
                              double charge_mru) {
  // -log of the smallest draw, 2^-52, is 36.04.
  static constexpr double kFarthestExponential = 37;
  const double charge_ru = charge_mru / static_cast<double>(kMilliPerRu);
  const ProviderParameters& p = scenario.parameters;
  if (container.service) {
    const ServiceTimeSpec& service = *container.service;
    const bool is_fixed = service.law == ServiceTimeSpec::Law::fixed;
    return static_cast<double>(service.mean.mean_ns) * (service.mean.per_ru ? charge_ru : 1.0) *
           (is_fixed ? 1.0 : kFarthestExponential);
  }
  return std::max(farthest_latency(p.read_latency_p50_ns, p.read_latency_p99_ns),
                  farthest_latency(p.write_latency_p50_ns, p.write_latency_p99_ns)) +
         static_cast<double>(p.query_latency_ns_per_ru) * charge_ru;
}

/// Most bytes of a field inside a key.
inline std::size_t longest_text(const FieldSpec& field) {
  static constexpr std::size_t kNumberBytes = 24;            // of a double in a composite key
  static constexpr std::size_t kCountDigits = 20;            // of 2^64
  static constexpr std::int64_t kTenDigits = 9'223'372'036;  // every other token has a fixed width
  if (const auto* time = std::get_if<TimeField>(&field.kind)) {
    std::string text;
    time->format.append(text, kTenDigits);
    return text.size();
  }
  if (const auto* choose = std::get_if<ChooseField>(&field.kind)) {
    const std::size_t digits =
        choose->of.empty() ? std::to_string(std::max<std::uint64_t>(choose->count, 1) - 1).size()
                           : kCountDigits;
    return choose->prefix.size() + choose->suffix.size() +
           std::max<std::size_t>(choose->width, digits);
  }
  if (const auto* sequence = std::get_if<SequenceField>(&field.kind)) {
    return sequence->prefix.size() + sequence->suffix.size() +
           std::max<std::size_t>(sequence->width, kCountDigits);
  }
  if (std::holds_alternative<ColumnField>(field.kind)) {
    return 0;  // not known before its file is read
  }
  if (const auto* values = std::get_if<ValuesField>(&field.kind)) {
    std::size_t longest = 0;
    for (const KeyComponent& value : values->values) {
      const auto* text = std::get_if<std::string>(&value);
      longest = std::max(longest, text != nullptr ? text->size() : kNumberBytes);
    }
    return longest;
  }
  return 16;  // hexadecimal digits of a unique value
}

inline bool has_field(const ContainerSpec& container, const std::string& name) {
  return std::any_of(container.fields.begin(), container.fields.end(),
                     [&name](const FieldSpec& field) { return field.name == name; });
}

/// The field whose value or hash a part of a key holds, if any.
inline const std::string* field_of(const KeyPart& part) {
  if (const auto* value = std::get_if<FieldValue>(&part)) {
    return &value->field;
  }
  const auto* hashed = std::get_if<HashedSuffix>(&part);
  return hashed == nullptr ? nullptr : &hashed->field;
}

/// Most bytes of the whole key of an item.
inline std::size_t longest_key(const ContainerSpec& container) {
  static constexpr std::size_t kSuffixDigits = 10;  // ranges end below 2^32
  std::size_t bytes = 0;
  for (const KeyTemplate& level : container.partition_key) {
    for (const KeyPart& part : level.parts) {
      if (const auto* literal = std::get_if<LiteralText>(&part)) {
        bytes += literal->text.size();
        continue;
      }
      const auto* value = std::get_if<FieldValue>(&part);
      bytes += value == nullptr ? kSuffixDigits : 0;
      for (const FieldSpec& field : container.fields) {
        bytes += value != nullptr && field.name == value->field ? longest_text(field) : 0;
      }
    }
  }
  return bytes;
}

/// Bytes of one item with its index.
inline double stored_size(const ProviderParameters& p, const ContainerSpec& container) {
  return static_cast<double>(container.item_size_bytes) *
         (1.0 + static_cast<double>(p.index_storage_overhead_ppm) / static_cast<double>(kMillion));
}

/// What a client adds to the work of a run, at most.
struct Work {
  double requests = 0;
  double charge_mru = 0;
  double service_ns = 0;  // only where a queue makes one request wait for the time of the others
  double debt_ns = 0;     // to pay off the charges of refusals, where those count
};

/// How long the poorest partition of a container works off a debt.
inline double time_of_debt(const Scenario& scenario, MilliRu least_share, double debt_mru) {
  const Nanoseconds window = scenario.parameters.throttle_window_ns;
  __extension__ using Wide = __int128;
  const auto per_window =
      static_cast<std::int64_t>(static_cast<Wide>(least_share) * window / kSecond);
  // A partition without a share admits nothing and pays nothing back.
  return per_window < 1 ? 0.0
                        : debt_mru / static_cast<double>(per_window) * static_cast<double>(window);
}

inline Work work_of(const Scenario& scenario, const ClientSpec& client, const Extent& extent) {
  const ContainerSpec& container = scenario.containers[client.container];
  double dearest = 0;
  for (const OperationSpec& operation : client.operations) {
    dearest = std::max(dearest, dearest_request(scenario, container, operation));
  }
  Work work;
  work.requests = requests_of(scenario, client, extent);
  work.charge_mru = work.requests * dearest *
                    static_cast<double>(std::max<std::size_t>(1, scenario.regions.size()));
  if (container.workers) {
    work.service_ns = work.requests * slowest_request(scenario, container, dearest);
  }
  if (scenario.parameters.throttled_charge_counts) {
    const double attempts = work.requests * (1.0 + client.retry.max_retries);
    const auto refusal = static_cast<double>(scenario.parameters.throttled_request_charge_mru);
    work.debt_ns = time_of_debt(scenario, extent.least_share, attempts * refusal + dearest);
  }
  return work;
}

/// No operation that stores something costs less, in milli-RU.
inline double cheapest_create(const Scenario& scenario, const OperationSpec& operation) {
  const bool apart = units_apart(scenario.parameters);
  if (operation.charge_mru) {
    return static_cast<double>(std::max<MilliRu>(1, *operation.charge_mru));
  }
  const bool is_script = operation.kind == OperationKind::script;
  const double factor =
      is_script ? static_cast<double>(scenario.parameters.script_operation_factor_micro) /
                      static_cast<double>(kMillion)
                : 1.0;
  return static_cast<double>(apart ? kMilliPerRu : kCosmosCharges.front().write_mru) * factor *
         std::max<double>(1, operation.items);
}

/// Partitions that the data of the fullest pool fill to the threshold; storage splits make at least
/// as many and seldom twice as many. Only admitted writes store anything.
inline double storage_partitions(const Scenario& scenario) {
  double most = 0;
  for (const PoolSpec& pool : pools_of(scenario)) {
    const Extent extent = extent_of(scenario, pool);
    const double seconds =
        static_cast<double>(scenario.duration_ns) / static_cast<double>(kSecond) +
        static_cast<double>(scenario.parameters.burst_window_s);
    const double windows = static_cast<double>(scenario.duration_ns) /
                           static_cast<double>(scenario.parameters.throttle_window_ns);
    auto bytes = static_cast<double>(stored_at_start(scenario, pool));
    for (const ClientSpec& client : scenario.clients) {
      if (!pool.has(client.container)) {
        continue;
      }
      const ContainerSpec& container = scenario.containers[client.container];
      for (const OperationSpec& operation : client.operations) {
        const double items = items_added(operation);
        if (items <= 0) {
          continue;
        }
        const double asked = operations_of(scenario, client) *
                             static_cast<double>(operation.share_ppm) /
                             static_cast<double>(kMillion);
        // A share may be overdrawn by one request in each window.
        const double admitted = static_cast<double>(extent.largest_total) * seconds /
                                    cheapest_create(scenario, operation) +
                                windows * static_cast<double>(extent.partitions);
        bytes += std::min(asked, admitted) * items * stored_size(scenario.parameters, container);
      }
    }
    const auto threshold = static_cast<double>(scenario.parameters.split_storage_threshold_bytes);
    most = std::max(most, pool.fixed ? 1.0 : bytes / threshold);
  }
  return most;
}

}  // namespace partsim::estimate
