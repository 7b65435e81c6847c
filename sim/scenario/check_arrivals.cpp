// When a client sends: rates that change, users, bulk loads, traces.
#include <algorithm>

#include "findings.hpp"

namespace partsim::checks {
namespace {

constexpr double kMaxRatePerSecond = 1e9;
constexpr std::uint32_t kMaxUsers = 1'000'000;
constexpr std::uint32_t kMaxConcurrency = 1'000'000;
constexpr std::uint32_t kMaxBatch = 10'000;
constexpr std::uint32_t kMaxDegrees = 1'000;
constexpr Nanoseconds kMaxThink = 30 * kDay;  // 37 times as long can still be counted
constexpr std::uint64_t kMaxOperations = 1'000'000'000'000'000'000;
constexpr std::int64_t kMaxFactor = 1'000'000 * kMillion;
/// Each takes a moment of the run, whether anything is sent or not.
constexpr double kMaxBursts = 1e8;

bool is_rate(const Rate& rate) {
  return rate.per_ns > 0 && rate.count_micro >= 0 &&
         static_cast<double>(rate.count_micro) * 1e3 / static_cast<double>(rate.per_ns) <=
             kMaxRatePerSecond;
}

bool is_span(Nanoseconds span) {
  return span >= 0 && span <= kMaxDuration;
}

class ArrivalCheck {
 public:
  ArrivalCheck(const Scenario& scenario, std::string path, Findings& findings)
      : scenario_(scenario), path_(std::move(path)), findings_(findings) {}

  void operator()(const OpenLoop& loop) {
    rate(loop.rate, path_ + ".rate");
    changes(loop.changes);
    spikes(loop.spikes);
    if (loop.on_off) {
      bursts(*loop.on_off);
    }
    if (loop.hour_ppm && std::any_of(loop.hour_ppm->begin(), loop.hour_ppm->end(),
                                     [](std::int64_t ppm) { return ppm < 0 || ppm > kMillion; })) {
      findings_.add(path_ + ".daily", "shares are out of range, expected 0% to 100%");
    }
  }

  void operator()(const AtOnce& at_once) {
    inside(at_once.at_ns, ".at");
    count(at_once.count, ".at_once");
    if (!at_once.pace) {
      return;
    }
    if (!is_rate(*at_once.pace) || at_once.pace->count_micro == 0) {
      findings_.add(path_ + ".pace",
                    "the pace is out of range, expected above 0/s and at most "
                    "1000000000/s");
    } else if (static_cast<double>(at_once.count) / estimate::rate_of(*at_once.pace) >
               static_cast<double>(kMaxDuration)) {
      findings_.add(path_ + ".pace", "at this pace it takes longer than " +
                                         format_duration(kMaxDuration) +
                                         ", expected a faster one or fewer operations");
    }
  }

  void operator()(const ClosedLoop& loop) {
    if (loop.users < 1 || loop.users > kMaxUsers) {
      findings_.add(path_ + ".users", "users are out of range, expected 1 to 1000000, got " +
                                          std::to_string(loop.users));
    }
    if (loop.think_ns < 0 || loop.think_ns > kMaxThink) {
      findings_.add(path_ + ".think",
                    "the think time is out of range, expected 0s to " + format_duration(kMaxThink));
    }
    if (!is_span(loop.start_over_ns) ||
        static_cast<double>(loop.start_over_ns) * static_cast<double>(loop.users) > kMaxCounted) {
      findings_.add(path_ + ".start_over",
                    "the start is spread too far to be counted, expected less time or fewer users");
    }
    if (loop.total) {
      count(*loop.total, ".total");
    }
  }

  void operator()(const BulkLoad& bulk) {
    inside(bulk.at_ns, ".at");
    count(bulk.count, ".bulk");
    if (bulk.batch < 1 || bulk.batch > kMaxBatch) {
      findings_.add(path_ + ".batch", "the batch is out of range, expected 1 to 10000");
    }
    if (bulk.most_degrees < 1 || bulk.most_degrees > kMaxDegrees) {
      findings_.add(path_ + ".degrees", "degrees are out of range, expected 1 to 1000");
    }
  }

  void operator()(const TraceReplay& trace) {
    inside(trace.at_ns, ".trace.at");
    if (trace.file.empty()) {
      findings_.add(path_ + ".trace", "no file to replay, expected its name");
    }
    if (trace.speed_micro < 1 || trace.speed_micro > kMaxFactor) {
      findings_.add(path_ + ".trace.speed",
                    "the speed is out of range, expected above 0 and at most 1000000");
    }
  }

