#include <algorithm>

#include "findings.hpp"

namespace partsim::checks {
namespace {

constexpr std::uint32_t kMaxRetries = 255;
constexpr std::uint32_t kMaxKeys = 1'000;
constexpr std::uint32_t kMaxBatchItems = 100;
constexpr std::uint32_t kMaxScriptItems = 1'000;
constexpr std::uint32_t kMaxQuota = 1'000'000;

class ClientCheck {
 public:
  ClientCheck(const Scenario& scenario, Findings& findings)
      : scenario_(scenario), findings_(findings) {}

  void clients() {
    if (scenario_.clients.empty() || scenario_.clients.size() > kMaxClients) {
      findings_.add("clients", "clients are out of range, expected 1 to " +
                                   std::to_string(kMaxClients) + ", got " +
                                   std::to_string(scenario_.clients.size()));
    }
    std::size_t plans = 0;
    for (std::size_t i = 0; i < scenario_.clients.size(); ++i) {
      const ClientSpec& client = scenario_.clients[i];
      plans += client.operations.size();
      const std::string path = "clients." + client.name;
      if (i > 0 && !(scenario_.clients[i - 1].name < client.name)) {
        findings_.add(path, "clients must be sorted by name and differ");
      }
      if (client.container >= scenario_.containers.size()) {
        findings_.add(path, "the client's container does not exist");
        continue;
      }
      surroundings(client, path);
      check_arrivals(scenario_, client, findings_);
      operations(client, path);
      retry(client.retry, path);
    }
    if (plans > kMaxOperationPlans) {
      findings_.add("clients", "too many operations over all clients, expected at most " +
                                   std::to_string(kMaxOperationPlans) + ", got " +
                                   std::to_string(plans));
    }
  }

 private:
  /// What the container and the regions of a client say.
  void surroundings(const ClientSpec& client, const std::string& path) {
    if (client.region >= scenario_.regions.size()) {
      findings_.add(path + ".region", "the client's region does not exist");
    }
    if (client.bucket == 0) {
      return;
    }
    const ContainerSpec& container = scenario_.containers[client.container];
    if (client.bucket > kMaxThroughputBuckets || container.bucket_ppm.at(client.bucket - 1) == 0) {
      findings_.add(path + ".bucket",
                    "the container has no throughput bucket " + std::to_string(client.bucket),
                    known_buckets(container));
    }
  }

  static std::string known_buckets(const ContainerSpec& container) {
    std::string text;
    for (std::size_t i = 0; i < container.bucket_ppm.size(); ++i) {
      if (container.bucket_ppm.at(i) != 0) {
        text += (text.empty() ? "known buckets: " : ", ") + std::to_string(i + 1);
      }
    }
    return text.empty() ? "'throughput_buckets' of the container gives them their caps" : text;
  }

  void operations(const ClientSpec& client, const std::string& path) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < client.operations.size(); ++i) {
      const OperationSpec& operation = client.operations[i];
      sum += operation.share_ppm;
      const std::string place = path + ".operations." + std::to_string(i);
      const ContainerSpec& container = scenario_.containers[client.container];
      one_operation(container, operation, place);
      if (std::holds_alternative<BulkLoad>(client.arrivals) &&
          !estimate::knows_key(container, operation)) {
        findings_.add(place,
                      "a bulk load sorts its operations by partition, expected 'given' to "
                      "tell the whole key");
      }
    }
    if (std::holds_alternative<TraceReplay>(client.arrivals) && client.operations.size() != 1) {
      findings_.add(path + ".operations",
                    "the rows of a trace say what is done, expected one operation for those that "
                    "do not, got " +
                        std::to_string(client.operations.size()));
    }
    if (sum != kMillion) {
      findings_.add(path + ".operations", "shares must sum to 100%, got " +
                                              format_percent(std::max<std::int64_t>(sum, 0)));
    }
  }

  void one_operation(const ContainerSpec& container, const OperationSpec& operation,
                     const std::string& path) {
    if (operation.share_ppm < 0 || operation.share_ppm > kMillion) {
      findings_.add(path, "the share is out of range, expected 0% to 100%");
    }
    for (const std::string& field : operation.given) {
      if (!estimate::has_field(container, field)) {
        std::string place = path;
        findings_.add(place.append(".given.").append(field),
                      "unknown field " + quoted(field) + " in 'given'", known_fields(container));
      }
    }
    if (operation.kind == OperationKind::query && operation.returned > operation.matches) {
      findings_.add(path + ".returned", "more items returned than match, expected at most " +
                                            std::to_string(operation.matches) + ", got " +
                                            std::to_string(operation.returned));
    }
    amounts(container, operation, path);
    charge(container, operation, path);
  }

  void amounts(const ContainerSpec& container, const OperationSpec& operation,
               const std::string& path) {
    const bool is_batch = operation.kind == OperationKind::batch;
    const std::uint32_t most = is_batch ? kMaxBatchItems : kMaxScriptItems;
    if (operation.items < 1 || operation.items > most) {
      findings_.add(path + ".items", "items are out of range, expected 1 to " +
                                         std::to_string(most) + ", got " +
                                         std::to_string(operation.items));
    }
    if (operation.keys < 1 || operation.keys > kMaxKeys) {
      findings_.add(path + ".keys", "keys are out of range, expected 1 to 1000, got " +
                                        std::to_string(operation.keys));
    } else if (operation.keys > 1 && (operation.kind != OperationKind::query ||
                                      !estimate::knows_key(container, operation))) {
      findings_.add(path + ".keys",
                    "several keys are asked for by their values, expected a query with all fields "
                    "of the key in 'given' and no random part in the key");
    }
    if (operation.existing_ppm < 0 || operation.existing_ppm > kMillion) {
      findings_.add(path + ".existing", "the share is out of range, expected 0% to 100%");
    }
    if (operation.within_ns < 0 || operation.within_ns > kMaxDuration) {
      findings_.add(path + ".within",
                    "the time is out of range, expected at most " + format_duration(kMaxDuration));
    }
    if (operation.kind == OperationKind::script && scenario_.provider == Provider::dynamodb) {
      findings_.add(path + ".script", "dynamodb has no stored procedures, expected a batch");
    }
  }

