#include "partsim/scenario/check.hpp"

#include <algorithm>
#include <string_view>

namespace partsim {
namespace {

constexpr std::int64_t kMaxZipfExponentMicro = 10 * kMillion;
constexpr std::uint64_t kMaxChoices = 1'000'000'000;
constexpr std::uint32_t kMaxWorkers = 1'000;
constexpr std::uint32_t kMaxRetries = 255;
constexpr double kMaxCountedMilliRu = 4e18;  // below 2^63 with room for one more request
constexpr double kMaxRatePerSecond = 1e9;
constexpr std::size_t kCandidateLimit = 10'000;

std::string quoted(const std::string& name) {
  static constexpr std::size_t kLongest = 40;
  return "'" + (name.size() > kLongest ? name.substr(0, kLongest - 3) + "..." : name) + "'";
}

/// Ceiling of a / b for positive numbers.
std::int64_t divided_up(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

std::int64_t partition_count(const Scenario& scenario, const ContainerSpec& container) {
  if (container.partitions) {
    return *container.partitions;
  }
  const MilliRu share = std::max<MilliRu>(1, scenario.parameters.initial_partition_mru_manual);
  return std::max<std::int64_t>(1, divided_up(container.throughput_mru_per_s, share));
}

bool has_field(const ContainerSpec& container, const std::string& name) {
  return std::any_of(container.fields.begin(), container.fields.end(),
                     [&name](const FieldSpec& field) { return field.name == name; });
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

/// Requests a single operation makes, by the routing rules of the model.
double requests_of(const Scenario& scenario, const ContainerSpec& container,
                   const OperationSpec& operation) {
  const auto partitions = static_cast<double>(partition_count(scenario, container));
  if (operation.kind == OperationKind::create) {
    return 1;
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

double operations_of(const Scenario& scenario, const ClientSpec& client) {
  if (const auto* at_once = std::get_if<AtOnce>(&client.arrivals)) {
    return static_cast<double>(at_once->count);
  }
  const Rate& rate = std::get<OpenLoop>(client.arrivals).rate;
  if (rate.per_ns <= 0) {
    return 0;
  }
  return static_cast<double>(rate.count_micro) / static_cast<double>(kMillion) *
         (static_cast<double>(scenario.duration_ns) / static_cast<double>(rate.per_ns));
}

double requests_of(const Scenario& scenario, const ClientSpec& client) {
  if (client.container >= scenario.containers.size()) {
    return 0;
  }
  const ContainerSpec& container = scenario.containers[client.container];
  double per_operation = 0;
  for (const OperationSpec& operation : client.operations) {
    per_operation += static_cast<double>(operation.share_ppm) / static_cast<double>(kMillion) *
                     requests_of(scenario, container, operation);
  }
  return operations_of(scenario, client) * per_operation;
}

/// No request of the client costs more, whatever the table says between its rows.
double largest_charge(const Scenario& scenario, const ContainerSpec& container,
                      const OperationSpec& operation) {
  const ProviderParameters& p = scenario.parameters;
  if (operation.charge_mru) {
    return static_cast<double>(*operation.charge_mru);
  }
  const ChargeRow& last = kCosmosCharges.back();
  const auto size = static_cast<double>(container.item_size_bytes);
  const double rows = 1 + size / static_cast<double>(last.size_bytes);
  const double write = static_cast<double>(last.write_mru) * rows +
                       static_cast<double>(p.index_mru_per_term) * container.indexed_terms;
  const double query = static_cast<double>(p.query_min_mru_per_partition) +
                       static_cast<double>(p.query_mru_per_match) * operation.matches +
                       static_cast<double>(p.query_mru_per_returned_kb) * operation.returned *
                           (size / static_cast<double>(kKilobyte));
  const double strong =
      1 + static_cast<double>(p.strong_read_multiplier_micro) / static_cast<double>(kMillion);
  return std::max(write, (query + static_cast<double>(last.read_mru) * rows) * strong);
}

std::size_t longest_text(const FieldSpec& field) {
  static constexpr std::size_t kNumberDigits = 24;  // a double in a composite key
  if (const auto* time = std::get_if<TimeField>(&field.kind)) {
    // The longest token, %F or %s, writes ten characters or so for two.
    return time->format.pattern().size() * 6;
  }
  if (const auto* choose = std::get_if<ChooseField>(&field.kind)) {
    return choose->prefix.size() + choose->suffix.size() +
           std::max<std::size_t>(choose->width, kNumberDigits);
  }
  std::size_t longest = kNumberDigits;
  if (const auto* values = std::get_if<ValuesField>(&field.kind)) {
    for (const KeyComponent& value : values->values) {
      if (const auto* text = std::get_if<std::string>(&value)) {
        longest = std::max(longest, text->size());
      }
    }
  }
  return longest;
}

class Checker {
 public:
  explicit Checker(const Scenario& scenario) : scenario_(scenario) {}

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
                          format_duration(scenario_.duration_ns));
    } else if (scenario_.warm_up_ns >= scenario_.duration_ns) {
      add("duration", "warm-up must end before the run, expected a duration above " +
                          format_duration(scenario_.warm_up_ns) + ", got " +
                          format_duration(scenario_.duration_ns));
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
          "the window must divide a second or be whole seconds, got " + format_duration(window));
    } else if (window > scenario_.duration_ns) {
      add("parameters.throttle_window_ms", "the window is longer than the run, expected at most " +
                                               format_duration(scenario_.duration_ns) + ", got " +
                                               format_duration(window));
    }
    if (p.retry_after_step_ns < 1) {
      add("parameters.retry_after_step_ms", "the step must be above 0");
    }
    percentiles("read", p.read_latency_p50_ns, p.read_latency_p99_ns);
    percentiles("write", p.write_latency_p50_ns, p.write_latency_p99_ns);
  }

  void percentiles(const std::string& kind, Nanoseconds p50, Nanoseconds p99) {
    if (p50 < 1 || p99 < p50) {
      add("parameters." + kind + "_latency_p99_ms",
          "the 99th percentile is below the median, expected at least " + format_duration(p50) +
              ", got " + format_duration(p99));
    }
  }

  void throughput(const ContainerSpec& container) {
    const ProviderParameters& p = scenario_.parameters;
    const MilliRu total = container.throughput_mru_per_s;
    const std::string got = ", got " + format_throughput(total);
    if (total < p.min_mru_manual || total < 1) {
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
      add(container.partitions ? "container.partitions" : "container.throughput",
          "partitions are out of range, expected 1 to 10000, got " + std::to_string(count));
      return;
    }
    const MilliRu share = divided_up(total, count);
    if (share > p.partition_max_mru_per_s) {
      add(container.partitions ? "container.partitions" : "container.throughput",
          "too much for a partition, expected at most " +
              format_throughput(p.partition_max_mru_per_s) + " each, got " +
              format_throughput(total) + " over " + std::to_string(count),
          "this throughput needs at least " +
              std::to_string(divided_up(total, p.partition_max_mru_per_s)) + " partitions");
    }
    token_bucket(share);
  }

  /// The bucket's level is kept in milli-RU times nanoseconds; it must fit in 63 bits.
  void token_bucket(MilliRu share) {
    const ProviderParameters& p = scenario_.parameters;
    const double window = static_cast<double>(p.throttle_window_ns);
    const double full =
        static_cast<double>(share) * (window / static_cast<double>(kSecond)) * window;
    if (p.throttle_model == ThrottleModel::token_bucket && full > kMaxCountedMilliRu) {
      add("parameters.throttle_window_ms", "the window is too long for a token_bucket of " +
                                               format_throughput(share) + ", got " +
                                               format_duration(p.throttle_window_ns));
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
    if ((levels > 1) != (container.hash == HashVersion::multihash)) {
      add("container.hash", "hash v1 has no hierarchical keys, expected v2 with several levels");
    }
    std::size_t longest = 0;
    for (std::size_t i = 0; i < levels; ++i) {
      longest += key_level(container, i);
    }
    const auto limit =
        static_cast<std::size_t>(std::max<Bytes>(0, scenario_.parameters.partition_key_max_bytes));
    if (longest > limit) {
      add("container.partition_key", "the key may grow to " + std::to_string(longest) +
                                         " bytes, expected at most " + std::to_string(limit));
    }
  }

  /// Checks the fields of one level; the most bytes it can have.
  std::size_t key_level(const ContainerSpec& container, std::size_t level) {
    static constexpr std::size_t kSuffixDigits = 10;
    std::size_t bytes = 0;
    for (const KeyPart& part : container.partition_key[level].parts) {
      const auto* value = std::get_if<FieldValue>(&part);
      const auto* hashed = std::get_if<HashedSuffix>(&part);
      if (value != nullptr || hashed != nullptr) {
        const std::string& name = value != nullptr ? value->field : hashed->field;
        if (!has_field(container, name)) {
          add(level_path(container, level), "the key uses an unknown field " + quoted(name),
              known_fields(container));
        }
      }
      const auto* literal = std::get_if<LiteralText>(&part);
      bytes += literal != nullptr ? literal->text.size() : 0;
      bytes += literal == nullptr && value == nullptr ? kSuffixDigits : 0;
      for (const FieldSpec& field : container.fields) {
        bytes += value != nullptr && field.name == value->field ? longest_text(field) : 0;
      }
    }
    return bytes;
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
                                      format_size(largest) + ", got " +
                                      format_size(container.item_size_bytes));
    }
  }

