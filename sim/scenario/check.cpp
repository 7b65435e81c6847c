#include "partsim/scenario/check.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "estimate.hpp"

namespace partsim {
namespace {

using estimate::divided_up;
using estimate::has_field;
using estimate::partition_count;

constexpr std::int64_t kMaxZipfExponentMicro = 10 * kMillion;
constexpr std::uint64_t kMaxChoices = 1'000'000'000;
constexpr std::uint32_t kMaxWorkers = 1'000;
constexpr std::uint32_t kMaxRetries = 255;
constexpr double kMaxCounted = 4e18;  // milli-RU or nanoseconds: below 2^63, and room for as much
constexpr double kMaxRatePerSecond = 1e9;
constexpr MilliRu kMaxThroughput = 1'000'000'000 * kMilliPerRu;
constexpr std::int64_t kLastStart = 9'223'372'036;  // 2262: nanoseconds since 1970 end there

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

class Checker {
 public:
  Checker(const Scenario& scenario, std::uint64_t max_requests)
      : scenario_(scenario), max_requests_(max_requests) {}

  std::vector<Problem> run() {
    times();
    parameters();
    if (scenario_.containers.empty()) {
      add("container", "no container, expected one");
    }
    for (const ContainerSpec& container : scenario_.containers) {
      throughput(container);
      key(container);
      fields(container);
      servers(container);
    }
    clients();
    if (problems_.empty()) {
      work();
    }
    return std::move(problems_);
  }

 private:
  void add(std::string path, std::string message, std::string hint = {}) {
    problems_.push_back({std::move(path), std::move(message), std::move(hint), false});
  }

  void times() {
    if (scenario_.duration_ns < 1 || scenario_.duration_ns > kMaxDuration) {
      add("duration", "the run is out of range, expected above 0 and at most " +
                          format_duration(kMaxDuration) + ", got " +
                          text_of(scenario_.duration_ns));
    } else if (scenario_.warm_up_ns >= scenario_.duration_ns) {
      add("duration", "warm-up must end before the run, expected a duration above " +
                          format_duration(scenario_.warm_up_ns) + ", got " +
                          format_duration(scenario_.duration_ns));
    }
    if (scenario_.start_unix_s < 0 || scenario_.start_unix_s > kLastStart) {
      add("start", "the start is out of range, expected 1970 to 2261");
    }
    if (scenario_.warm_up_ns < 0) {
      add("warm_up", "warm-up is negative, expected at least 0s");
    }
  }

  void parameters() {
    const ProviderParameters& p = scenario_.parameters;
    const Nanoseconds window = p.throttle_window_ns;
    if (window < 1 || (kSecond % window != 0 && window % kSecond != 0)) {
      add("parameters.throttle_window_ms",
          "the window must divide a second or be whole seconds, got " + text_of(window));
    } else if (window > scenario_.duration_ns) {
      add("parameters.throttle_window_ms", "the window is longer than the run, expected at most " +
                                               text_of(scenario_.duration_ns) + ", got " +
                                               text_of(window));
    }
    if (p.retry_after_step_ns < 1) {
      add("parameters.retry_after_step_ms", "the step must be above 0");
    }
    at_most_hour("retry_after_min_ms", p.retry_after_min_ns);
    at_most_hour("retry_after_step_ms", p.retry_after_step_ns);
    at_most_hour("throttle_response_ms", p.throttle_response_ns);
    if (p.query_latency_ns_per_ru < 0 || p.query_latency_ns_per_ru > kMaxNanosecondsPerRu) {
      add("parameters.query_latency_ms_per_ru",
          "the latency for each RU is out of range, expected 0 to 1000 ms");
    }
    if (p.partition_max_mru_per_s < 1 || p.initial_partition_mru_manual < 1) {
      add("parameters", "RU/s of a partition must be above 0");
    }
    percentiles("read", p.read_latency_p50_ns, p.read_latency_p99_ns);
    percentiles("write", p.write_latency_p50_ns, p.write_latency_p99_ns);
  }

  void percentiles(const std::string& kind, Nanoseconds p50, Nanoseconds p99) {
    if (p50 < 1 || p99 < p50) {
      add("parameters." + kind + "_latency_p99_ms",
          "the 99th percentile is below the median, expected at least " + text_of(p50) + ", got " +
              text_of(p99));
    } else if (p99 > kMaxServiceTime || estimate::farthest_latency(p50, p99) > kMaxCounted) {
      add("parameters." + kind + "_latency_p99_ms",
          "the 99th percentile is too far above the median of " + format_duration(p50) + ", got " +
              format_duration(p99));
    }
  }