  void charge(const ContainerSpec& container, const OperationSpec& operation,
              const std::string& path) {
    if (operation.charge_mru &&
        (*operation.charge_mru < 1 || *operation.charge_mru > kMaxChargeMilliRu)) {
      findings_.add(path + ".charge", "the charge is out of range, expected above 0 and at most " +
                                          format_ru(kMaxChargeMilliRu));
      return;
    }
    const double dearest = estimate::dearest_request(scenario_, container, operation);
    if (dearest > static_cast<double>(kMaxChargeMilliRu)) {
      findings_.add(path, "a request may cost more than " + format_ru(kMaxChargeMilliRu),
                    "fewer matches, smaller items or smaller charges bring it down");
    }
    // A request that costs nothing would never meet its budget.
    const ProviderParameters& p = scenario_.parameters;
    if (estimate::units_apart(p)) {
      return;  // at least a unit, times a factor that was checked
    }
    const MilliRu least = std::min(p.query_min_mru_per_partition, kCosmosCharges.front().read_mru);
    const double cheapest =
        static_cast<double>(least) * estimate::strong_factor(scenario_, container);
    const bool reads =
        estimate::is_read(operation.kind) || !estimate::knows_key(container, operation);
    if (reads && !operation.charge_mru && cheapest < 1) {
      findings_.add(
          least < 1 ? "parameters.query_min_ru_per_partition" : "parameters.strong_read_multiplier",
          "a request may cost nothing, expected at least 0.001 RU");
    }
  }

  void retry(const RetrySpec& retry, const std::string& path) {
    if (retry.max_retries > kMaxRetries) {
      findings_.add(
          path + ".retry.max_retries",
          "retries are out of range, expected 0 to 255, got " + std::to_string(retry.max_retries));
    }
    if (retry.max_wait_ns < 0 || retry.max_wait_ns > kMaxDuration || retry.jitter_ns < 0 ||
        retry.jitter_ns > kMaxDuration || retry.jitter_ppm < 0 || retry.jitter_ppm > kMillion ||
        retry.backoff_base_ns < 0 || retry.backoff_base_ns > kMaxDuration ||
        retry.backoff_max_ns < 1 || retry.backoff_max_ns > kMaxDuration ||
        retry.fixed_wait_ns < 0 || retry.fixed_wait_ns > kMaxDuration ||
        retry.longest_wait_ns < 1) {
      findings_.add(path + ".retry", "waits and jitter are out of range");
    }
    if (retry.backoff_base_ns > retry.backoff_max_ns) {
      findings_.add(path + ".retry.backoff_max",
                    "the back-off ends before it begins, expected at least " +
                        text_of(retry.backoff_base_ns) + ", got " + text_of(retry.backoff_max_ns));
    }
    if (retry.backoff_base_ns > 0 && retry.fixed_wait_ns > 0) {
      findings_.add(path + ".retry.wait",
                    "a back-off has its own waits, expected none beside "
                    "'backoff_base'");
    }
    if (retry.quota_tokens > kMaxQuota || retry.quota_cost < 1 || retry.quota_cost > kMaxQuota) {
      findings_.add(path + ".retry.quota",
                    "tokens are out of range, expected at most 1000000 and a cost of at least 1");
    }
    const bool follows_service = retry.backoff_base_ns == 0 && retry.fixed_wait_ns == 0;
    if (retry.max_retries > 0 && follows_service && scenario_.parameters.retry_after_min_ns < 1) {
      findings_.add(
          "parameters.retry_after_min_ms",
          "retries without a wait would never end, expected above 0 ms while clients retry");
    }
    if (retry.backoff_base_ns > 0 && (retry.jitter_ns > 0 || retry.jitter_ppm > 0)) {
      findings_.add(path + ".retry.jitter",
                    "a back-off has 'backoff_jitter', expected none beside 'backoff_base'");
    }
    gone(retry, path);
  }

  /// A request counts its attempts in eight bits, those that met a partition in its swap included.
  void gone(const RetrySpec& retry, const std::string& path) {
    const ProviderParameters& p = scenario_.parameters;
    if (p.split_swap_unavailable_ns < 1 || retry.max_retries < 1 ||
        p.client_gone_retry_initial_ns < 1 || p.client_gone_retry_max_ns < 1 ||
        p.client_gone_retry_max_ns > kHour) {
      return;
    }
    std::uint32_t answers = 1;  // the first is retried at once
    Nanoseconds waited = 0;
    Nanoseconds wait = std::min(p.client_gone_retry_initial_ns, p.client_gone_retry_max_ns);
    while (answers <= kMaxRetries && waited + wait <= p.client_gone_retry_total_ns) {
      waited += wait;
      wait = std::min(2 * wait, p.client_gone_retry_max_ns);
      ++answers;
    }
    if (answers + retry.max_retries > kMaxRetries) {
      findings_.add(path + ".retry",
                    "a request may be sent too often, expected at most 255 retries with those "
                    "after a 410",
                    "client_gone_retry_max_ms and client_gone_retry_total_s set their number");
    }
  }

  const Scenario& scenario_;
  Findings& findings_;
};

}  // namespace

void check_clients(const Scenario& scenario, Findings& findings) {
  ClientCheck(scenario, findings).clients();
}

}  // namespace partsim::checks
