#include "support/naive_requests.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

#include "partsim/core/distribution.hpp"
#include "partsim/core/rng.hpp"
#include "partsim/keys/murmur3.hpp"

namespace partsim {
namespace {

__extension__ using Wide = __int128;
using Item = std::map<std::string, KeyComponent>;
using Randoms = std::map<std::pair<std::size_t, std::size_t>, std::uint64_t>;  // by (level, part)
using Weights = std::map<std::uint32_t, std::uint64_t>;                        // by partition

std::string text_of(const KeyComponent& value) {
  if (const auto* number = std::get_if<double>(&value)) {
    std::array<char, 512> text{};
    char* const end = text.data() + text.size();
    return {text.data(), std::to_chars(text.data(), end, *number, std::chars_format::fixed).ptr};
  }
  if (const auto* flag = std::get_if<bool>(&value)) {
    return *flag ? "true" : "false";
  }
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr ? *text : "null";
}

MilliRu charge_by_size(Bytes size, MilliRu ChargeRow::*column) {
  if (size < kCosmosCharges.front().size_bytes) {
    return kCosmosCharges.front().*column;
  }
  std::size_t row = 1;
  while (row + 1 < kCosmosCharges.size() && size > kCosmosCharges[row].size_bytes) {
    ++row;
  }
  const ChargeRow& lo = kCosmosCharges[row - 1];
  const ChargeRow& hi = kCosmosCharges[row];
  return lo.*column +
         (hi.*column - lo.*column) * (size - lo.size_bytes) / (hi.size_bytes - lo.size_bytes);
}

/// All values the random parts of a key can have together; none if they are more than the limit.
std::vector<Randoms> candidates_of(const std::vector<KeyTemplate>& key) {
  std::vector<Randoms> candidates = {{}};
  for (std::size_t l = 0; l < key.size(); ++l) {
    for (std::size_t p = 0; p < key[l].parts.size(); ++p) {
      const auto* random = std::get_if<RandomSuffix>(&key[l].parts[p]);
      std::vector<Randoms> more;
      if (random != nullptr && random->count * candidates.size() <= 10'000) {
        for (const Randoms& candidate : candidates) {
          for (std::uint64_t i = 0; i < random->count; ++i) {
            more.push_back(candidate);
            more.back()[{l, p}] = random->first + i;
          }
        }
      }
      candidates = random != nullptr ? more : candidates;
    }
  }
  return candidates;
}

class Planner {
 public:
  explicit Planner(const Scenario& scenario) : scenario_(scenario) {
    for (const ContainerSpec& container : scenario.containers) {
      lay_out(container);
    }
    for (std::uint32_t client = 0; client < scenario.clients.size(); ++client) {
      send_all(client);
    }
  }
  NaivePlan plan;

 private:
  std::uint64_t draw(const NaiveOperation& operation, const std::string& purpose) const {
    return naive_draw(scenario_, operation, purpose);
  }
  const ContainerSpec& container_of(const NaiveOperation& operation) const {
    return scenario_.containers[scenario_.clients[operation.client].container];
  }
  static HashVersion version_of(const ContainerSpec& container) {
    return container.partition_key.size() > 1 ? HashVersion::multihash : container.hash;
  }

  void lay_out(const ContainerSpec& container) {
    const MilliRu total = container.throughput_mru_per_s;
    const MilliRu each = scenario_.parameters.initial_partition_mru_manual;
    const auto by_rule = static_cast<std::uint32_t>((total + each - 1) / each);
    const std::uint32_t n = container.partitions.value_or(by_rule);
    for (const HashRange& range : initial_ranges(version_of(container), n)) {
      ranges_.push_back(range);
    }
    for (std::uint32_t i = 0; i < n; ++i) {
      plan.partitions.push_back({&container, total / n + (i < total % n ? 1 : 0)});
    }
  }

  std::uint32_t owner(const ContainerSpec& container, const HashPoint& point) const {
    std::uint32_t i = 0;
    while (plan.partitions.at(i).container != &container || !ranges_[i].contains(point)) {
      ++i;
    }
    return i;
  }

  void send_all(std::uint32_t client) {
    NaiveOperation operation;
    operation.client = client;
    if (const auto* batch = std::get_if<AtOnce>(&scenario_.clients[client].arrivals)) {
      operation.sent_ns = batch->at_ns;
      for (; operation.number < batch->count; ++operation.number) {
        send(operation);
      }
      return;
    }
    const auto& [rate, spacing] = std::get<OpenLoop>(scenario_.clients[client].arrivals);
    const double mean_gap =
        static_cast<double>(rate.per_ns) * 1e6 / static_cast<double>(rate.count_micro);
    for (; rate.count_micro > 0 && operation.sent_ns < scenario_.duration_ns; ++operation.number) {
      if (spacing == OpenLoop::Spacing::poisson) {
        const double gap = exponential(draw(operation, "arrivals")) * mean_gap;
        operation.sent_ns += static_cast<Nanoseconds>(gap);
      } else {
        const Wide spaced = static_cast<Wide>(operation.number) * rate.per_ns * kMillion;
        operation.sent_ns = static_cast<Nanoseconds>(spaced / rate.count_micro);
      }
      send(operation);
    }
  }

