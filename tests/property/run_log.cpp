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
  compare(out, name + "share", engine.share_mru_per_s, model.share_mru_per_s);
  compare(out, name + "attempts", engine.attempts, model.attempts);
  compare(out, name + "throttled", engine.throttled, model.throttled);
  compare(out, name + "consumed_mru", engine.consumed_mru, model.consumed_mru);
  compare(out, name + "demand_mru", engine.demand_mru, model.demand_mru);
  compare(out, name + "storage", engine.storage_bytes, model.storage_bytes);
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
  const RunLog engine = run_logged(scenario);
  NaiveResult model = naive_run(scenario);
  std::sort(model.attempts.begin(), model.attempts.end());
  std::ostringstream out;
  out << first_difference(engine.attempts, model.attempts);
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