  void servers(const ContainerSpec& container) {
    if (container.workers &&
        (container.workers->count < 1 || container.workers->count > kMaxWorkers)) {
      add("container.workers.count", "workers are out of range, expected 1 to 1000, got " +
                                         std::to_string(container.workers->count));
    }
    if (container.service && container.service->mean.mean_ns < 1) {
      add("container.service", "the service time must be above 0");
    }
  }

  void clients() {
    if (scenario_.clients.empty() || scenario_.clients.size() > kMaxClients) {
      add("clients", "clients are out of range, expected 1 to " + std::to_string(kMaxClients) +
                         ", got " + std::to_string(scenario_.clients.size()));
    }
    for (std::size_t i = 0; i < scenario_.clients.size(); ++i) {
      const ClientSpec& client = scenario_.clients[i];
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
  }

  void arrivals(const ClientSpec& client, const std::string& path) {
    if (const auto* at_once = std::get_if<AtOnce>(&client.arrivals)) {
      if (at_once->at_ns < 0 || at_once->at_ns >= scenario_.duration_ns) {
        add(path + ".at", "the instant is not inside the run, expected below " +
                              format_duration(scenario_.duration_ns) + ", got " +
                              format_duration(at_once->at_ns));
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
        add(path + ".given." + field, "unknown field " + quoted(field) + " in 'given'",
            known_fields(container));
      }
    }
    if (operation.returned > operation.matches) {
      add(path + ".returned", "more items returned than match, expected at most " +
                                  std::to_string(operation.matches) + ", got " +
                                  std::to_string(operation.returned));
    }
    if (operation.charge_mru && *operation.charge_mru < 1) {
      add(path + ".charge", "the charge must be above 0");
    }
  }

  void retry(const RetrySpec& retry, const std::string& path) {
    if (retry.max_retries > kMaxRetries) {
      add(path + ".retry.max_retries",
          "retries are out of range, expected 0 to 255, got " + std::to_string(retry.max_retries));
    }
    if (retry.max_wait_ns < 0 || retry.jitter_ns < 0 || retry.jitter_ppm < 0 ||
        retry.jitter_ppm > kMillion) {
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
    double busiest_requests = 0;
    double charge = 0;
    for (const ClientSpec& client : scenario_.clients) {
      const double requests = requests_of(scenario_, client);
      if (requests > busiest_requests) {
        busiest = &client;
        busiest_requests = requests;
      }
      double largest = 0;
      for (const OperationSpec& operation : client.operations) {
        largest = std::max(
            largest, largest_charge(scenario_, scenario_.containers[client.container], operation));
      }
      charge += requests * largest;
    }
    const double total = estimated_requests(scenario_);
    if (busiest == nullptr) {
      return;
    }
    const bool is_at_once = std::holds_alternative<AtOnce>(busiest->arrivals);
    const std::string path = "clients." + busiest->name + (is_at_once ? ".at_once" : ".rate");
    if (total > kMaxEstimatedRequests) {
      problems_.push_back({path,
                           "too much work, expected at most 10000000000 requests, got about " +
                               std::to_string(static_cast<std::uint64_t>(std::min(total, 1e19))),
                           "a shorter duration or a lower rate brings it down", true});
    } else if (charge > kMaxCountedMilliRu) {
      problems_.push_back({path, "the run could consume more RU than can be counted",
                           "fewer requests or smaller charges bring it down", true});
    }
  }

  const Scenario& scenario_;
  std::vector<Problem> problems_;
};

}  // namespace

std::vector<Problem> check(const Scenario& scenario) {
  return Checker(scenario).run();
}

double estimated_requests(const Scenario& scenario) {
  double total = 0;
  for (const ClientSpec& client : scenario.clients) {
    total += requests_of(scenario, client);
  }
  return total;
}

}  // namespace partsim