  void send(NaiveOperation operation) {
    if (operation.sent_ns >= scenario_.duration_ns) {
      return;
    }
    operation.spec = scenario_.clients[operation.client].operations.data();
    auto u = static_cast<std::int64_t>(bounded(draw(operation, "operation"), kMillion));
    for (; u >= operation.spec->share_ppm; ++operation.spec) {
      u -= operation.spec->share_ppm;
    }
    Item item;
    for (const FieldSpec& field : container_of(operation).fields) {
      item[field.name] = field_value(field, operation);
    }
    route(operation, item);
    plan.operations.push_back(operation);
  }

  std::uint64_t choose(const ChoiceLaw& law, std::uint64_t count, std::uint64_t random) {
    if (const auto* zipf = std::get_if<ZipfChoice>(&law)) {
      const double exponent = static_cast<double>(zipf->exponent_micro) / 1e6;
      return zipfs_.try_emplace({count, exponent}, count, exponent).first->second.sample(random);
    }
    if (const auto* hot_set = std::get_if<HotSetChoice>(&law)) {
      const auto of_ppm = static_cast<std::uint64_t>(hot_set->of_ppm);
      const auto share_ppm = static_cast<std::uint64_t>(hot_set->share_ppm);
      const std::uint64_t hot = std::max<std::uint64_t>(1, count * of_ppm / kMillion);
      if (hot != count) {
        return bounded(random, kMillion) < share_ppm ? bounded(redraw(random), hot)
                                                     : hot + bounded(redraw(random), count - hot);
      }
    }
    return bounded(random, count);
  }

  KeyComponent field_value(const FieldSpec& field, const NaiveOperation& operation) {
    const std::uint64_t random = draw(operation, "field/" + field.name);
    std::string text;
    if (const auto* clock = std::get_if<TimeField>(&field.kind)) {
      clock->format.append(text, scenario_.start_unix_s + operation.sent_ns / kSecond);
    } else if (const auto* values = std::get_if<ValuesField>(&field.kind)) {
      return values->values.at(choose(values->law, values->values.size(), random));
    } else if (const auto* chosen = std::get_if<ChooseField>(&field.kind)) {
      const std::uint64_t index = choose(chosen->law, chosen->count, random);
      if (!chosen->is_text) {
        return static_cast<double>(index);
      }
      text = std::to_string(index);
      text.insert(0, chosen->width - std::min<std::size_t>(chosen->width, text.size()), '0');
      text = chosen->prefix + text + chosen->suffix;
    } else {
      for (int shift = 60; shift >= 0; shift -= 4) {
        text += "0123456789abcdef"[(random >> shift) & 15U];
      }
    }
    return text;
  }

  /// The hash of the first `levels` levels of an item's key.
  static HashPoint hash_of(const ContainerSpec& container, std::size_t levels, const Item& item,
                           const Randoms& randoms) {
    std::vector<KeyComponent> key;
    for (std::size_t l = 0; l < levels; ++l) {
      const std::vector<KeyPart>& parts = container.partition_key[l].parts;
      std::string text;
      for (std::size_t p = 0; p < parts.size(); ++p) {
        if (const auto* literal = std::get_if<LiteralText>(&parts[p])) {
          text += literal->text;
        } else if (const auto* field = std::get_if<FieldValue>(&parts[p])) {
          text += text_of(item.at(field->field));
        } else if (const auto* hashed = std::get_if<HashedSuffix>(&parts[p])) {
          const std::uint64_t hash = murmur3_x64_128(text_of(item.at(hashed->field))).h1;
          text += std::to_string(hashed->first + hash % hashed->count);
        } else {
          text += std::to_string(randoms.at({l, p}));
        }
      }
      const auto* only = parts.size() == 1 ? std::get_if<FieldValue>(parts.data()) : nullptr;
      key.push_back(only != nullptr ? item.at(only->field) : KeyComponent(text));
    }
    return hash_point(version_of(container), key);
  }

