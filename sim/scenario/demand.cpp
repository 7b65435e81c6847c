#include "demand.hpp"

#include "partsim/scenario/charges.hpp"

#include "safe_math.hpp"
#include "workload_bounds.hpp"

namespace partsim {
namespace {

double operations_per_second(const Scenario& scenario, const ClientSpec& client,
                             Nanoseconds spread_ns) {
  const auto spread = static_cast<double>(positive(spread_ns));
  if (const auto* once = std::get_if<AtOnce>(&client.arrivals)) {
    return static_cast<double>(once->count) * 1e9 / spread;
  }
  if (const auto* bulk = std::get_if<BulkLoad>(&client.arrivals)) {
    return static_cast<double>(bulk->count) * 1e9 / spread;
  }
  if (const auto* loop = std::get_if<ClosedLoop>(&client.arrivals)) {
    // as if every answer took the median of a write
    const auto answer = static_cast<double>(positive(scenario.parameters.write_latency_p50_ns));
    return static_cast<double>(loop->users) * 1e9 / (answer + static_cast<double>(loop->think_ns));
  }
  const auto* open = std::get_if<OpenLoop>(&client.arrivals);
  if (open == nullptr || open->rate.per_ns < 1) {
    return 0;
  }
  return static_cast<double>(open->rate.count_micro) * 1e3 / static_cast<double>(open->rate.per_ns);
}

MilliRu charge_of(const OperationSpec& operation, Bytes size, const Charges& charges) {
  switch (operation.kind) {
    case OperationKind::read:
      return charges.point_read(size);
    case OperationKind::query:
      return charges.query(operation.matches, operation.returned, size);
    case OperationKind::read_feed:
      return charges.read_feed(operation.returned, size);
    default:
      return estimate::dearest_write(charges, operation, size);
  }
}

}  // namespace

Demand demand_of(const Scenario& scenario, const PoolSpec& pool,
                 const ProviderParameters& parameters, Nanoseconds spread_ns) {
  Demand demand;
  for (const ClientSpec& client : scenario.clients) {
    if (!pool.has(client.container)) {
      continue;
    }
    const ContainerSpec& container = scenario.containers[client.container];
    const Charges charges(container, parameters);
    const double rate = operations_per_second(scenario, client, spread_ns);
    for (const OperationSpec& operation : client.operations) {
      const double each = rate * static_cast<double>(operation.share_ppm) / 1e6;
      (estimate::is_read(operation.kind) ? demand.reads : demand.writes) +=
          each * static_cast<double>(charge_of(operation, container.item_size_bytes, charges));
    }
  }
  return demand;
}

}  // namespace partsim
