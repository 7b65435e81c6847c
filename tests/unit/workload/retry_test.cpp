// What a client does with a refusal, by hand.
#include "partsim/workload/retry.hpp"

#include <cmath>
#include <vector>

#include "support/catch.hpp"

using namespace partsim;

namespace {

/// The waits of a request that the service refuses for ever, asking for `retry_after` each time.
std::vector<Nanoseconds> waits(const RetrySpec& spec, Nanoseconds retry_after,
                               std::uint64_t operation = 0) {
  const RetryPolicy policy(spec, 42, "app");
  std::vector<Nanoseconds> all;
  Nanoseconds waited = 0;
  for (std::uint32_t attempt = 0;; ++attempt) {
    const Nanoseconds wait = policy.wait_ns({operation, attempt, 0, 0, false, retry_after, waited});
    if (wait < 0) {
      return all;
    }
    all.push_back(wait);
    waited += wait;
  }
}

RetrySpec overshooting() {
  RetrySpec spec;
  spec.may_overshoot = true;
  return spec;
}

RetrySpec rust() {
  RetrySpec spec;
  spec.max_retries = 18;
  spec.max_wait_ns = 270 * kSecond;
  spec.longest_wait_ns = 15 * kSecond;
  return spec;
}

RetrySpec back_off(RetrySpec::Jitter jitter) {
  RetrySpec spec;
  spec.max_retries = 9;
  spec.max_wait_ns = kNever;
  spec.backoff_base_ns = 50 * kMillisecond;
  spec.backoff_max_ns = 25'600 * kMillisecond;
  spec.backoff_jitter = jitter;
  return spec;
}

}  // namespace

TEST_CASE("dotnet and java follow the service nine times, within thirty seconds", "[workload]") {
  CHECK((waits({}, kSecond) == std::vector<Nanoseconds>(9, kSecond)));
  CHECK((waits({}, 12 * kSecond) == std::vector<Nanoseconds>(2, 12 * kSecond)));
  CHECK((waits({}, 15 * kSecond) == std::vector<Nanoseconds>(2, 15 * kSecond)));
  CHECK(waits({}, 30 * kSecond).empty());
}

TEST_CASE("python and javascript look only at what they have waited, so the last wait may pass",
          "[workload]") {
  CHECK((waits(overshooting(), kSecond) == std::vector<Nanoseconds>(9, kSecond)));
  CHECK((waits(overshooting(), 12 * kSecond) == std::vector<Nanoseconds>(3, 12 * kSecond)));
  // 30 s waited is not above 30 s
  CHECK((waits(overshooting(), 15 * kSecond) == std::vector<Nanoseconds>(3, 15 * kSecond)));
  CHECK((waits(overshooting(), 100 * kSecond) == std::vector<Nanoseconds>(1, 100 * kSecond)));
}

TEST_CASE("rust cuts what the service asks for to fifteen seconds", "[workload]") {
  CHECK((waits(rust(), kSecond) == std::vector<Nanoseconds>(18, kSecond)));
  CHECK((waits(rust(), kHour) == std::vector<Nanoseconds>(18, 15 * kSecond)));  // 270 s in all
}

TEST_CASE("A fixed wait ignores the service", "[workload]") {
  RetrySpec spec;
  spec.fixed_wait_ns = 3 * kSecond;
  CHECK((waits(spec, kHour) == std::vector<Nanoseconds>(9, 3 * kSecond)));
  spec.max_wait_ns = 10 * kSecond;
  CHECK(waits(spec, 0).size() == 3);
}

TEST_CASE("aws_legacy doubles from 50 ms without jitter", "[workload]") {
  std::vector<Nanoseconds> doubling;
  for (Nanoseconds wait = 50 * kMillisecond; doubling.size() < 9; wait *= 2) {
    doubling.push_back(wait);
  }
  CHECK(doubling.back() == 12'800 * kMillisecond);
  CHECK((waits(back_off(RetrySpec::Jitter::none), kSecond) == doubling));
}

TEST_CASE("aws backs off with full jitter from one second to twenty", "[workload]") {
  RetrySpec spec = back_off(RetrySpec::Jitter::full);
  spec.max_retries = 8;
  spec.backoff_base_ns = kSecond;
  spec.backoff_max_ns = 20 * kSecond;
  const std::vector<double> limits{1, 2, 4, 8, 16, 20, 20, 20};
  std::vector<double> sums(limits.size(), 0);
  constexpr int kRequests = 20'000;
  bool inside = true;
  for (int request = 0; request < kRequests; ++request) {
    const auto all = waits(spec, kSecond, static_cast<std::uint64_t>(request));
    REQUIRE(all.size() == limits.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double seconds = static_cast<double>(all[i]) / 1e9;
      inside = inside && seconds >= 0 && seconds < limits[i];
      sums[i] += seconds;
    }
  }
  CHECK(inside);
  for (std::size_t i = 0; i < limits.size(); ++i) {
    // uniform in [0, b): mean b / 2, standard error b / sqrt(12 n); 4.9 of them are one in a
    // million
    const double error = 4.9 * limits[i] / std::sqrt(12.0 * kRequests);
    CHECK(std::abs(sums[i] / kRequests - limits[i] / 2) < error);
  }
}

TEST_CASE("Equal jitter waits at least half of the back-off", "[workload]") {
  const RetrySpec spec = back_off(RetrySpec::Jitter::equal);
  double sum = 0;
  constexpr int kRequests = 20'000;
  bool inside = true;
  for (int request = 0; request < kRequests; ++request) {
    const auto all = waits(spec, kSecond, static_cast<std::uint64_t>(request));
    REQUIRE(all.size() == 9);
    Nanoseconds limit = 50 * kMillisecond;
    for (const Nanoseconds wait : all) {
      inside = inside && wait >= limit / 2 && wait < limit;
      limit *= 2;
    }
    sum += static_cast<double>(all.front()) / 1e6;
  }
  CHECK(inside);
  CHECK(std::abs(sum / kRequests - 37.5) < 4.9 * 25 / std::sqrt(12.0 * kRequests));
}

TEST_CASE("Jitter grows with the wait that is really waited", "[workload]") {
  RetrySpec spec = rust();
  spec.max_wait_ns = kHour;
  spec.jitter_ppm = 100'000;
  bool above = false;
  for (std::uint64_t operation = 0; operation < 1'000; ++operation) {
    for (const Nanoseconds wait : waits(spec, kHour, operation)) {
      REQUIRE(wait >= 15 * kSecond);
      REQUIRE(wait < 16'500 * kMillisecond);
      above = above || wait > 16'400 * kMillisecond;
    }
  }
  CHECK(above);
}

TEST_CASE("A client that does not retry gives up at once", "[workload]") {
  RetrySpec spec;
  spec.max_retries = 0;
  CHECK(waits(spec, kMillisecond).empty());
}