  void route(NaiveOperation& operation, const Item& item) {
    const ContainerSpec& container = container_of(operation);
    const std::vector<KeyTemplate>& key = container.partition_key;
    const std::vector<std::string>& given = operation.spec->given;
    const auto unknown = [&](const std::string& name) {
      return std::find(given.begin(), given.end(), name) == given.end();
    };
    Randoms drawn;
    std::size_t known_levels = 0;
    bool fields_known = true;
    for (std::size_t l = 0; l < key.size(); ++l) {
      bool level_known = true;
      for (std::size_t p = 0; p < key[l].parts.size(); ++p) {
        const auto* field = std::get_if<FieldValue>(&key[l].parts[p]);
        const auto* hashed = std::get_if<HashedSuffix>(&key[l].parts[p]);
        if (const auto* random = std::get_if<RandomSuffix>(&key[l].parts[p])) {
          const std::string purpose = "random/" + std::to_string(l) + "/" + std::to_string(p);
          drawn[{l, p}] = random->first + bounded(draw(operation, purpose), random->count);
          level_known = false;
        } else if ((field && unknown(field->field)) || (hashed && unknown(hashed->field))) {
          level_known = fields_known = false;
        }
      }
      known_levels += level_known && known_levels == l ? 1 : 0;
    }
    const std::uint32_t home = owner(container, hash_of(container, key.size(), item, drawn));
    const bool point = operation.spec->kind == OperationKind::create || known_levels == key.size();
    operation.fan_out = !point || operation.spec->kind == OperationKind::query;
    Weights weights;
    if (point) {
      weights[home] = 1;
    } else if (fields_known) {
      for (const Randoms& candidate : candidates_of(key)) {
        ++weights[owner(container, hash_of(container, key.size(), item, candidate))];
      }
    }
    if (weights.empty()) {
      weights = overlapping(container, known_levels, item);
    }
    add_requests(operation, weights, home);
  }

  /// The partitions that overlap a prefix of the key; all of them if nothing is known.
  Weights overlapping(const ContainerSpec& container, std::size_t levels, const Item& item) const {
    Weights weights;
    for (std::uint32_t i = 0; i < ranges_.size(); ++i) {
      if (plan.partitions[i].container == &container &&
          (levels == 0 || PrefixRange{hash_of(container, levels, item, {})}.overlaps(ranges_[i]))) {
        weights[i] = 1;
      }
    }
    return weights;
  }

  void add_requests(NaiveOperation& operation, const Weights& weights, std::uint32_t home) const {
    const OperationSpec& spec = *operation.spec;
    std::uint64_t all = 0;
    for (const auto& [partition, weight] : weights) {
      all += weight;
    }
    std::uint64_t before = 0;
    for (const auto& [partition, weight] : weights) {
      const std::uint64_t upto = before + weight;
      std::uint64_t matches = spec.matches * upto / all - spec.matches * before / all;
      std::uint64_t returned = spec.returned * upto / all - spec.returned * before / all;
      if (spec.kind == OperationKind::read) {
        matches = returned = partition == home ? 1 : 0;
      }
      const MilliRu charge =
          price(operation, static_cast<std::int64_t>(matches), static_cast<std::int64_t>(returned));
      operation.requests.push_back({partition, spec.charge_mru.value_or(charge)});
      before = upto;
    }
  }

  MilliRu price(const NaiveOperation& operation, std::int64_t matches,
                std::int64_t returned) const {
    const ProviderParameters& rules = scenario_.parameters;
    const ContainerSpec& container = container_of(operation);
    const Bytes size = container.item_size_bytes;
    if (operation.spec->kind == OperationKind::create) {
      return charge_by_size(size, &ChargeRow::write_mru) +
             rules.index_mru_per_term * container.indexed_terms;
    }
    MilliRu charge = charge_by_size(size, &ChargeRow::read_mru);
    if (operation.fan_out) {
      charge = rules.query_min_mru_per_partition + rules.query_mru_per_match * matches +
               rules.query_mru_per_returned_kb * (returned * size) / 1024;
    }
    const bool strong = container.consistency == Consistency::strong ||
                        container.consistency == Consistency::bounded_staleness;
    return strong ? charge * rules.strong_read_multiplier_micro / kMillion : charge;
  }

  const Scenario& scenario_;
  std::vector<HashRange> ranges_;  // by partition
  std::map<std::pair<std::uint64_t, double>, Zipf> zipfs_;
};

}  // namespace

NaivePlan naive_plan(const Scenario& scenario) {
  return Planner(scenario).plan;
}

std::uint64_t naive_draw(const Scenario& scenario, const NaiveOperation& operation,
                         const std::string& purpose) {
  const std::string& owner = scenario.clients[operation.client].name;
  return RngStream(scenario.seed, owner, purpose).draw(operation.number);
}

}  // namespace partsim
