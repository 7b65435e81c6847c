#include "advise_parts.hpp"

#include <algorithm>
#include <set>
#include <span>

#include "partsim/core/math.hpp"
#include "partsim/core/rng.hpp"

namespace partsim::advice {

Scenario with_key(const Scenario& scenario, std::uint32_t container, const KeyLevels& levels) {
  Scenario changed = scenario;
  ContainerSpec& spec = changed.containers[container];
  spec.partition_key = levels;
  if (levels.size() > 1) {
    spec.hash = HashVersion::multihash;
  } else if (spec.hash == HashVersion::multihash) {
    spec.hash = HashVersion::v2;
  }
  return changed;
}

PoolSpec pool_of(const Scenario& scenario, std::uint32_t container) {
  std::vector<PoolSpec> pools = pools_of(scenario);
  return *std::find_if(pools.begin(), pools.end(),
                       [container](const PoolSpec& pool) { return pool.has(container); });
}

Layout layout_of(const Scenario& scenario, std::uint32_t container) {
  Layout layout;
  layout.hash = hash_version_of(scenario.containers[container]);
  const auto count =
      static_cast<std::uint32_t>(initial_partition_count(scenario, pool_of(scenario, container)));
  layout.ranges = initial_ranges(layout.hash, count);
  for (std::uint32_t id = 0; id < count; ++id) {
    layout.ids.push_back(id);
  }
  return layout;
}

const FieldSpec* find_field(const ContainerSpec& container, const std::string& name) {
  const auto found = std::find_if(container.fields.begin(), container.fields.end(),
                                  [&name](const FieldSpec& field) { return field.name == name; });
  return found == container.fields.end() ? nullptr : &*found;
}

const std::string* field_of(const KeyPart& part) {
  if (const auto* value = std::get_if<FieldValue>(&part)) {
    return &value->field;
  }
  const auto* hashed = std::get_if<HashedSuffix>(&part);
  return hashed == nullptr ? nullptr : &hashed->field;
}

bool has_suffix(const KeyTemplate& level) {
  return std::any_of(level.parts.begin(), level.parts.end(), [](const KeyPart& part) {
    return std::holds_alternative<RandomSuffix>(part) || std::holds_alternative<HashedSuffix>(part);
  });
}

std::int64_t clock_period_s(const ContainerSpec& container) {
  std::int64_t shortest = 0;
  for (const KeyTemplate& level : container.partition_key) {
    for (const KeyPart& part : level.parts) {
      const std::string* name = field_of(part);
      const FieldSpec* field = name == nullptr ? nullptr : find_field(container, *name);
      const auto* clock = field == nullptr ? nullptr : std::get_if<TimeField>(&field->kind);
      // a format without a token never changes
      if (clock != nullptr && clock->format.period_s() > 0) {
        const std::int64_t period = clock->format.period_s();
        shortest = shortest == 0 ? period : std::min(shortest, period);
      }
    }
  }
  return shortest;
}

std::uint64_t hash_of(const HashPoint& point) noexcept {
  std::uint64_t hash = point.levels;
  for (std::size_t level = 0; level < point.levels; ++level) {
    hash = mix64(hash ^ static_cast<std::uint64_t>(point.level[level])) ^
           static_cast<std::uint64_t>(point.level[level] >> 64);
  }
  return mix64(hash);
}

ClientSpec item_writer() {
  ClientSpec writer;
  writer.name = "advise";
  writer.arrivals = OpenLoop{};
  writer.operations.emplace_back();
  return writer;
}

std::vector<double> value_shares(const ContainerSpec& container, const KeyAxis& axis) {
  const ZipfChoice* zipf = nullptr;
  if (axis.kind == KeyAxis::Kind::choose) {
    zipf = std::get_if<ZipfChoice>(&std::get<ChooseField>(container.fields[axis.field].kind).law);
  }
  if (zipf == nullptr) {
    return axis.choice.probabilities();
  }
  // the sum over all ranks is worked out once, not once for each
  const double exponent = static_cast<double>(zipf->exponent_micro) / 1e6;
  const double first = Zipf::share(0, axis.choice.count(), exponent);
  std::vector<double> shares(axis.choice.count());
  for (std::size_t i = 0; i < shares.size(); ++i) {
    shares[i] = first * det_pow(static_cast<double>(i + 1), -exponent);
  }
  return shares;
}

std::uint64_t distinct_values(const ContainerSpec& container, const FieldSpec& field) {
  if (const auto* choose = std::get_if<ChooseField>(&field.kind)) {
    const FieldSpec* parent = choose->of.empty() ? nullptr : find_field(container, choose->of);
    return choose->count * (parent == nullptr ? 1 : distinct_values(container, *parent));
  }
  if (const auto* values = std::get_if<ValuesField>(&field.kind)) {
    std::set<std::uint64_t> hashes;
    for (const KeyComponent& value : values->values) {
      hashes.insert(hash_of(hash_point(HashVersion::v2, std::span(&value, 1))));
    }
    return hashes.size();
  }
  return std::holds_alternative<TimeField>(field.kind) ? 1 : UINT64_MAX;
}

}  // namespace partsim::advice
