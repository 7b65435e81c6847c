// hotkey-10 as a straight-line program: one fixed model, flat arrays, a window at a time, no
// engine. It shows what the hardware allows and must agree with the engine in every count it
// prints.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "partsim/core/distribution.hpp"
#include "partsim/core/histogram.hpp"
#include "partsim/core/rng.hpp"
#include "partsim/core/time.hpp"
#include "partsim/keys/epk.hpp"

namespace {

using namespace partsim;

constexpr std::uint32_t kPartitions = 10;
constexpr std::uint32_t kKeys = 10'000;
constexpr std::uint32_t kBudget = 1'000;  // RU a window
constexpr std::uint32_t kLastAttempt = 8;
constexpr std::uint64_t kJitterNs = 10'000'000;
constexpr double kGapNs = 3e9 * 1e6 / 8e9;
constexpr std::size_t kBlock = 2'048;

struct Pending {
  std::uint64_t operation;
  std::uint64_t state;  // first send << 8 | attempt << 1 | is write
};
struct Ordered {
  std::uint64_t due;  // jitter << 40 | operation: the order of the window
  std::uint64_t state;
};
struct Partition {
  std::vector<Pending> pool[2];   // this window's retries and the next one's
  std::vector<Pending> arrivals;  // state without attempts: first send << 8 | is write
  Nanoseconds server_free = 0;
};
struct Totals {
  std::uint64_t served = 0;
  std::uint64_t failed = 0;
  std::uint64_t throttled = 0;
  Histogram latency_ns;
  std::vector<std::uint32_t> ru;  // window by partition
};

class Hotkey {
 public:
  explicit Hotkey(double requests) : end_(static_cast<Nanoseconds>(requests * 3 / 8000 * 1e9)) {
    const auto ranges = initial_ranges(HashVersion::v2, kPartitions);
    for (std::uint32_t i = 0; i < kKeys; ++i) {
      const KeyComponent key = "2018-08-09." + std::to_string(i);
      const HashPoint point = hash_point(HashVersion::v2, std::span(&key, 1));
      owner_.push_back(static_cast<std::uint8_t>(owner_of(ranges, point)));
    }
  }

  Totals run() {
    std::size_t next = kBlock;
    for (Nanoseconds window = 0; window * kSecond < end_; ++window) {
      const Nanoseconds window_end = std::min((window + 1) * kSecond, end_);
      for (;;) {
        if (next == kBlock) {
          fill();
          next = 0;
        }
        if (time_[next] >= window_end) {
          break;
        }
        partitions_[where_[next]].arrivals.push_back(
            {operation_ - kBlock + next,
             static_cast<std::uint64_t>(time_[next]) << 8 | write_[next]});
        ++next;
        ++offered;
      }
      for (Partition& partition : partitions_) {
        run_window(partition, window);
      }
    }
    return std::move(totals_);
  }

  std::uint64_t offered = 0;

 private:
  void fill() {
    for (std::size_t i = 0; i < kBlock; ++i) {
      gap_[i] = exponential(gaps_.draw(operation_ + i)) * kGapNs;
    }
    for (std::size_t i = 0; i < kBlock; ++i) {
      last_ += static_cast<Nanoseconds>(gap_[i]);
      time_[i] = last_;
    }
    for (std::size_t i = 0; i < kBlock; ++i) {
      where_[i] = owner_[zipf_.sample(keys_.draw(operation_ + i))];
      write_[i] = bounded(mix_.draw(operation_ + i), kMillion) < 500'000 ? 1 : 0;
    }
    operation_ += kBlock;
  }

