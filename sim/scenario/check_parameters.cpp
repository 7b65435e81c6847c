#include <algorithm>
#include <array>

#include "findings.hpp"

namespace partsim::checks {
namespace {

using P = ProviderParameters;

/// More than any service has, and far from overflow.
constexpr std::int64_t kMost = 4'000'000'000'000'000;

struct Amount {
  const char* name;
  std::int64_t P::*amount;
};
/// What others are divided by, or what would be shares of nothing.
constexpr std::array kPositive{
    Amount{"partition_max_ru_per_s", &P::partition_max_mru_per_s},
    Amount{"initial_partition_ru_manual", &P::initial_partition_mru_manual},
    Amount{"initial_partition_ru_autoscale", &P::initial_partition_mru_autoscale},
    Amount{"growth_partition_ru", &P::growth_partition_mru},
    Amount{"serverless_ru_per_partition", &P::serverless_mru_per_partition},
    Amount{"split_storage_threshold_gb", &P::split_storage_threshold_bytes},
    Amount{"partition_max_storage_gb", &P::partition_max_storage_bytes},
    Amount{"partition_max_rcu_per_s", &P::partition_max_read_units_per_s},
    Amount{"partition_max_wcu_per_s", &P::partition_max_write_units_per_s},
    Amount{"on_demand_initial_rru", &P::on_demand_initial_read_units},
    Amount{"on_demand_initial_wru", &P::on_demand_initial_write_units},
    Amount{"on_demand_peak_multiplier", &P::on_demand_peak_multiplier},
    Amount{"read_feed_min_ru", &P::read_feed_min_mru},
    Amount{"burst_window_s", &P::burst_window_s},
    Amount{"ru_per_minute_ratio", &P::ru_per_minute_ratio},
    Amount{"autoscale_decision_window_s", &P::autoscale_decision_window_s},
};

/// Amounts of which there may be none.
constexpr std::array kCountable{
    Amount{"min_ru_manual", &P::min_mru_manual},
    Amount{"min_ru_per_gb_manual", &P::min_mru_per_gb_manual},
    Amount{"min_ru_high_water_divisor_manual", &P::min_mru_high_water_divisor_manual},
    Amount{"min_ru_unlimited_container", &P::min_mru_unlimited_container},
    Amount{"fixed_container_max_ru", &P::fixed_container_max_mru},
    Amount{"min_ru_autoscale_max", &P::min_mru_autoscale_max},
    Amount{"min_ru_per_gb_autoscale", &P::min_mru_per_gb_autoscale},
    Amount{"min_ru_high_water_divisor_autoscale", &P::min_mru_high_water_divisor_autoscale},
    Amount{"ru_step_manual", &P::mru_step_manual},
    Amount{"ru_step_autoscale", &P::mru_step_autoscale},
    Amount{"merge_max_partition_ru_per_s", &P::merge_max_partition_mru_per_s},
    Amount{"merge_max_partition_gb", &P::merge_max_partition_bytes},
    Amount{"logical_partition_max_storage_gb", &P::logical_partition_max_storage_bytes},
    Amount{"read_unit_kb", &P::read_unit_bytes},
    Amount{"write_unit_kb", &P::write_unit_bytes},
    Amount{"index_ru_per_term", &P::index_mru_per_term},
    Amount{"query_min_ru_per_partition", &P::query_min_mru_per_partition},
    Amount{"query_ru_per_match", &P::query_mru_per_match},
    Amount{"query_ru_per_returned_kb", &P::query_mru_per_returned_kb},
    Amount{"patch_ru_per_property", &P::patch_mru_per_property},
    Amount{"script_overhead_ru", &P::script_overhead_mru},
    Amount{"throttled_request_charge_ru", &P::throttled_request_charge_mru},
    Amount{"burst_max_ru_per_s", &P::burst_max_mru_per_s},
    Amount{"burst_eligible_below_ru_per_s", &P::burst_eligible_below_mru_per_s},
    Amount{"ru_per_minute_max_partition_ru", &P::ru_per_minute_max_partition_mru},
};

struct Within {
  const char* name;
  std::int64_t P::*amount;
  std::int64_t most;
};
constexpr std::array kWithin{
    Within{"split_duration_s", &P::split_duration_ns, kMaxDuration},
    Within{"merge_duration_s", &P::merge_duration_ns, kMaxDuration},
    Within{"split_for_heat_after_s", &P::split_for_heat_after_ns, kMaxDuration},
    Within{"on_demand_window_s", &P::on_demand_window_ns, kMaxDuration},
    Within{"client_gone_retry_total_s", &P::client_gone_retry_total_ns, kMaxDuration},
    Within{"client_gone_retry_initial_ms", &P::client_gone_retry_initial_ns, kHour},
    Within{"client_gone_retry_max_ms", &P::client_gone_retry_max_ns, kHour},
    Within{"split_swap_unavailable_ms", &P::split_swap_unavailable_ns, kHour},
    Within{"region_round_trip_ms", &P::region_round_trip_ns, kHour},
    Within{"retry_after_min_ms", &P::retry_after_min_ns, kHour},
    Within{"retry_after_step_ms", &P::retry_after_step_ns, kHour},
    Within{"throttle_response_ms", &P::throttle_response_ns, kHour},
};

/// Parts of something, in millionths.
constexpr std::array kParts{
    Within{"index_storage_overhead", &P::index_storage_overhead_ppm, 10 * kMillion},
    Within{"autoscale_floor_fraction", &P::autoscale_floor_ppm, kMillion},
    Within{"split_for_heat_use", &P::split_for_heat_use_ppm, kMillion},
    Within{"eventual_read_factor", &P::eventual_read_factor_ppm, kMillion},
    Within{"autoscale_price_multiplier", &P::autoscale_price_multiplier_ppm, 100 * kMillion},
};

/// With less than a thousandth a request could cost nothing.
constexpr std::array kMultipliers{
    Within{"replace_write_multiplier", &P::replace_write_multiplier_micro, 100 * kMillion},
    Within{"delete_write_multiplier", &P::delete_write_multiplier_micro, 100 * kMillion},
    Within{"script_operation_factor", &P::script_operation_factor_micro, 100 * kMillion},
};

class ParameterCheck {
 public:
  ParameterCheck(const Scenario& scenario, Findings& findings)
      : scenario_(scenario), findings_(findings) {}

