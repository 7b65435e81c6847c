/// How many operations a client can send and what one can cost: upper bounds for estimate.hpp.
#pragma once

#include <algorithm>
#include <cstdint>

#include "partsim/scenario/charges.hpp"
#include "partsim/scenario/scenario.hpp"

namespace partsim::estimate {

// ---- operations --------------------------------------------------------------------------------

/// In operations a nanosecond.
inline double rate_of(const Rate& rate) {
  return rate.per_ns < 1 ? 0.0
                         : static_cast<double>(rate.count_micro) /
                               (static_cast<double>(kMillion) * static_cast<double>(rate.per_ns));
}

/// Most of a span in which bursts are on.
inline double time_on(const OpenLoop& loop, double span) {
  if (!loop.on_off || loop.on_off->on_ns < 1 || loop.on_off->off_ns < 0) {
    return span;
  }
  const auto on = static_cast<double>(loop.on_off->on_ns);
  const double period = on + static_cast<double>(loop.on_off->off_ns);
  // Cut to whole periods; what is left may be all on.
  const double whole =
      static_cast<double>(static_cast<std::int64_t>(std::min(span / period, 9e18)));
  return std::min(span, whole * on + std::min(on, span - whole * period));
}

/// The rate before spikes, bursts and the hours of the day, and the most in a span from there.
struct RateSpan {
  double mass = 0;
  double peak = 0;
};
inline RateSpan base_between(const OpenLoop& loop, Nanoseconds from, Nanoseconds to) {
  RateSpan result;
  double now = rate_of(loop.rate);
  Nanoseconds at = 0;
  const auto piece = [&](Nanoseconds begin, Nanoseconds end, double first, double last) {
    const Nanoseconds low = std::max(begin, from);
    const Nanoseconds high = std::min(end, to);
    if (low >= high) {
      return;
    }
    const double slope = (last - first) / static_cast<double>(end - begin);
    const double a = first + slope * static_cast<double>(low - begin);
    const double b = first + slope * static_cast<double>(high - begin);
    const auto span = static_cast<double>(high - low);
    const double peak = std::max(a, b);
    result.mass += std::min((a + b) / 2 * span, peak * time_on(loop, span));
    result.peak = std::max(result.peak, peak);
  };
  for (const RateChange& change : loop.changes) {
    const double next = rate_of(change.rate);
    piece(at, change.at_ns, now, now);
    const Nanoseconds arrived = change.at_ns + change.over_ns;
    piece(change.at_ns, arrived, now, next);
    at = arrived;
    now = next;
  }
  piece(at, std::max(at, to), now, now);
  return result;
}

inline double operations_of(const OpenLoop& loop, Nanoseconds duration) {
  double mass = base_between(loop, 0, duration).mass;
  for (const RateSpike& spike : loop.spikes) {
    const double times = static_cast<double>(spike.times_micro) / static_cast<double>(kMillion);
    const Nanoseconds end = std::min(duration, spike.at_ns + spike.for_ns);
    mass += std::max(0.0, times - 1) * base_between(loop, spike.at_ns, end).mass;
  }
  if (loop.hour_ppm) {
    const std::int64_t most = *std::max_element(loop.hour_ppm->begin(), loop.hour_ppm->end());
    mass *= static_cast<double>(most) / static_cast<double>(kMillion);
  }
  return mass;
}

inline double operations_of(const AtOnce& at_once, Nanoseconds duration) {
  const auto all = static_cast<double>(at_once.count);
  return at_once.pace
             ? std::min(all, 1 + rate_of(*at_once.pace) * static_cast<double>(std::max<Nanoseconds>(
                                                              0, duration - at_once.at_ns)))
             : all;
}

/// An operation and the thinking behind it take a millisecond at least.
inline double operations_of(const ClosedLoop& loop, Nanoseconds duration) {
  const auto cycle = static_cast<double>(std::max(loop.think_ns, kMillisecond));
  const double all = static_cast<double>(loop.users) * (1 + static_cast<double>(duration) / cycle);
  return loop.total ? std::min(all, static_cast<double>(*loop.total)) : all;
}

inline double operations_of(const BulkLoad& bulk, Nanoseconds /*duration*/) {
  return static_cast<double>(bulk.count);
}

/// Not known before its file is read.
inline double operations_of(const TraceReplay& /*trace*/, Nanoseconds /*duration*/) {
  return 0;
}

inline double operations_of(const Scenario& scenario, const ClientSpec& client) {
  return std::visit(
      [&scenario](const auto& arrivals) { return operations_of(arrivals, scenario.duration_ns); },
      client.arrivals);
}

// ---- charges -----------------------------------------------------------------------------------

inline bool is_read(OperationKind kind) {
  return kind == OperationKind::read || kind == OperationKind::query ||
         kind == OperationKind::read_feed;
}

/// Items that one operation may add.
inline double items_added(const OperationSpec& operation) {
  switch (operation.kind) {
    case OperationKind::create:
      return 1;
    case OperationKind::upsert:
      return 1 - static_cast<double>(operation.existing_ppm) / static_cast<double>(kMillion);
    case OperationKind::batch:
    case OperationKind::script:
      return operation.items;
    default:
      return 0;
  }
}

/// The largest item that can come up.
inline Bytes largest_item(const ProviderParameters& p, const ContainerSpec& container) {
  if (!container.item_size_law) {
    return container.item_size_bytes;
  }
  const bool is_uniform = container.item_size_law->law == SizeLaw::Law::uniform;
  return is_uniform ? container.item_size_law->high : p.item_max_bytes;
}

/// What one request writes, in milli-RU, without looking for the item first.
inline MilliRu dearest_write(const Charges& charges, const OperationSpec& operation, Bytes size) {
  switch (operation.kind) {
    case OperationKind::upsert:
      return std::max(charges.create(size), charges.replace(operation.changed_terms, size));
    case OperationKind::replace:
      return charges.replace(operation.changed_terms, size);
    case OperationKind::patch:
      return charges.patch(operation.changed_terms, operation.patched, size);
    case OperationKind::remove:
      return charges.remove(size);
    case OperationKind::batch:
      return charges.batch(operation.items, size);
    case OperationKind::script:
      return charges.script(operation.items, size);
    default:
      return charges.create(size);
  }
}

/// Whether one partition can be told for each of its requests: all of the key is known.
inline bool knows_key(const ContainerSpec& container, const OperationSpec& operation) {
  if (operation.kind == OperationKind::create || operation.kind == OperationKind::upsert) {
    return true;
  }
  const auto knows = [&operation](const std::string& field) {
    return std::find(operation.given.begin(), operation.given.end(), field) !=
           operation.given.end();
  };
  for (const KeyTemplate& level : container.partition_key) {
    for (const KeyPart& part : level.parts) {
      const auto* field = std::get_if<FieldValue>(&part);
      const auto* hashed = std::get_if<HashedSuffix>(&part);
      if (std::holds_alternative<RandomSuffix>(part) ||
          (field != nullptr && !knows(field->field)) ||
          (hashed != nullptr && !knows(hashed->field))) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace partsim::estimate