  void at_most_hour(const std::string& parameter, Nanoseconds time) {
    if (time < 0 || time > kHour) {
      add("parameters." + parameter,
          "the time is out of range, expected 0 to 1h, got " + text_of(time));
    }
  }

  void throughput(const ContainerSpec& container) {
    const ProviderParameters& p = scenario_.parameters;
    const MilliRu total = container.throughput.mru_per_s;
    if (p.partition_max_mru_per_s < 1 || p.initial_partition_mru_manual < 1) {
      return;  // reported with the parameters
    }
    if (total < 1 || total > kMaxThroughput) {
      add("container.throughput",
          "throughput is out of range, expected above 0 and at most 1000000000 RU/s");
      return;
    }
    const std::string got = ", got " + format_throughput(total);
    if (total < p.min_mru_manual) {
      add("container.throughput",
          "throughput is too low, expected at least " + format_throughput(p.min_mru_manual) + got);
      return;
    }
    if (p.mru_step_manual > 0 && total % p.mru_step_manual != 0) {
      add("container.throughput", "throughput is between two steps, expected a multiple of " +
                                      format_throughput(p.mru_step_manual) + got);
    }
    const std::int64_t count = partition_count(scenario_, container);
    if (count < 1 || count > kMaxPartitions) {
      add(container.throughput.partitions ? "container.partitions" : "container.throughput",
          "partitions are out of range, expected 1 to 10000, got " + std::to_string(count));
      return;
    }
    const MilliRu share = divided_up(total, count);
    if (share > p.partition_max_mru_per_s) {
      add(container.throughput.partitions ? "container.partitions" : "container.throughput",
          "too much for a partition, expected at most " +
              format_throughput(p.partition_max_mru_per_s) + " each, got " +
              format_throughput(total) + " over " + std::to_string(count),
          "this throughput needs at least " +
              std::to_string(divided_up(total, p.partition_max_mru_per_s)) + " partitions");
    }
  }

  static std::string level_path(const ContainerSpec& container, std::size_t level) {
    const std::string path = "container.partition_key";
    return container.partition_key.size() > 1 ? path + "." + std::to_string(level) : path;
  }

  void key(const ContainerSpec& container) {
    const std::size_t levels = container.partition_key.size();
    if (levels < 1 || levels > kMaxKeyLevels) {
      add("container.partition_key",
          "the key has " + std::to_string(levels) + " levels, expected 1 to 3");
    }
    // Several levels always take the hierarchical hash, whatever is said here.
    if (levels == 1 && container.hash == HashVersion::multihash) {
      add("container.hash", "the hierarchical hash is for several levels, expected v1 or v2");
    }
    for (std::size_t i = 0; i < levels; ++i) {
      key_level(container, i);
    }
    const std::size_t longest = estimate::longest_key(container);
    const auto limit =
        static_cast<std::size_t>(std::max<Bytes>(0, scenario_.parameters.partition_key_max_bytes));
    if (longest > limit) {
      add("container.partition_key", "the key may grow to " + std::to_string(longest) +
                                         " bytes, expected at most " + std::to_string(limit));
    }
  }

  void key_level(const ContainerSpec& container, std::size_t level) {
    for (const KeyPart& part : container.partition_key[level].parts) {
      const std::string* name = estimate::field_of(part);
      if (name != nullptr && !has_field(container, *name)) {
        add(level_path(container, level), "the key uses an unknown field " + quoted(*name),
            known_fields(container));
      }
    }
  }

  void law(const ChoiceLaw& law, const std::string& path) {
    if (const auto* zipf = std::get_if<ZipfChoice>(&law)) {
      if (zipf->exponent_micro < 0 || zipf->exponent_micro > kMaxZipfExponentMicro) {
        add(path + ".zipf", "the exponent is out of range, expected 0 to 10");
      }
    }
    if (const auto* hot = std::get_if<HotSetChoice>(&law)) {
      const auto is_share = [](std::int64_t ppm) { return ppm >= 0 && ppm <= kMillion; };
      if (!is_share(hot->share_ppm) || !is_share(hot->of_ppm)) {
        add(path + ".hot", "shares are out of range, expected 0% to 100%");
      }
    }
  }