  /// Whether all amounts are there and can be counted with.
  bool amounts() {
    bool all = true;
    for (const auto& [name, amount] : kPositive) {
      if (scenario_.parameters.*amount < 1 || scenario_.parameters.*amount > kMost) {
        findings_.add(std::string("parameters.") + name, "out of range, expected above 0");
        all = false;
      }
    }
    for (const auto& [name, amount] : kCountable) {
      if (scenario_.parameters.*amount < 0 || scenario_.parameters.*amount > kMost) {
        findings_.add(std::string("parameters.") + name, "out of range, expected at least 0");
        all = false;
      }
    }
    return all;
  }

  void parameters() {
    const ProviderParameters& p = scenario_.parameters;
    const Nanoseconds window = p.throttle_window_ns;
    if (window < 1 || (kSecond % window != 0 && window % kSecond != 0)) {
      findings_.add("parameters.throttle_window_ms",
                    "the window must divide a second or be whole seconds, got " + text_of(window));
    } else if (window > scenario_.duration_ns) {
      findings_.add("parameters.throttle_window_ms",
                    "the window is longer than the run, expected at most " +
                        text_of(scenario_.duration_ns) + ", got " + text_of(window));
    }
    if (p.retry_after_step_ns < 1) {
      findings_.add("parameters.retry_after_step_ms", "the step must be above 0");
    }
    for (const auto& [name, amount, most] : kWithin) {
      if (p.*amount < 0 || p.*amount > most) {
        findings_.add(std::string("parameters.") + name,
                      "the time is out of range, expected 0 to " + text_of(most) + ", got " +
                          text_of(p.*amount));
      }
    }
    for (const auto& [name, amount, most] : kParts) {
      if (p.*amount < 0 || p.*amount > most) {
        findings_.add(std::string("parameters.") + name,
                      "the part is out of range, expected 0 to " + format_decimal_micro(most));
      }
    }
    for (const auto& [name, amount, most] : kMultipliers) {
      if (p.*amount < 1'000 || p.*amount > most) {
        findings_.add(
            std::string("parameters.") + name,
            "the multiplier is out of range, expected 0.001 to " + format_decimal_micro(most));
      }
    }
    if (p.on_demand_window_ns < kSecond) {
      findings_.add("parameters.on_demand_window_s",
                    "the window is too short, expected at least 1 s");
    }
    if (p.split_swap_unavailable_ns > p.split_duration_ns) {
      findings_.add("parameters.split_swap_unavailable_ms",
                    "the swap lasts longer than the split, expected at most " +
                        text_of(p.split_duration_ns) + ", got " +
                        text_of(p.split_swap_unavailable_ns));
    }
    if (p.split_swap_unavailable_ns > 0 && p.client_gone_retry_initial_ns < kMillisecond) {
      findings_.add("parameters.client_gone_retry_initial_ms",
                    "the wait is too short, expected at least 1 ms");
    }
    if (p.query_latency_ns_per_ru < 0 || p.query_latency_ns_per_ru > kMaxNanosecondsPerRu) {
      findings_.add("parameters.query_latency_ms_per_ru",
                    "the latency for each RU is out of range, expected 0 to 1000 ms");
    }
    units();
    counts();
    percentiles("read", p.read_latency_p50_ns, p.read_latency_p99_ns);
    percentiles("write", p.write_latency_p50_ns, p.write_latency_p99_ns);
  }

