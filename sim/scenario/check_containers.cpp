#include <algorithm>

#include "findings.hpp"

namespace partsim::checks {
namespace {

constexpr std::int64_t kMaxZipfExponentMicro = 10 * kMillion;
constexpr std::uint64_t kMaxChoices = 1'000'000'000;
constexpr std::uint64_t kMaxWeight = 1'000'000'000;
constexpr std::uint64_t kMaxNumbered = 1'000'000'000'000'000;  // doubles tell them apart
constexpr std::uint32_t kMaxWorkers = 1'000;
constexpr Bytes kMaxStorage = 1'000'000 * kGigabyte;

class ContainerCheck {
 public:
  ContainerCheck(const Scenario& scenario, std::string path, Findings& findings)
      : scenario_(scenario), path_(std::move(path)), findings_(findings) {}

  void check(const ContainerSpec& container) {
    key(container);
    fields(container);
    storage(container);
    buckets(container);
    servers(container);
  }

 private:
  [[nodiscard]] std::string level_path(const ContainerSpec& container, std::size_t level) const {
    const std::string path = path_ + ".partition_key";
    return container.partition_key.size() > 1 ? path + "." + std::to_string(level) : path;
  }

  void key(const ContainerSpec& container) {
    const std::size_t levels = container.partition_key.size();
    if (levels == 0 && replays_trace(container)) {
      return;  // the rows have keys of their own
    }
    if (levels < 1 || levels > kMaxKeyLevels) {
      findings_.add(path_ + ".partition_key",
                    "the key has " + std::to_string(levels) + " levels, expected 1 to 3");
    }
    // Several levels always take the hierarchical hash, whatever is said here.
    if (levels == 1 && container.hash == HashVersion::multihash) {
      findings_.add(path_ + ".hash",
                    "the hierarchical hash is for several levels, expected v1 or v2");
    }
    for (std::size_t i = 0; i < levels; ++i) {
      key_level(container, i);
    }
    const std::size_t longest = estimate::longest_key(container);
    const auto limit =
        static_cast<std::size_t>(std::max<Bytes>(0, scenario_.parameters.partition_key_max_bytes));
    if (longest > limit) {
      findings_.add(path_ + ".partition_key", "the key may grow to " + std::to_string(longest) +
                                                  " bytes, expected at most " +
                                                  std::to_string(limit));
    }
  }

  void key_level(const ContainerSpec& container, std::size_t level) {
    const std::vector<KeyPart>& parts = container.partition_key[level].parts;
    const auto* only = parts.size() == 1 ? std::get_if<FieldValue>(&parts.front()) : nullptr;
    if (scenario_.api == Api::gremlin && only != nullptr &&
        (only->field == "id" || only->field == "label")) {
      findings_.add(level_path(container, level),
                    "the key cannot be the " + only->field +
                        " of a vertex: the API for Gremlin takes neither /id nor /label",
                    "another property, or text beside the field, can be the key");
    }
    for (const KeyPart& part : parts) {
      const std::string* name = estimate::field_of(part);
      if (name != nullptr && !estimate::has_field(container, *name)) {
        findings_.add(level_path(container, level),
                      "the key uses an unknown field " + quoted(*name), known_fields(container));
      }
    }
  }

  /// Whether its only client replays a trace.
  [[nodiscard]] bool replays_trace(const ContainerSpec& container) const {
    std::size_t clients = 0;
    bool has_trace = false;
    for (const ClientSpec& client : scenario_.clients) {
      if (client.container < scenario_.containers.size() &&
          &scenario_.containers[client.container] == &container) {
        ++clients;
        has_trace = has_trace || std::holds_alternative<TraceReplay>(client.arrivals);
      }
    }
    return clients == 1 && has_trace;
  }

  void weights(const WeightedChoice& choice, std::uint64_t count, const std::string& path) {
    if (choice.weights.size() != count) {
      findings_.add(path + ".weights", "expected one weight for each of " + std::to_string(count) +
                                           " values, got " + std::to_string(choice.weights.size()));
    }
    const auto most = std::max_element(choice.weights.begin(), choice.weights.end());
    if (most == choice.weights.end() || *most < 1 || *most > kMaxWeight) {
      findings_.add(path + ".weights",
                    "weights are out of range, expected 0 to 1000000000 and one above 0");
    }
  }