  void limits(const ClientSpec& client) {
    if (client.concurrency && (*client.concurrency < 1 || *client.concurrency > kMaxConcurrency)) {
      findings_.add(path_ + ".concurrency", "concurrency is out of range, expected 1 to 1000000");
    }
    if (client.concurrency && std::holds_alternative<BulkLoad>(client.arrivals)) {
      findings_.add(path_ + ".concurrency",
                    "a bulk load has its own, expected 'batch' and 'degrees'");
    }
    if (client.timeout_ns && (*client.timeout_ns < 1 || *client.timeout_ns > kMaxDuration)) {
      findings_.add(path_ + ".timeout", "the time is out of range, expected above 0 and at most " +
                                            format_duration(kMaxDuration));
    }
  }

 private:
  void rate(const Rate& rate, const std::string& path) {
    if (!is_rate(rate)) {
      findings_.add(path, "the rate is out of range, expected 0/s to 1000000000/s");
    }
  }

  void inside(Nanoseconds at, const std::string& key) {
    if (at < 0 || at >= scenario_.duration_ns) {
      findings_.add(path_ + key, "the instant is not inside the run, expected below " +
                                     text_of(scenario_.duration_ns) + ", got " + text_of(at));
    }
  }

  void count(std::uint64_t count, const std::string& key) {
    if (count > kMaxOperations) {
      findings_.add(path_ + key, "operations are out of range, expected at most 10^18");
    }
  }

  [[nodiscard]] std::string member(const char* list, std::size_t index, const char* key) const {
    return path_ + "." + list + "." + std::to_string(index) + "." + key;
  }

  void changes(const std::vector<RateChange>& changes) {
    Nanoseconds arrived = -1;
    Nanoseconds before = -1;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const RateChange& change = changes[i];
      rate(change.rate, member("changes", i, "rate"));
      if (!is_span(change.at_ns) || !is_span(change.over_ns)) {
        findings_.add(member("changes", i, "at"),
                      "the time is out of range, expected 0s to " + format_duration(kMaxDuration));
        return;
      }
      if (change.at_ns <= before) {
        findings_.add(member("changes", i, "at"),
                      "changes must be in order of time, expected above " +
                          format_duration(before) + ", got " + format_duration(change.at_ns));
      } else if (change.at_ns < arrived) {
        findings_.add(member("changes", i, "at"),
                      "the change before has not arrived yet, expected at least " +
                          format_duration(arrived) + ", got " + format_duration(change.at_ns));
      }
      before = std::max(before, change.at_ns);
      arrived = std::max(arrived, change.at_ns + change.over_ns);
    }
  }

  void spikes(const std::vector<RateSpike>& spikes) {
    Nanoseconds end = 0;
    for (std::size_t i = 0; i < spikes.size(); ++i) {
      const RateSpike& spike = spikes[i];
      if (!is_span(spike.at_ns) || spike.for_ns < 1 || !is_span(spike.for_ns)) {
        findings_.add(member("spikes", i, "at"),
                      "the time is out of range, expected 0s to " + format_duration(kMaxDuration));
        return;
      }
      if (spike.times_micro < 1 || spike.times_micro > kMaxFactor) {
        findings_.add(member("spikes", i, "times"),
                      "the factor is out of range, expected above 0 and at most 1000000");
      }
      if (spike.at_ns < end) {
        findings_.add(member("spikes", i, "at"),
                      "spikes must be in order of time and apart, expected at least " +
                          format_duration(end) + ", got " + format_duration(spike.at_ns));
      }
      end = std::max(end, spike.at_ns + spike.for_ns);
    }
  }

  void bursts(const OnOff& bursts) {
    if (bursts.on_ns < 1 || !is_span(bursts.on_ns) || !is_span(bursts.off_ns)) {
      findings_.add(path_ + ".bursts",
                    "the times are out of range, expected 'on' above 0s and 'off' at least 0s");
    } else if (static_cast<double>(scenario_.duration_ns) /
                   static_cast<double>(bursts.on_ns + bursts.off_ns) >
               kMaxBursts) {
      findings_.add(path_ + ".bursts", "too many bursts in the run, expected at most 100000000",
                    "longer bursts or a shorter duration bring them down");
    }
  }

  const Scenario& scenario_;
  std::string path_;
  Findings& findings_;
};

}  // namespace

void check_arrivals(const Scenario& scenario, const ClientSpec& client, Findings& findings) {
  ArrivalCheck check(scenario, "clients." + client.name, findings);
  std::visit(check, client.arrivals);
  check.limits(client);
}

}  // namespace partsim::checks
