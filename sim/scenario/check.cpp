#include "partsim/scenario/check.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "findings.hpp"

namespace partsim {
namespace checks {

std::string quoted(const std::string& name) {
  static constexpr std::size_t kLongest = 40;
  return "'" + (name.size() > kLongest ? name.substr(0, kLongest - 3) + "..." : name) + "'";
}

/// A duration for a message; those of a broken value may be negative.
std::string text_of(Nanoseconds time) {
  return time < 0 ? "less than 0s" : format_duration(time);
}

std::string known_fields(const ContainerSpec& container) {
  if (container.fields.empty()) {
    return "the container has no fields";
  }
  std::string text = "known fields:";
  for (const FieldSpec& field : container.fields) {
    if (text.size() > 100) {
      return text + " ...";
    }
    text += (&field == &container.fields.front() ? " " : ", ") + field.name;
  }
  return text;
}

namespace {

constexpr std::int64_t kLastStart = 9'223'372'036;  // 2262: nanoseconds since 1970 end there

class Checker {
 public:
  Checker(const Scenario& scenario, std::uint64_t max_requests)
      : scenario_(scenario), max_requests_(max_requests) {}

  std::vector<Problem> run() {
    times();
    const bool can_divide = check_parameters(scenario_, findings_);
    check_features(scenario_, findings_);
    check_containers(scenario_, findings_);
    if (can_divide && !scenario_.containers.empty()) {
      check_pools(scenario_, findings_);
      check_timeline(scenario_, findings_);
    }
    check_clients(scenario_, findings_);
    if (findings_.empty()) {
      work();
    }
    return findings_.take();
  }

 private:
  void times() {
    if (scenario_.duration_ns < 1 || scenario_.duration_ns > kMaxDuration) {
      findings_.add("duration", "the run is out of range, expected above 0 and at most " +
                                    format_duration(kMaxDuration) + ", got " +
                                    text_of(scenario_.duration_ns));
    } else if (scenario_.warm_up_ns >= scenario_.duration_ns) {
      findings_.add("duration", "warm-up must end before the run, expected a duration above " +
                                    format_duration(scenario_.warm_up_ns) + ", got " +
                                    format_duration(scenario_.duration_ns));
    }
    if (scenario_.start_unix_s < 0 || scenario_.start_unix_s > kLastStart) {
      findings_.add("start", "the start is out of range, expected 1970 to 2261");
    }
    if (scenario_.warm_up_ns < 0) {
      findings_.add("warm_up", "warm-up is negative, expected at least 0s");
    }
  }

  /// Last, on a scenario that is otherwise sound: is it too much for one run?
  void work() {
    const ClientSpec* busiest = nullptr;
    double most = 0;
    estimate::Work total;
    const std::vector<estimate::Extent> extents = estimate::extents_of(scenario_);
    for (const ClientSpec& client : scenario_.clients) {
      const estimate::Work work = estimate::work_of(scenario_, client, extents[client.container]);
      if (work.requests > most) {
        busiest = &client;
        most = work.requests;
      }
      total.requests += work.requests;
      total.charge_mru += work.charge_mru;
      total.service_ns += work.service_ns;
      total.debt_ns += work.debt_ns;
    }
    if (busiest == nullptr) {
      return;
    }
    static constexpr std::array<const char*, 5> kKeys{".rate", ".at_once", ".users", ".bulk",
                                                      ".trace"};
    const std::string path = "clients." + busiest->name + kKeys.at(busiest->arrivals.index());
    if (total.requests > static_cast<double>(max_requests_)) {
      findings_.add_over_limit(
          path,
          "too much work, expected at most " + std::to_string(max_requests_) +
              " requests, got about " +
              std::to_string(static_cast<std::uint64_t>(std::min(total.requests, 1e19))),
          "a shorter duration or a lower rate brings it down; --max-events raises the limit");
    } else if (total.charge_mru > kMaxCounted) {
      findings_.add_over_limit(path, "the run could consume more RU than can be counted",
                               "fewer requests or smaller charges bring it down");
    } else if (total.service_ns > kMaxCounted) {
      findings_.add_over_limit(path, "the queues could grow longer than can be counted",
                               "fewer requests or a shorter service time bring them down");
    } else if (total.debt_ns > kMaxCounted) {
      findings_.add_over_limit(path, "the charges of 429s could grow to more than can be counted",
                               "fewer requests or retries, or more throughput, bring them down");
    } else if (std::any_of(extents.begin(), extents.end(), [](const estimate::Extent& extent) {
                 return extent.partitions > kMaxPartitions;
               })) {
      findings_.add_over_limit(
          path, "the demand could split it into more than 10000 partitions",
          "fewer requests or a smaller on_demand_peak_multiplier bring it down");
    } else if (estimate::storage_partitions(scenario_) > static_cast<double>(kMaxPartitions)) {
      findings_.add_over_limit(path, "the data could split into more than 10000 partitions",
                               "fewer writes or a larger split_storage_threshold_gb bring it down");
    }
  }

  const Scenario& scenario_;
  std::uint64_t max_requests_;
  Findings findings_;
};

}  // namespace
}  // namespace checks

std::vector<Problem> check(const Scenario& scenario, std::uint64_t max_requests) {
  return checks::Checker(scenario, max_requests).run();
}

double estimated_requests(const Scenario& scenario) {
  double total = 0;
  const std::vector<estimate::Extent> extents = estimate::extents_of(scenario);
  for (const ClientSpec& client : scenario.clients) {
    total += client.container < extents.size()
                 ? estimate::requests_of(scenario, client, extents[client.container])
                 : 0.0;
  }
  return total;
}

}  // namespace partsim