  /// `of`: another field that has values to count by, and not too many values in all.
  void parent(const ContainerSpec& container, const ChooseField& choose, const std::string& path) {
    const auto found =
        std::find_if(container.fields.begin(), container.fields.end(),
                     [&choose](const FieldSpec& field) { return field.name == choose.of; });
    if (found == container.fields.end()) {
      findings_.add(path + ".of", "unknown field " + quoted(choose.of), known_fields(container));
      return;
    }
    std::uint64_t parents = 0;
    if (const auto* values = std::get_if<ValuesField>(&found->kind)) {
      parents = values->values.size();
    } else if (const auto* other = std::get_if<ChooseField>(&found->kind)) {
      parents = other->of.empty() ? other->count : 0;
    }
    if (parents == 0) {
      findings_.add(path + ".of", quoted(choose.of) +
                                      " cannot have values of its own, expected a field with "
                                      "'choose' or 'values' and without 'of'");
    } else if (parents > kMaxNumbered / std::max<std::uint64_t>(1, choose.count)) {
      findings_.add(path + ".of", "too many values in all, expected at most 1000000000000000");
    }
  }

  void sizes(const ContainerSpec& container) {
    const Bytes largest = std::max<Bytes>(0, scenario_.parameters.item_max_bytes);
    const SizeLaw& law = *container.item_size_law;
    const bool is_uniform = law.law == SizeLaw::Law::uniform;
    const std::string path = path_ + ".items.size";
    if (law.low < 1 || law.high < law.low) {
      findings_.add(path + (is_uniform ? ".max" : ".p99"),
                    "sizes are in the wrong order, expected at least " +
                        format_size(std::max<Bytes>(law.low, 0)) + ", got " +
                        format_size(std::max<Bytes>(law.high, 0)));
    } else if (law.high > largest) {
      findings_.add(path + (is_uniform ? ".max" : ".p99"),
                    "the item is out of range, expected at most " + format_size(largest) +
                        ", got " + format_size(law.high));
    } else if (container.item_size_bytes < 1 || container.item_size_bytes > largest) {
      findings_.add(path + (is_uniform ? ".max" : ".p99"),
                    "the mean of the sizes is out of range, expected at most " +
                        format_size(largest) + ", got about " +
                        format_size(std::max<Bytes>(container.item_size_bytes, 0)),
                    "the 99th percentile is too far above the median");
    }
  }

  void law(const ChoiceLaw& law, const std::string& path) {
    if (const auto* zipf = std::get_if<ZipfChoice>(&law)) {
      if (zipf->exponent_micro < 0 || zipf->exponent_micro > kMaxZipfExponentMicro) {
        findings_.add(path + ".zipf", "the exponent is out of range, expected 0 to 10");
      }
    }
    if (const auto* hot = std::get_if<HotSetChoice>(&law)) {
      const auto is_share = [](std::int64_t ppm) { return ppm >= 0 && ppm <= kMillion; };
      if (!is_share(hot->share_ppm) || !is_share(hot->of_ppm)) {
        findings_.add(path + ".hot", "shares are out of range, expected 0% to 100%");
      }
    }
  }

  void fields(const ContainerSpec& container) {
    for (const FieldSpec& field : container.fields) {
      const std::string path = path_ + ".items.fields." + field.name;
      if (const auto* choose = std::get_if<ChooseField>(&field.kind)) {
        if (choose->count < 1 || choose->count > kMaxChoices) {
          findings_.add(path + ".choose",
                        "choices are out of range, expected 1 to 1000000000, got " +
                            std::to_string(choose->count));
        }
        law(choose->law, path);
        if (const auto* weighted = std::get_if<WeightedChoice>(&choose->law)) {
          weights(*weighted, choose->count, path);
        }
        if (!choose->of.empty()) {
          parent(container, *choose, path);
        }
      }
      if (const auto* values = std::get_if<ValuesField>(&field.kind)) {
        if (values->values.empty()) {
          findings_.add(path + ".values", "no values, expected at least one");
        }
        law(values->law, path);
        if (const auto* weighted = std::get_if<WeightedChoice>(&values->law)) {
          weights(*weighted, values->values.size(), path);
        }
      }
      if (std::holds_alternative<ColumnField>(field.kind) && !replays_trace(container)) {
        findings_.add(path + ".column",
                      "only a trace has columns, expected one client of the container, with "
                      "'trace'");
      }
    }
    if (container.item_size_law) {
      sizes(container);
      return;
    }
    const Bytes largest = scenario_.parameters.item_max_bytes;
    if (container.item_size_bytes < 1 || container.item_size_bytes > largest) {
      findings_.add(path_ + ".items.size",
                    "the item is out of range, expected 1 B to " +
                        format_size(std::max<Bytes>(largest, 0)) + ", got " +
                        format_size(std::max<Bytes>(container.item_size_bytes, 0)));
    }
  }

