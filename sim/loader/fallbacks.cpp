// Defaults that differ between providers. The first of them has its own in the tables of the keys.
#include <algorithm>
#include <array>

#include "language.hpp"
#include "words.hpp"

namespace partsim {
namespace {

struct Difference {
  std::string_view section;
  std::string_view key;
  std::string_view fallback;
};

constexpr std::string_view kOfParameters = "parameters";

constexpr std::array k2017{
    Difference{kOfParameters, "initial_partition_ru_manual", "10000"},
    Difference{kOfParameters, "min_ru_unlimited_container", "2500"},
    Difference{kOfParameters, "fixed_container_max_ru", "10000"},
    Difference{kOfParameters, "partition_max_storage_gb", "10"},
    Difference{kOfParameters, "split_storage_threshold_gb", "10"},
    Difference{kOfParameters, "logical_partition_max_storage_gb", "10"},
    Difference{kOfParameters, "index_ru_per_term", "2.512"},
    Difference{kOfParameters, "write_latency_p99_ms", "15"},
};

// Where a rule of Cosmos DB has no counterpart the limit is larger than anything can be.
constexpr std::string_view kUnlimitedRu = "4611686018.427";
constexpr std::array kDynamoDb{
    Difference{kOfParameters, "growth_splits_all", "true"},
    Difference{kOfParameters, "min_ru_manual", "1"},
    Difference{kOfParameters, "min_ru_per_gb_manual", "0"},
    Difference{kOfParameters, "min_ru_high_water_divisor_manual", "0"},
    Difference{kOfParameters, "ru_step_manual", "1"},
    Difference{kOfParameters, "throughput_distribution", "inherit_parent"},
    Difference{kOfParameters, "split_duration_s", "300"},
    Difference{kOfParameters, "split_for_heat", "true"},
    Difference{kOfParameters, "partition_max_storage_gb", "10"},
    Difference{kOfParameters, "split_storage_threshold_gb", "10"},
    Difference{kOfParameters, "logical_partition_max_storage_gb", "0"},
    Difference{kOfParameters, "index_storage_overhead", "0"},
    Difference{kOfParameters, "item_max_bytes", "409600"},
    Difference{kOfParameters, "index_ru_per_term", "0"},
    Difference{kOfParameters, "query_min_ru_per_partition", "0.5"},
    Difference{kOfParameters, "query_ru_per_match", "0"},
    Difference{kOfParameters, "query_ru_per_returned_kb", "0"},
    Difference{kOfParameters, "read_unit_kb", "4"},
    Difference{kOfParameters, "write_unit_kb", "1"},
    Difference{kOfParameters, "throttled_request_charge_ru", "0"},
    Difference{kOfParameters, "burst_enabled", "true"},
    Difference{kOfParameters, "burst_max_ru_per_s", kUnlimitedRu},
    Difference{kOfParameters, "burst_eligible_below_ru_per_s", kUnlimitedRu},
    Difference{kOfParameters, "adaptive_capacity", "true"},
    Difference{"client", "retry", "aws"},
    Difference{"retry", "max_retries", "3"},
    Difference{"retry", "max_wait", "3653d"},
    Difference{"retry", "backoff_base", "1s"},
    Difference{"retry", "quota", "500"},
};

/// What the presets of `retry` change; the table of the keys has `dotnet`, and `java` is the same.
struct PresetValue {
  std::string_view preset;
  std::string_view key;
  std::string_view value;
};
constexpr std::array kPresets{
    PresetValue{"none", "max_retries", "0"},
    PresetValue{"python", "overshoot", "true"},
    PresetValue{"javascript", "overshoot", "true"},
    PresetValue{"rust", "max_retries", "18"},
    PresetValue{"rust", "max_wait", "270s"},
    PresetValue{"rust", "longest_wait", "15s"},
    PresetValue{"aws", "max_retries", "3"},
    PresetValue{"aws", "max_wait", "3653d"},
    PresetValue{"aws", "backoff_base", "1s"},
    PresetValue{"aws", "quota", "500"},
    PresetValue{"aws_legacy", "max_wait", "3653d"},
    PresetValue{"aws_legacy", "backoff_base", "50ms"},
    PresetValue{"aws_legacy", "backoff_max", "25.6s"},
    PresetValue{"aws_legacy", "backoff_jitter", "none"},
};

/// The API for Cassandra has smaller physical partitions.
constexpr std::array kCassandra{
    Difference{kOfParameters, "partition_max_storage_gb", "30"},
    Difference{kOfParameters, "split_storage_threshold_gb", "30"},
};

std::span<const Difference> differences_of(const Profile& profile) {
  switch (profile.provider) {
    case Provider::cosmos_2017:
      return k2017;
    case Provider::dynamodb:
      return kDynamoDb;
    case Provider::cosmos:
      break;
  }
  return profile.api == Api::cassandra ? std::span<const Difference>(kCassandra)
                                       : std::span<const Difference>();
}

}  // namespace

std::string_view fallback_of(const Section& section, const Key& key, const Profile& profile) {
  for (const Difference& difference : differences_of(profile)) {
    if (difference.section == section.name && difference.key == key.name) {
      return difference.fallback;
    }
  }
  return key.fallback;
}

std::string_view preset_value(std::string_view preset, const Key& key) {
  for (const PresetValue& known : kPresets) {
    if (known.preset == preset && known.key == key.name) {
      return known.value;
    }
  }
  return key.fallback;
}

std::string fallback_text(const Section& section, const Key& key) {
  if (key.fallback.empty() || key.fallback == "{}") {
    return {};
  }
  std::string text = "default " + std::string(key.fallback);
  const auto add = [&](const Profile& profile, std::string_view name) {
    const std::string_view other = fallback_of(section, key, profile);
    if (other != key.fallback) {
      text += ", " + std::string(name) + " " + std::string(other);
    }
  };
  add({Provider::cosmos, Api::cassandra}, "cassandra");
  for (std::size_t i = 1; i < language::kProviders.size(); ++i) {
    add({static_cast<Provider>(i), Api::nosql}, language::kProviders.at(i).name);
  }
  return text;
}

}  // namespace partsim