  void fields(const ContainerSpec& container) {
    for (const FieldSpec& field : container.fields) {
      const std::string path = "container.items.fields." + field.name;
      if (const auto* choose = std::get_if<ChooseField>(&field.kind)) {
        if (choose->count < 1 || choose->count > kMaxChoices) {
          add(path + ".choose", "choices are out of range, expected 1 to 1000000000, got " +
                                    std::to_string(choose->count));
        }
        law(choose->law, path);
      }
      if (const auto* values = std::get_if<ValuesField>(&field.kind)) {
        if (values->values.empty()) {
          add(path + ".values", "no values, expected at least one");
        }
        law(values->law, path);
      }
    }
    const Bytes largest = scenario_.parameters.item_max_bytes;
    if (container.item_size_bytes < 1 || container.item_size_bytes > largest) {
      add("container.items.size", "the item is out of range, expected 1 B to " +
                                      format_size(std::max<Bytes>(largest, 0)) + ", got " +
                                      format_size(std::max<Bytes>(container.item_size_bytes, 0)));
    }
  }

  void servers(const ContainerSpec& container) {
    if (container.workers &&
        (container.workers->count < 1 || container.workers->count > kMaxWorkers)) {
      add("container.workers.count", "workers are out of range, expected 1 to 1000, got " +
                                         std::to_string(container.workers->count));
    }
    if (!container.service) {
      return;
    }
    const ServiceDuration& mean = container.service->mean;
    const Nanoseconds most = mean.per_ru ? kMaxNanosecondsPerRu : kMaxServiceTime;
    if (mean.mean_ns < 1 || mean.mean_ns > most) {
      const bool is_fixed = container.service->law == ServiceTimeSpec::Law::fixed;
      add(is_fixed ? "container.service.fixed" : "container.service.exponential",
          "the service time is out of range, expected above 0 and at most " +
              format_service_duration({most, mean.per_ru}) + ", got " +
              (mean.mean_ns < 0 ? "less" : format_service_duration(mean)));
    }
  }

  void clients() {
    if (scenario_.clients.empty() || scenario_.clients.size() > kMaxClients) {
      add("clients", "clients are out of range, expected 1 to " + std::to_string(kMaxClients) +
                         ", got " + std::to_string(scenario_.clients.size()));
    }
    std::size_t plans = 0;
    for (std::size_t i = 0; i < scenario_.clients.size(); ++i) {
      const ClientSpec& client = scenario_.clients[i];
      plans += client.operations.size();
      const std::string path = "clients." + client.name;
      if (i > 0 && !(scenario_.clients[i - 1].name < client.name)) {
        add(path, "clients must be sorted by name and differ");
      }
      if (client.container >= scenario_.containers.size()) {
        add(path, "the client's container does not exist");
        continue;
      }
      arrivals(client, path);
      operations(client, path);
      retry(client.retry, path);
    }
    if (plans > kMaxOperationPlans) {
      add("clients", "too many operations over all clients, expected at most " +
                         std::to_string(kMaxOperationPlans) + ", got " + std::to_string(plans));
    }
  }

  void arrivals(const ClientSpec& client, const std::string& path) {
    if (const auto* at_once = std::get_if<AtOnce>(&client.arrivals)) {
      if (at_once->at_ns < 0 || at_once->at_ns >= scenario_.duration_ns) {
        add(path + ".at", "the instant is not inside the run, expected below " +
                              text_of(scenario_.duration_ns) + ", got " + text_of(at_once->at_ns));
      }
      return;
    }
    const Rate& rate = std::get<OpenLoop>(client.arrivals).rate;
    const bool has_form = rate.per_ns > 0 && rate.count_micro >= 0;
    if (!has_form ||
        static_cast<double>(rate.count_micro) * 1e3 / static_cast<double>(rate.per_ns) >
            kMaxRatePerSecond) {
      add(path + ".rate", "the rate is out of range, expected 0/s to 1000000000/s");
    }
  }

  void operations(const ClientSpec& client, const std::string& path) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < client.operations.size(); ++i) {
      const OperationSpec& operation = client.operations[i];
      sum += operation.share_ppm;
      one_operation(scenario_.containers[client.container], operation,
                    path + ".operations." + std::to_string(i));
    }
    if (sum != kMillion) {
      add(path + ".operations",
          "shares must sum to 100%, got " + format_percent(std::max<std::int64_t>(sum, 0)));
    }
  }

