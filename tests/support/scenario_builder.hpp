/// Small scenarios for tests, one line each.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "partsim/scenario/scenario.hpp"

namespace partsim::testing {

inline KeyTemplate key(const std::string& text) {
  return std::get<KeyTemplate>(parse_key_template(text));
}

inline FieldSpec choose(std::string name, std::uint64_t count, ChoiceLaw law = UniformChoice{}) {
  ChooseField field;
  field.count = count;
  field.law = law;
  return {std::move(name), field};
}

/// One container `n` fields wide open: one partition, one uniform numeric field `k`, key `{k}`.
inline ContainerSpec container(MilliRu ru_per_s, std::uint32_t partitions = 1) {
  ContainerSpec spec;
  spec.throughput.mru_per_s = ru_per_s * kMilliPerRu;
  spec.throughput.partitions = partitions;
  spec.fields = {choose("k", 1000)};
  spec.partition_key = {key("{k}")};
  return spec;
}

inline OperationSpec create(MilliRu charge_ru) {
  OperationSpec operation;
  operation.charge_mru = charge_ru * kMilliPerRu;
  return operation;
}

inline Rate per_second(double rate) {
  return {static_cast<std::int64_t>(rate * 1e6 + 0.5), kSecond};
}

inline ClientSpec poisson(std::string name, double rate, OperationSpec operation) {
  ClientSpec client;
  client.name = std::move(name);
  client.arrivals = OpenLoop{per_second(rate), OpenLoop::Spacing::poisson};
  client.operations = {std::move(operation)};
  return client;
}

inline ClientSpec evenly(std::string name, double rate, OperationSpec operation) {
  ClientSpec client = poisson(std::move(name), rate, std::move(operation));
  std::get<OpenLoop>(client.arrivals).spacing = OpenLoop::Spacing::evenly;
  return client;
}

inline ClientSpec at_once(std::string name, std::uint64_t count, OperationSpec operation) {
  ClientSpec client = poisson(std::move(name), 1, std::move(operation));
  client.arrivals = AtOnce{count, 0};
  return client;
}

inline Scenario scenario(Nanoseconds duration, ContainerSpec spec, ClientSpec client) {
  Scenario result;
  result.seed = 2018;
  result.duration_ns = duration;
  result.containers = {std::move(spec)};
  result.clients = {std::move(client)};
  return result;
}

inline RetrySpec no_retry() {
  RetrySpec retry;
  retry.max_retries = 0;
  return retry;
}

}  // namespace partsim::testing
