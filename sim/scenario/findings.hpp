/// The parts of check(), each with its own file, and what they report to.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "partsim/scenario/check.hpp"

#include "estimate.hpp"

namespace partsim::checks {

class Findings {
 public:
  void add(std::string path, std::string message, std::string hint = {}) {
    problems_.push_back({std::move(path), std::move(message), std::move(hint), false});
  }
  void add_over_limit(std::string path, std::string message, std::string hint) {
    problems_.push_back({std::move(path), std::move(message), std::move(hint), true});
  }
  [[nodiscard]] bool empty() const { return problems_.empty(); }
  [[nodiscard]] std::vector<Problem> take() { return std::move(problems_); }

 private:
  std::vector<Problem> problems_;
};

inline constexpr double kMaxCounted = 4e18;  // milli-RU or ns: below 2^63, and room for as much
inline constexpr MilliRu kMaxThroughput = 1'000'000'000 * kMilliPerRu;

[[nodiscard]] std::string quoted(const std::string& name);
/// A duration for a message; those of a broken value may be negative.
[[nodiscard]] std::string text_of(Nanoseconds time);
[[nodiscard]] std::string known_fields(const ContainerSpec& container);

/// False: amounts among the parameters are broken, and pools cannot be judged.
[[nodiscard]] bool check_parameters(const Scenario& scenario, Findings& findings);
void check_features(const Scenario& scenario, Findings& findings);
void check_pools(const Scenario& scenario, Findings& findings);
void check_timeline(const Scenario& scenario, Findings& findings);
void check_containers(const Scenario& scenario, Findings& findings);
void check_arrivals(const Scenario& scenario, const ClientSpec& client, Findings& findings);
void check_clients(const Scenario& scenario, Findings& findings);

}  // namespace partsim::checks