  void storage(const ContainerSpec& container) {
    if (container.initial_storage_bytes < 0 || container.initial_storage_bytes > kMaxStorage) {
      findings_.add(path_ + ".storage",
                    "storage is out of range, expected 0 B to " + format_size(kMaxStorage));
    }
    const Bytes most = scenario_.parameters.partition_max_storage_bytes;
    if (container.fixed && container.initial_storage_bytes > most) {
      findings_.add(path_ + ".storage", "too much for a fixed container, expected at most " +
                                            format_size(std::max<Bytes>(most, 0)) + ", got " +
                                            format_size(container.initial_storage_bytes));
    }
    if (container.ttl_ns && (*container.ttl_ns < 1 || *container.ttl_ns > kMaxDuration)) {
      findings_.add(path_ + ".ttl",
                    "the time to live is out of range, expected above 0 and at most " +
                        format_duration(kMaxDuration));
    }
  }

  void buckets(const ContainerSpec& container) {
    const bool has_caps = std::all_of(container.bucket_ppm.begin(), container.bucket_ppm.end(),
                                      [](std::int64_t ppm) { return ppm >= 0 && ppm <= kMillion; });
    if (!has_caps) {
      findings_.add(path_ + ".throughput_buckets",
                    "caps are out of range, expected above 0% and at most 100%");
    }
  }

  /// What stands at a partition is the partition's, and a database's partitions are shared.
  void sharing(const ContainerSpec& container) {
    if (container.workers) {
      findings_.add(path_ + ".workers", "a container that shares a database has no workers");
    }
    if (std::any_of(container.bucket_ppm.begin(), container.bucket_ppm.end(),
                    [](std::int64_t ppm) { return ppm != 0; })) {
      findings_.add(path_ + ".throughput_buckets",
                    "a container that shares a database has no throughput buckets");
    }
  }

  void servers(const ContainerSpec& container) {
    if (container.shares_database) {
      sharing(container);
    }
    if (container.workers &&
        (container.workers->count < 1 || container.workers->count > kMaxWorkers)) {
      findings_.add(path_ + ".workers.count", "workers are out of range, expected 1 to 1000, got " +
                                                  std::to_string(container.workers->count));
    }
    if (!container.service) {
      return;
    }
    const ServiceDuration& mean = container.service->mean;
    const Nanoseconds most = mean.per_ru ? kMaxNanosecondsPerRu : kMaxServiceTime;
    if (mean.mean_ns < 1 || mean.mean_ns > most) {
      const bool is_fixed = container.service->law == ServiceTimeSpec::Law::fixed;
      findings_.add(is_fixed ? path_ + ".service.fixed" : path_ + ".service.exponential",
                    "the service time is out of range, expected above 0 and at most " +
                        format_service_duration({most, mean.per_ru}) + ", got " +
                        (mean.mean_ns < 0 ? "less" : format_service_duration(mean)));
    }
  }

  const Scenario& scenario_;
  std::string path_;
  Findings& findings_;
};

}  // namespace

void check_containers(const Scenario& scenario, Findings& findings) {
  const std::size_t count = scenario.containers.size();
  if (count < 1) {
    findings.add("container", "no container, expected one");
  }
  if (count > kMaxContainers) {
    findings.add("containers", "containers are out of range, expected 1 to " +
                                   std::to_string(kMaxContainers) + ", got " +
                                   std::to_string(count));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::string path = estimate::container_path(scenario, i);
    if (i > 0 && !(scenario.containers[i - 1].name < scenario.containers[i].name)) {
      findings.add(path, "containers must be sorted by name and differ");
    }
    ContainerCheck(scenario, path, findings).check(scenario.containers[i]);
  }
}

}  // namespace partsim::checks