  void one_operation(const ContainerSpec& container, const OperationSpec& operation,
                     const std::string& path) {
    if (operation.share_ppm < 0 || operation.share_ppm > kMillion) {
      add(path, "the share is out of range, expected 0% to 100%");
    }
    for (const std::string& field : operation.given) {
      if (!has_field(container, field)) {
        std::string place = path;
        add(place.append(".given.").append(field), "unknown field " + quoted(field) + " in 'given'",
            known_fields(container));
      }
    }
    if (operation.returned > operation.matches) {
      add(path + ".returned", "more items returned than match, expected at most " +
                                  std::to_string(operation.matches) + ", got " +
                                  std::to_string(operation.returned));
    }
    charge(container, operation, path);
  }

  void charge(const ContainerSpec& container, const OperationSpec& operation,
              const std::string& path) {
    if (operation.charge_mru &&
        (*operation.charge_mru < 1 || *operation.charge_mru > kMaxChargeMilliRu)) {
      add(path + ".charge", "the charge is out of range, expected above 0 and at most " +
                                format_ru(kMaxChargeMilliRu));
      return;
    }
    const double dearest = estimate::dearest_request(scenario_, container, operation);
    if (dearest > static_cast<double>(kMaxChargeMilliRu)) {
      add(path, "a request may cost more than " + format_ru(kMaxChargeMilliRu),
          "fewer matches, smaller items or smaller charges bring it down");
    }
    // A request that costs nothing would never meet its budget.
    const ProviderParameters& p = scenario_.parameters;
    const MilliRu least = std::min(p.query_min_mru_per_partition, kCosmosCharges.front().read_mru);
    const double cheapest =
        static_cast<double>(least) * estimate::strong_factor(scenario_, container);
    if (operation.kind != OperationKind::create && !operation.charge_mru && cheapest < 1) {
      add(least < 1 ? "parameters.query_min_ru_per_partition" : "parameters.strong_read_multiplier",
          "a request may cost nothing, expected at least 0.001 RU");
    }
  }

  void retry(const RetrySpec& retry, const std::string& path) {
    if (retry.max_retries > kMaxRetries) {
      add(path + ".retry.max_retries",
          "retries are out of range, expected 0 to 255, got " + std::to_string(retry.max_retries));
    }
    if (retry.max_wait_ns < 0 || retry.max_wait_ns > kMaxDuration || retry.jitter_ns < 0 ||
        retry.jitter_ns > kMaxDuration || retry.jitter_ppm < 0 || retry.jitter_ppm > kMillion) {
      add(path + ".retry", "waits and jitter are out of range");
    }
    if (retry.max_retries > 0 && scenario_.parameters.retry_after_min_ns < 1) {
      add("parameters.retry_after_min_ms",
          "retries without a wait would never end, expected above 0 ms while clients retry");
    }
  }

  /// Last, on a scenario that is otherwise sound: is it too much for one run?
  void work() {
    const ClientSpec* busiest = nullptr;
    double most = 0;
    estimate::Work total;
    for (const ClientSpec& client : scenario_.clients) {
      const estimate::Work work = estimate::work_of(scenario_, client);
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
    const bool is_at_once = std::holds_alternative<AtOnce>(busiest->arrivals);
    const std::string path = "clients." + busiest->name + (is_at_once ? ".at_once" : ".rate");
    if (total.requests > static_cast<double>(max_requests_)) {
      problems_.push_back(
          {path,
           "too much work, expected at most " + std::to_string(max_requests_) +
               " requests, got about " +
               std::to_string(static_cast<std::uint64_t>(std::min(total.requests, 1e19))),
           "a shorter duration or a lower rate brings it down; --max-events raises the limit",
           true});
    } else if (total.charge_mru > kMaxCounted) {
      problems_.push_back({path, "the run could consume more RU than can be counted",
                           "fewer requests or smaller charges bring it down", true});
    } else if (total.service_ns > kMaxCounted) {
      problems_.push_back({path, "the queues could grow longer than can be counted",
                           "fewer requests or a shorter service time bring them down", true});
    } else if (total.debt_ns > kMaxCounted) {
      problems_.push_back({path, "the charges of 429s could grow to more than can be counted",
                           "fewer requests or retries, or more throughput, bring them down", true});
    }
  }

  const Scenario& scenario_;
  std::uint64_t max_requests_;
  std::vector<Problem> problems_;
};

}  // namespace

std::vector<Problem> check(const Scenario& scenario, std::uint64_t max_requests) {
  return Checker(scenario, max_requests).run();
}

double estimated_requests(const Scenario& scenario) {
  double total = 0;
  for (const ClientSpec& client : scenario.clients) {
    total += estimate::requests_of(scenario, client);
  }
  return total;
}

}  // namespace partsim
