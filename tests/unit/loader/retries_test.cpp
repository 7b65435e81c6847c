// What a client does after a 429: presets, and presets with some of their values changed.
#include "scenario_text.hpp"
#include "support/catch.hpp"

namespace partsim::testing {
namespace {

const Slot kRetry{"    rate: 10/s", "    rate: 10/s\n    retry: $"};

RetrySpec retry_of(const std::string& value) {
  check_round_trip(filled(kRetry, value));
  return check_scenario(value, filled(kRetry, value)).clients.front().retry;
}

void check_like_dotnet(const RetrySpec& retry) {
  CHECK(retry.max_retries == 9);
  CHECK(retry.max_wait_ns == 30 * kSecond);
  CHECK(retry.backoff_base_ns == 0);
  CHECK(retry.fixed_wait_ns == 0);
  CHECK(retry.longest_wait_ns == kNever);
  CHECK(retry.quota_tokens == 0);
}

// The table of docs/WORKLOAD.md section 4.
TEST_CASE("A preset has the values of its SDK", "[loader]") {
  for (const std::string word : {"dotnet", "java"}) {
    check_like_dotnet(retry_of(word));
    CHECK_FALSE(retry_of(word).may_overshoot);
  }
  for (const std::string word : {"python", "javascript"}) {
    check_like_dotnet(retry_of(word));
    CHECK(retry_of(word).may_overshoot);
  }
  const RetrySpec rust = retry_of("rust");
  CHECK(rust.max_retries == 18);
  CHECK(rust.max_wait_ns == 270 * kSecond);
  CHECK(rust.longest_wait_ns == 15 * kSecond);
  CHECK(rust.backoff_base_ns == 0);
  const RetrySpec aws = retry_of("aws");
  CHECK(aws.max_retries == 3);
  CHECK(aws.max_wait_ns == 3'653 * kDay);
  CHECK(aws.backoff_base_ns == kSecond);
  CHECK(aws.backoff_max_ns == 20 * kSecond);
  CHECK(aws.backoff_jitter == RetrySpec::Jitter::full);
  CHECK(aws.quota_tokens == 500);
  CHECK(aws.quota_cost == 5);
  const RetrySpec legacy = retry_of("aws_legacy");
  CHECK(legacy.max_retries == 9);
  CHECK(legacy.max_wait_ns == 3'653 * kDay);
  CHECK(legacy.backoff_base_ns == 50 * kMillisecond);
  CHECK(legacy.backoff_max_ns == 25'600 * kMillisecond);
  CHECK(legacy.backoff_jitter == RetrySpec::Jitter::none);
  CHECK(legacy.quota_tokens == 0);
  CHECK(retry_of("none").max_retries == 0);
}

TEST_CASE("A section takes a preset and changes some of its values", "[loader]") {
  const RetrySpec aws = retry_of("{preset: aws, max_retries: 8, backoff_jitter: equal}");
  CHECK(aws.max_retries == 8);
  CHECK(aws.backoff_jitter == RetrySpec::Jitter::equal);
  CHECK(aws.backoff_base_ns == kSecond);
  CHECK(aws.quota_tokens == 500);
  const RetrySpec rust = retry_of("{preset: rust}");
  CHECK(rust.max_retries == 18);
  CHECK(rust.longest_wait_ns == 15 * kSecond);
  check_like_dotnet(retry_of("{}"));
}

TEST_CASE("A preset holds whatever the provider", "[loader]") {
  const std::string amazon = "provider: dynamodb\n";
  const RetrySpec own =
      check_scenario("own", amazon + filled(kRetry, "{preset: python}")).clients.front().retry;
  check_like_dotnet(own);
  CHECK(own.may_overshoot);
  const RetrySpec plain =
      check_scenario("plain", amazon + filled(kRetry, "{}")).clients.front().retry;
  CHECK(plain.quota_tokens == 500);
  CHECK(plain.backoff_base_ns == kSecond);
}

TEST_CASE("Every value of a policy can be set", "[loader]") {
  const RetrySpec retry = retry_of(
      "{max_retries: 4, max_wait: 9s, wait: 250ms, jitter: 5ms, longest_wait: 2s, overshoot: true, "
      "quota: 77, quota_cost: 7}");
  CHECK(retry.max_retries == 4);
  CHECK(retry.max_wait_ns == 9 * kSecond);
  CHECK(retry.fixed_wait_ns == 250 * kMillisecond);
  CHECK(retry.jitter_ns == 5 * kMillisecond);
  CHECK(retry.longest_wait_ns == 2 * kSecond);
  CHECK(retry.may_overshoot);
  CHECK(retry.quota_tokens == 77);
  CHECK(retry.quota_cost == 7);
}

TEST_CASE("Policies that contradict themselves are refused", "[loader]") {
  const auto wrong = [](const std::string& value, const std::string& place,
                        const std::vector<std::string>& words) {
    check_refused({value, filled(kRetry, value), place, words});
  };
  wrong("cobol", "13:12", {"expected one of dotnet, java, python"});
  wrong("{preset: jav}", "13:21", {"did you mean 'java'?"});
  wrong("{preset: aws, wait: 1s}", "13:32", {"a back-off has its own waits"});
  wrong("{backoff_jitter: half}", "13:29", {"full, equal, none"});
  wrong("{quota: 1000001}", "13:20", {"between 0 and 1000000"});
  wrong("{quota_cost: 0}", "13:25", {"between 1 and 1000000"});
  wrong("{longest_wait: 0s}", "13:27", {"out of range"});
  wrong("{overshoot: yes}", "13:24", {"expected true or false"});
}

TEST_CASE("A variant with another preset forgets the values of the first", "[loader]") {
  const std::string text = filled(kRetry, "{preset: rust}") +
                           "variants:\n  net: {clients: {app: {retry: {preset: dotnet}}}}\n";
  for (const std::string& source : {text, check_round_trip(text)}) {
    check_like_dotnet(
        check_accepted("variant", source).variants.front().scenario.clients.front().retry);
  }
}

}  // namespace
}  // namespace partsim::testing