  void run_window(Partition& partition, Nanoseconds window) {
    auto& now = partition.pool[window & 1];
    auto& later = partition.pool[(window + 1) & 1];
    const auto window_start = static_cast<std::uint64_t>(window * kSecond);
    std::uint32_t used = 0;
    const auto cost = [](std::uint64_t state) { return (state & 1) != 0 ? 5U : 1U; };
    const auto refuse = [&](std::uint64_t operation, std::uint64_t state) {
      ++totals_.throttled;
      if ((state >> 1 & 127) == kLastAttempt) {
        ++totals_.failed;
      } else {
        later.push_back({operation, state + 2});
      }
    };
    const auto attempt = [&](Nanoseconds t, std::uint64_t operation, std::uint64_t state) {
      if (used + cost(state) > kBudget) {
        refuse(operation, state);
        return;
      }
      used += cost(state);
      const auto service = static_cast<Nanoseconds>(exponential(service_.draw(operation)) *
                                                    (200'000.0 * cost(state)));
      partition.server_free = std::max(t, partition.server_free) + service;
      if (partition.server_free < end_) {
        ++totals_.served;
        totals_.latency_ns.add(static_cast<std::uint64_t>(partition.server_free) - (state >> 8));
      }
    };
    ordered_.clear();
    for (const Pending& p : now) {
      const std::uint64_t draw =
          mix64(jitter_.draw(p.operation) + (p.state >> 1 & 127) * kGoldenGamma);
      ordered_.push_back({bounded(draw, kJitterNs) << 40 | p.operation, p.state});
    }
    now.clear();
    std::size_t done = 0;
    std::size_t arrival = 0;
    const auto arrives_before = [&](Nanoseconds t, std::uint64_t operation) {
      if (arrival == partition.arrivals.size()) {
        return false;
      }
      const auto at = static_cast<Nanoseconds>(partition.arrivals[arrival].state >> 8);
      return at != t ? at < t : partition.arrivals[arrival].operation < operation;
    };
    const auto next_arrival = [&] {
      const Pending& p = partition.arrivals[arrival++];
      attempt(static_cast<Nanoseconds>(p.state >> 8), p.operation, p.state);
    };
    while (done < ordered_.size() &&
           used < kBudget) {  // sort only what the budget can still pay for
      const std::size_t slice =
          std::min(ordered_.size() - done, std::size_t{kBudget - used} / 2 + 32);
      const auto from = ordered_.begin() + static_cast<std::ptrdiff_t>(done);
      const auto to = from + static_cast<std::ptrdiff_t>(slice);
      const auto by_due = [](const Ordered& a, const Ordered& b) { return a.due < b.due; };
      if (to != ordered_.end()) {
        std::nth_element(from, to - 1, ordered_.end(), by_due);
      }
      std::sort(from, to, by_due);
      for (auto it = from; it != to; ++it, ++done) {
        const auto t = static_cast<Nanoseconds>(window_start + (it->due >> 40));
        const std::uint64_t operation = it->due & ((std::uint64_t{1} << 40) - 1);
        while (arrives_before(t, operation)) {
          next_arrival();
        }
        if (t >= end_) {
          return;
        }
        attempt(t, operation, it->state);
      }
    }
    for (; done < ordered_.size(); ++done) {
      if (static_cast<Nanoseconds>(window_start + (ordered_[done].due >> 40)) < end_) {
        refuse(ordered_[done].due & ((std::uint64_t{1} << 40) - 1), ordered_[done].state);
      }
    }
    while (arrival < partition.arrivals.size()) {
      next_arrival();
    }
    partition.arrivals.clear();
    totals_.ru.push_back(used);
  }

  Nanoseconds end_;
  std::vector<std::uint8_t> owner_;
  Zipf zipf_{kKeys, 0.99};
  RngStream gaps_{42, "app", "arrivals"};
  RngStream keys_{42, "app", "field/n"};
  RngStream mix_{42, "app", "operation"};
  RngStream service_{42, "app", "service"};
  RngStream jitter_{42, "app", "jitter"};
  std::uint64_t operation_ = 0;
  Nanoseconds last_ = 0;
  std::array<double, kBlock> gap_{};
  std::array<Nanoseconds, kBlock> time_{};
  std::array<std::uint8_t, kBlock> where_{};
  std::array<std::uint8_t, kBlock> write_{};
  std::array<Partition, kPartitions> partitions_;
  std::vector<Ordered> ordered_;
  Totals totals_;
};

}  // namespace

int main(int argc, char** argv) {
  const double requests = argc > 1 ? std::atof(argv[1]) : 1e7;
  auto model = std::make_unique<Hotkey>(requests);
  const std::clock_t begin = std::clock();
  const Totals totals = model->run();
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::printf(
      "{\"offered\":%llu,\"succeeded\":%llu,\"failed\":%llu,\"throttled\":%llu,"
      "\"cpu_s\":%.4f}\n",
      static_cast<unsigned long long>(model->offered),
      static_cast<unsigned long long>(totals.served),
      static_cast<unsigned long long>(totals.failed),
      static_cast<unsigned long long>(totals.throttled), seconds);
  return 0;
}