  void units() {
    const ProviderParameters& p = scenario_.parameters;
    if ((p.read_unit_bytes > 0) != (p.write_unit_bytes > 0)) {
      findings_.add(
          p.read_unit_bytes > 0 ? "parameters.write_unit_kb" : "parameters.read_unit_kb",
          "units are missing, expected both of read_unit_kb and write_unit_kb or neither");
    }
    if (units_apart(p) &&
        (p.eventual_read_factor_ppm < 1'000 || p.eventual_read_factor_ppm > kMillion)) {
      findings_.add("parameters.eventual_read_factor",
                    "the factor is out of range, expected 0.001 to 1");
    }
    if (!units_apart(p) && (p.adaptive_capacity || p.split_for_heat)) {
      findings_.add(
          p.adaptive_capacity ? "parameters.adaptive_capacity" : "parameters.split_for_heat",
          "only reads and writes bought apart adapt, expected read_unit_kb and write_unit_kb too",
          "provider dynamodb has both");
    }
  }

  /// A window's worth of everything can be counted.
  void counts() {
    const ProviderParameters& p = scenario_.parameters;
    const double windows = static_cast<double>(p.throttle_window_ns) / static_cast<double>(kSecond);
    const auto most = static_cast<double>(
        units_apart(p)
            ? std::max(p.partition_max_read_units_per_s, p.partition_max_write_units_per_s)
            : std::max(p.partition_max_mru_per_s, p.serverless_mru_per_partition));
    const double seconds = std::max(
        windows, static_cast<double>(p.burst_enabled ? std::max(p.burst_window_s, std::int64_t{1})
                                                     : std::int64_t{1}));
    if (most * seconds > kMaxCounted) {
      findings_.add("parameters.throttle_window_ms", "a window holds more RU than can be counted");
    }
    if (p.burst_enabled && static_cast<double>(p.burst_max_mru_per_s) * windows > kMaxCounted) {
      findings_.add("parameters.burst_max_ru_per_s",
                    "a window may burst to more RU than can be counted",
                    "a smaller burst_max_ru_per_s or throttle_window_ms brings it down");
    }
  }

  void percentiles(const std::string& kind, Nanoseconds p50, Nanoseconds p99) {
    if (p50 < 1 || p99 < p50) {
      findings_.add("parameters." + kind + "_latency_p99_ms",
                    "the 99th percentile is below the median, expected at least " + text_of(p50) +
                        ", got " + text_of(p99));
    } else if (p99 > kMaxServiceTime || estimate::farthest_latency(p50, p99) > kMaxCounted) {
      findings_.add("parameters." + kind + "_latency_p99_ms",
                    "the 99th percentile is too far above the median of " + format_duration(p50) +
                        ", got " + format_duration(p99));
    }
  }

 private:
  const Scenario& scenario_;
  Findings& findings_;
};

/// A feature that needs the window whose budget it watches.
void needs_window(const Scenario& scenario, const std::string& path, const std::string& what,
                  Findings& findings) {
  if (scenario.parameters.throttle_model == ThrottleModel::token_bucket) {
    findings.add(path, what +
                           " needs a window model, expected throttle_model window_debt or "
                           "window_strict, got token_bucket");
  }
}

}  // namespace

bool check_parameters(const Scenario& scenario, Findings& findings) {
  ParameterCheck check(scenario, findings);
  const bool can_divide = check.amounts();
  check.parameters();
  return can_divide;
}

void check_features(const Scenario& scenario, Findings& findings) {
  const ProviderParameters& p = scenario.parameters;
  if (p.burst_enabled) {
    needs_window(scenario, "parameters.burst_enabled", "burst", findings);
  }
  if (p.ru_per_minute_enabled) {
    if (scenario.provider != Provider::cosmos_2017) {
      findings.add("parameters.ru_per_minute_enabled",
                   "RU per minute is gone, expected provider cosmos_2017");
    }
    if (p.throttle_model != ThrottleModel::window_debt) {
      findings.add("parameters.ru_per_minute_enabled",
                   "RU per minute needs a window model with debt, expected throttle_model "
                   "window_debt");
    }
  }
  for (std::size_t i = 0; i < scenario.containers.size(); ++i) {
    const auto& caps = scenario.containers[i].bucket_ppm;
    if (std::any_of(caps.begin(), caps.end(), [](std::int64_t ppm) { return ppm != 0; })) {
      needs_window(scenario, estimate::container_path(scenario, i) + ".throughput_buckets",
                   "a throughput bucket", findings);
    }
  }
  for (const ClientSpec& client : scenario.clients) {
    if (client.priority == Priority::low) {
      needs_window(scenario, "clients." + client.name + ".priority", "low priority", findings);
    }
  }
  if (scenario.api != Api::nosql && scenario.provider == Provider::dynamodb) {
    findings.add("api", "dynamodb has an API of its own, expected none");
  }
  if (scenario.api == Api::cassandra && scenario.provider == Provider::cosmos_2017) {
    findings.add("api", "there was no API for Cassandra in 2017, expected another");
  }
  std::vector<std::string> regions = scenario.regions;
  std::sort(regions.begin(), regions.end());
  if (regions.empty() || regions.size() > kMaxRegions ||
      std::adjacent_find(regions.begin(), regions.end()) != regions.end()) {
    findings.add("regions", "regions are out of range, expected 1 to " +
                                std::to_string(kMaxRegions) + " different ones");
  }
}

}  // namespace partsim::checks
