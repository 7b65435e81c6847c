#include "run_log.hpp"

#include <algorithm>
#include <sstream>

#include "support/naive_model.hpp"

namespace partsim {
namespace {

template <class T>
void compare(std::ostream& out, const std::string& what, T engine, T model) {
  if (engine != model) {
    out << what << ": engine " << engine << ", model " << model << '\n';
  }
}

void compare(std::ostream& out, const ClientResult& engine, const ClientResult& model) {
  const std::string name = "client " + model.name + ' ';
  compare(out, name + "name", engine.name, model.name);
  compare(out, name + "offered", engine.operations.offered, model.operations.offered);
  compare(out, name + "succeeded", engine.operations.succeeded, model.operations.succeeded);
  compare(out, name + "failed", engine.operations.failed, model.operations.failed);
  compare(out, name + "in_flight", engine.operations.in_flight, model.operations.in_flight);
  compare(out, name + "requests", engine.requests, model.requests);
  compare(out, name + "attempts", engine.attempts, model.attempts);
  compare(out, name + "throttled", engine.throttled, model.throttled);
  compare(out, name + "gone", engine.gone, model.gone);
  compare(out, name + "forbidden", engine.forbidden, model.forbidden);
  compare(out, name + "refused", engine.refused, model.refused);
  compare(out, name + "timed_out", engine.timed_out, model.timed_out);
  compare(out, name + "consumed_mru", engine.consumed_mru, model.consumed_mru);
  compare(out, name + "succeeded_mru", engine.succeeded_mru, model.succeeded_mru);
  compare(out, name + "latency sum", engine.latency_ns.sum(), model.latency_ns.sum());
  compare(out, name + "latencies equal", engine.latency_ns == model.latency_ns, true);
  compare(out, name + "service_ns", engine.parts.service_ns, model.parts.service_ns);
  compare(out, name + "queue_ns", engine.parts.queue_ns, model.parts.queue_ns);
  compare(out, name + "retry_wait_ns", engine.parts.retry_wait_ns, model.parts.retry_wait_ns);
}

void compare(std::ostream& out, const PartitionResult& engine, const PartitionResult& model) {
  const std::string name = "partition " + std::to_string(model.id) + ' ';
  compare(out, name + "id", engine.id, model.id);
  compare(out, name + "parent", engine.parent.value_or(UINT32_MAX),
          model.parent.value_or(UINT32_MAX));
  compare(out, name + "min", engine.min_epk, model.min_epk);
  compare(out, name + "max", engine.max_epk, model.max_epk);
  compare(out, name + "width", engine.width_q32, model.width_q32);
  compare(out, name + "born", engine.born_ns, model.born_ns);
  compare(out, name + "retired", engine.retired_ns.value_or(kNever),
          model.retired_ns.value_or(kNever));
  compare(out, name + "share", engine.share_mru_per_s, model.share_mru_per_s);
  compare(out, name + "write share", engine.write_share_mru_per_s, model.write_share_mru_per_s);
  compare(out, name + "attempts", engine.attempts, model.attempts);
  compare(out, name + "throttled", engine.throttled, model.throttled);
  compare(out, name + "consumed_mru", engine.consumed_mru, model.consumed_mru);
  compare(out, name + "demand_mru", engine.demand_mru, model.demand_mru);
  compare(out, name + "storage", engine.storage_bytes, model.storage_bytes);
  compare(out, name + "single key", engine.single_key_full, model.single_key_full);
}

/// A layout event, but for the container's name and the reason, which are the report's words.
std::string text_of(const LayoutEvent& event) {
  std::ostringstream out;
  out << "at " << event.at_ns << " kind " << static_cast<int>(event.kind) << " cause "
      << static_cast<int>(event.cause);
  if (event.kind == LayoutEventKind::refused) {
    return out.str();
  }
  out << " total " << event.total_before_mru << " to " << event.total_after_mru;
  for (const std::vector<LayoutEvent::Slice>* slices : {&event.before, &event.after}) {
    out << (slices == &event.before ? ", before" : ", after");
    for (const LayoutEvent::Slice& slice : *slices) {
      out << ' ' << slice.partition << '/' << slice.width_q32 << '/' << slice.share_mru_per_s << '/'
          << slice.storage_bytes;
    }
  }
  return out.str();
}

void compare(std::ostream& out, const std::vector<LayoutEvent>& engine,
             const std::vector<LayoutEvent>& model) {
  for (std::size_t i = 0; i < std::max(engine.size(), model.size()); ++i) {
    compare(out, "layout event " + std::to_string(i),
            i < engine.size() ? text_of(engine[i]) : "none",
            i < model.size() ? text_of(model[i]) : "none");
  }
}

void forget_shares(std::vector<PartitionResult>& partitions, std::vector<LayoutEvent>& events) {
  for (PartitionResult& partition : partitions) {
    partition.share_mru_per_s = partition.write_share_mru_per_s = 0;
  }
  for (LayoutEvent& event : events) {
    for (auto* slices : {&event.before, &event.after}) {
      for (LayoutEvent::Slice& slice : *slices) {
        slice.share_mru_per_s = 0;
      }
    }
  }
}

}  // namespace

RunLog run_logged(const Scenario& scenario) {
  RunLog log;
  RunOptions options;
  options.attempts = &log.attempts;
  log.result = run(scenario, options);
  std::sort(log.attempts.begin(), log.attempts.end());
  return log;
}

std::string text_of(const AttemptRecord& record) {
  std::ostringstream out;
  out << "time " << record.time_ns << " client " << record.client << " operation "
      << record.operation << " partition " << record.partition << " attempt " << record.attempt
      << " outcome " << static_cast<int>(record.outcome) << " charge " << record.charge_mru
      << " next " << record.next_ns;
  return out.str();
}

std::string first_difference(const std::vector<AttemptRecord>& engine,
                             const std::vector<AttemptRecord>& other) {
  const auto [mine, theirs] =
      std::mismatch(engine.begin(), engine.end(), other.begin(), other.end());
  if (mine == engine.end() && theirs == other.end()) {
    return {};
  }
  return "record " + std::to_string(mine - engine.begin()) + " of " +
         std::to_string(engine.size()) + " and " + std::to_string(other.size()) +
         "\n  engine: " + (mine == engine.end() ? "none" : text_of(*mine)) +
         "\n  other:  " + (theirs == other.end() ? "none" : text_of(*theirs)) + '\n';
}

std::string difference_from_model(const Scenario& scenario) {
  RunLog engine = run_logged(scenario);
  NaiveResult model = naive_run(scenario);
  if (scenario.parameters.adaptive_capacity) {
    // the engine reports what was bought, the model what a budget was lent at that instant
    forget_shares(engine.result.partitions, engine.result.layout_events);
    forget_shares(model.partitions, model.layout_events);
  }
  std::sort(model.attempts.begin(), model.attempts.end());
  std::ostringstream out;
  out << first_difference(engine.attempts, model.attempts);
  compare(out, engine.result.layout_events, model.layout_events);
  compare(out, "clients", engine.result.clients.size(), model.clients.size());
  compare(out, "partitions", engine.result.partitions.size(), model.partitions.size());
  if (!out.str().empty()) {
    return out.str();
  }
  compare(out, "digest", engine.result.digest, model.digest);
  for (std::size_t i = 0; i < model.clients.size(); ++i) {
    compare(out, engine.result.clients[i], model.clients[i]);
  }
  for (std::size_t i = 0; i < model.partitions.size(); ++i) {
    compare(out, engine.result.partitions[i], model.partitions[i]);
  }
  return out.str();
}

}  // namespace partsim
