// A workload scenario as text, and scenarios with one thing less each.
#include <algorithm>
#include <array>
#include <sstream>

#include "support/random_scenario.hpp"
#include "support/random_workload_scenario.hpp"

namespace partsim {
namespace {

void plain_arrivals(ClientSpec& client) {
  if (auto* loop = std::get_if<OpenLoop>(&client.arrivals)) {
    loop->changes.clear();
    loop->spikes.clear();
    loop->on_off.reset();
    loop->hour_ppm.reset();
  } else {
    client.arrivals = AtOnce{20, 0, {}};
  }
}

void fewer_arrivals(ClientSpec& client) {
  const auto halve = [](std::uint64_t count) { return std::max<std::uint64_t>(1, count / 2); };
  if (auto* batch = std::get_if<AtOnce>(&client.arrivals)) {
    batch->count = halve(batch->count);
  } else if (auto* bulk = std::get_if<BulkLoad>(&client.arrivals)) {
    bulk->count = halve(bulk->count);
  } else if (auto* users = std::get_if<ClosedLoop>(&client.arrivals)) {
    users->total = halve(users->total.value_or(100));
  } else {
    auto& loop = std::get<OpenLoop>(client.arrivals);
    loop.rate.count_micro /= 2;
  }
}

constexpr std::array<void (*)(ClientSpec&), 13> kSimplerClient = {
    plain_arrivals,
    fewer_arrivals,
    [](ClientSpec& c) { c.timeout_ns.reset(); },
    [](ClientSpec& c) { c.concurrency.reset(); },
    [](ClientSpec& c) { c.retry = RetrySpec{}; },
    [](ClientSpec& c) { c.retry.quota_tokens = 0; },
    [](ClientSpec& c) { c.retry.max_retries /= 2; },
    [](ClientSpec& c) {
      c.operations.resize(1);
      c.operations[0].share_ppm = kMillion;
    },
    [](ClientSpec& c) { c.operations.assign(1, OperationSpec{}); },
    [](ClientSpec& c) { c.operations[0].within_ns = 0; },
    [](ClientSpec& c) { c.operations[0].charge_mru = 1'000; },
    [](ClientSpec& c) { c.priority = Priority::high; },
    [](ClientSpec& c) { c.bucket = 0; },
};

constexpr std::array<void (*)(Scenario&), 12> kSimplerScenario = {
    [](Scenario& s) { s.duration_ns = std::max<Nanoseconds>(1, s.duration_ns / 2); },
    [](Scenario& s) { s.warm_up_ns = 0; },
    [](Scenario& s) { s.parameters.split_swap_unavailable_ns = 0; },
    [](Scenario& s) { s.parameters.split_storage_threshold_bytes = 50 * kGigabyte; },
    [](Scenario& s) { s.parameters.logical_partition_max_storage_bytes = 0; },
    [](Scenario& s) { s.parameters.throttle_response_ns = 0; },
    [](Scenario& s) { s.parameters.throttled_charge_counts = false; },
    [](Scenario& s) { s.parameters.burst_enabled = false; },
    [](Scenario& s) { s.parameters.adaptive_capacity = false; },
    [](Scenario& s) {
      for (ContainerSpec& container : s.containers) {
        container.item_size_law.reset();
      }
    },
    [](Scenario& s) {
      for (ContainerSpec& container : s.containers) {
        container.workers.reset();
      }
    },
    [](Scenario& s) {
      for (ContainerSpec& container : s.containers) {
        container.service = ServiceTimeSpec{};
        container.service->mean.mean_ns = kMillisecond;
      }
    },
};

void put(std::ostream& out, const OpenLoop& loop) {
  out << (loop.spacing == OpenLoop::Spacing::evenly ? "evenly " : "poisson ")
      << loop.rate.count_micro << '/' << loop.rate.per_ns;
  for (const RateChange& change : loop.changes) {
    out << " change at " << change.at_ns << " to " << change.rate.count_micro << '/'
        << change.rate.per_ns << " over " << change.over_ns;
  }
  for (const RateSpike& spike : loop.spikes) {
    out << " spike at " << spike.at_ns << " for " << spike.for_ns << " times " << spike.times_micro;
  }
  if (loop.on_off) {
    out << " on " << loop.on_off->on_ns << " off " << loop.on_off->off_ns;
  }
  out << (loop.hour_ppm ? " daily" : "");
}

void put(std::ostream& out, const AtOnce& batch) {
  out << "at_once " << batch.count << " at " << batch.at_ns;
  if (batch.pace) {
    out << " pace " << batch.pace->count_micro << '/' << batch.pace->per_ns;
  }
}

void put(std::ostream& out, const ClosedLoop& loop) {
  out << "users " << loop.users << " think " << static_cast<int>(loop.think) << ' ' << loop.think_ns
      << " start_over " << loop.start_over_ns << " total " << loop.total.value_or(0);
}

void put(std::ostream& out, const BulkLoad& bulk) {
  out << "bulk " << bulk.count << " at " << bulk.at_ns << " batch " << bulk.batch << " most "
      << bulk.most_degrees;
}

void put(std::ostream& out, const TraceReplay& trace) {
  out << "trace " << trace.file;
}

void put(std::ostream& out, const ClientSpec& client) {
  const RetrySpec& retry = client.retry;
  out << client.name << ": ";
  std::visit([&](const auto& arrivals) { put(out, arrivals); }, client.arrivals);
  out << "; backoff " << static_cast<int>(retry.backoff_jitter) << ' ' << retry.backoff_base_ns
      << " fixed " << retry.fixed_wait_ns << " longest " << retry.longest_wait_ns
      << (retry.may_overshoot ? " may overshoot" : "") << " quota " << retry.quota_tokens << " at "
      << retry.quota_cost << ", concurrency " << client.concurrency.value_or(0) << " timeout "
      << client.timeout_ns.value_or(0) << '\n';
  for (const OperationSpec& operation : client.operations) {
    out << "  kind " << static_cast<int>(operation.kind) << " keys " << operation.keys << " items "
        << operation.items << " changed " << operation.changed_terms << " patched "
        << operation.patched << " existing " << operation.existing_ppm << " within "
        << operation.within_ns << '\n';
  }
}

/// With arrivals that `describe` knows.
std::string describe_rest(Scenario scenario) {
  for (ClientSpec& client : scenario.clients) {
    client.arrivals = AtOnce{};
  }
  return describe(scenario);
}

}  // namespace

std::string describe_workload(const Scenario& scenario) {
  std::ostringstream out;
  out << describe_rest(scenario) << "workload\n";
  for (const ContainerSpec& container : scenario.containers) {
    if (const auto& law = container.item_size_law) {
      out << container.name << ": sizes " << static_cast<int>(law->law) << ' ' << law->low << ' '
          << law->high << '\n';
    }
  }
  for (const ClientSpec& client : scenario.clients) {
    put(out, client);
  }
  return out.str();
}

std::vector<Scenario> simpler_workload_scenarios(const Scenario& scenario) {
  std::vector<Scenario> simpler;
  const std::string text = describe_workload(scenario);
  const auto with = [&](const auto& change) {
    Scenario changed = scenario;
    change(changed);
    if (describe_workload(changed) != text) {
      simpler.push_back(std::move(changed));
    }
  };
  for (std::size_t i = 0; i < scenario.clients.size() && scenario.clients.size() > 1; ++i) {
    with([&](Scenario& s) { s.clients.erase(s.clients.begin() + static_cast<std::ptrdiff_t>(i)); });
  }
  for (std::size_t i = 0; i < scenario.timeline.size(); ++i) {
    with([&](Scenario& s) {
      s.timeline.erase(s.timeline.begin() + static_cast<std::ptrdiff_t>(i));
    });
  }
  for (const auto simplify : kSimplerScenario) {
    with(simplify);
  }
  for (std::size_t i = 0; i < scenario.clients.size(); ++i) {
    for (const auto simplify : kSimplerClient) {
      with([&](Scenario& s) { simplify(s.clients[i]); });
    }
  }
  return simpler;
}

}  // namespace partsim
