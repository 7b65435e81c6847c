// Where the writes go under a key.
#include <algorithm>
#include <numeric>
#include <utility>

#include "advise_parts.hpp"

namespace partsim {
namespace {

using advice::hash_of;
using advice::kDraws;
using advice::kMaxCombinations;

constexpr std::size_t kMaxTop = 3;

/// A hash of values that never repeat is as even as a random number.
KeyLevels with_even_hashes(const ContainerSpec& container) {
  KeyLevels levels = container.partition_key;
  for (KeyTemplate& level : levels) {
    for (KeyPart& part : level.parts) {
      const auto* hashed = std::get_if<HashedSuffix>(&part);
      const FieldSpec* field =
          hashed == nullptr ? nullptr : advice::find_field(container, hashed->field);
      if (field != nullptr && (std::holds_alternative<UniqueField>(field->kind) ||
                               std::holds_alternative<SequenceField>(field->kind))) {
        part = RandomSuffix{hashed->first, hashed->count};
      }
    }
  }
  return levels;
}

/// One key value met: `place` finds it again.
struct Met {
  std::uint64_t hash = 0;
  std::uint64_t place = 0;
  double share = 0;
};

/// The heaviest of the keys met, which come in order of their hashes.
class Heaviest {
 public:
  void add(const Met& key) {
    const auto before = std::find_if(top_.begin(), top_.end(),
                                     [&key](const Met& each) { return each.share < key.share; });
    top_.insert(before, key);
    if (top_.size() > kMaxTop) {
      top_.pop_back();
    }
  }
  [[nodiscard]] const std::vector<Met>& top() const { return top_; }

 private:
  std::vector<Met> top_;
};

class LoadOfKey {
 public:
  LoadOfKey(const Scenario& scenario, std::uint32_t index, std::int64_t unix_s)
      : container_(scenario.containers[index]),
        layout_(advice::layout_of(scenario, index)),
        seed_(scenario.seed),
        unix_s_(unix_s) {
    container_.partition_key = with_even_hashes(container_);
  }

  KeyLoad load() {
    KeySpace keys(container_, unix_s_);
    load_.partition_share.assign(layout_.ranges.size(), 0.0);
    double combinations = 1;
    bool finite = true;
    for (const KeyAxis& axis : keys.axes()) {
      finite = finite && axis.is_finite();
      combinations *= axis.is_finite() ? static_cast<double>(axis.choice.count()) : 1.0;
    }
    if (finite && combinations <= static_cast<double>(kMaxCombinations)) {
      enumerate(keys, static_cast<std::uint64_t>(combinations));
    } else {
      draw(keys);
      estimate(keys, finite);
    }
    return std::move(load_);
  }

 private:
  static void set_combination(const KeySpace& keys, std::uint64_t number, KeyChoice& choice) {
    for (std::size_t i = 0; i < keys.axes().size(); ++i) {
      const std::uint64_t count = keys.axes()[i].choice.count();
      choice.index[i] = number % count;
      number /= count;
    }
  }
  static KeyChoice choice_at_start(const KeySpace& keys) {
    KeyChoice choice;
    Nanoseconds until_ns = 0;
    choice.unix_second = keys.clock_second(0, &until_ns);
    choice.index.resize(keys.axes().size());
    return choice;
  }

  void enumerate(KeySpace& keys, std::uint64_t combinations) {
    std::vector<std::vector<double>> probability;
    for (const KeyAxis& axis : keys.axes()) {
      probability.push_back(advice::value_shares(container_, axis));
    }
    KeyChoice choice = choice_at_start(keys);
    std::vector<Met> met;
    met.reserve(combinations);
    for (std::uint64_t number = 0; number < combinations; ++number) {
      set_combination(keys, number, choice);
      double share = 1;
      for (std::size_t i = 0; i < probability.size(); ++i) {
        share *= probability[i][choice.index[i]];
      }
      if (share > 0) {
        const HashPoint point = keys.point(choice);
        load_.partition_share[owner_of(layout_.ranges, point)] += share;
        met.push_back({hash_of(point), number, share});
      }
    }
    load_.looked_at = combinations;
    const Heaviest heaviest = gather(std::move(met));
    for (const Met& key : heaviest.top()) {
      set_combination(keys, key.place, choice);
      load_.top.push_back({keys.text(choice), key.share});
    }
  }

  void draw(KeySpace& keys) {
    const KeyStreams streams = keys.streams_for(seed_, advice::item_writer());
    KeyChoice choice = choice_at_start(keys);
    std::vector<Met> met;
    met.reserve(kDraws);
    const double each = 1.0 / static_cast<double>(kDraws);
    for (std::uint64_t item = 0; item < kDraws; ++item) {
      keys.choose(streams, item, choice);
      const HashPoint point = keys.point(choice);
      load_.partition_share[owner_of(layout_.ranges, point)] += each;
      met.push_back({hash_of(point), item, each});
    }
    load_.basis = KeyLoad::Basis::drawn;
    load_.looked_at = kDraws;
    const Heaviest heaviest = gather(std::move(met));
    for (const Met& key : heaviest.top()) {
      keys.choose(streams, key.place, choice);
      load_.top.push_back({keys.text(choice), key.share});
    }
  }

  /// Adds up what is one key, and counts the keys.
  Heaviest gather(std::vector<Met> met) {
    std::sort(met.begin(), met.end(), [](const Met& a, const Met& b) {
      return a.hash != b.hash ? a.hash < b.hash : a.place < b.place;
    });
    Heaviest heaviest;
    for (std::size_t i = 0; i < met.size();) {
      Met key = met[i];
      for (++i; i < met.size() && met[i].hash == key.hash; ++i) {
        key.share += met[i].share;
      }
      ++load_.distinct;
      heaviest.add(key);
    }
    return heaviest;
  }

  /// What draws cannot tell of many values: how many there are, and how heavy the heaviest is.
  void estimate(KeySpace& keys, bool finite) {
    load_.is_estimate = true;
    if (!finite) {
      // hashes of such fields were replaced, so they stand in the key as they are
      load_.never_repeats = true;
      load_.top.clear();
      return;
    }
    const auto is_hashed = [](const KeyPart& part) {
      return std::holds_alternative<HashedSuffix>(part);
    };
    const bool hashes =
        std::any_of(container_.partition_key.begin(), container_.partition_key.end(),
                    [&](const KeyTemplate& level) {
                      return std::any_of(level.parts.begin(), level.parts.end(), is_hashed);
                    });
    if (hashes) {
      return;
    }
    double combinations = 1;
    double share = 1;
    KeyChoice choice = choice_at_start(keys);
    for (std::size_t i = 0; i < keys.axes().size(); ++i) {
      const KeyAxis& axis = keys.axes()[i];
      combinations *= static_cast<double>(axis.choice.count());
      const auto [index, most] = heaviest_value(axis);
      choice.index[i] = index;
      share *= most;
    }
    load_.distinct = combinations < 1e18 ? static_cast<std::uint64_t>(combinations) : UINT64_MAX;
    load_.top = {{keys.text(choice), share}};
  }

  /// Index and probability of an axis' most probable value.
  [[nodiscard]] std::pair<std::uint64_t, double> heaviest_value(const KeyAxis& axis) const {
    const auto count = static_cast<double>(axis.choice.count());
    const ChoiceLaw* law = nullptr;
    if (axis.kind != KeyAxis::Kind::random) {
      const auto& kind = container_.fields[axis.field].kind;
      const auto* choose = std::get_if<ChooseField>(&kind);
      law = choose != nullptr ? &choose->law : &std::get<ValuesField>(kind).law;
    }
    if (law == nullptr || std::holds_alternative<UniformChoice>(*law)) {
      return {0, 1.0 / count};
    }
    if (const auto* zipf = std::get_if<ZipfChoice>(law)) {
      return {0,
              Zipf::share(0, axis.choice.count(), static_cast<double>(zipf->exponent_micro) / 1e6)};
    }
    if (const auto* weighted = std::get_if<WeightedChoice>(law)) {
      const auto most = std::max_element(weighted->weights.begin(), weighted->weights.end());
      const auto sum = std::accumulate(weighted->weights.begin(), weighted->weights.end(), 0.0);
      return {static_cast<std::uint64_t>(most - weighted->weights.begin()),
              static_cast<double>(*most) / sum};
    }
    const auto& hot = std::get<HotSetChoice>(*law);
    const std::uint64_t values = axis.choice.count();
    const std::uint64_t few = std::max<std::uint64_t>(
        1, values * static_cast<std::uint64_t>(hot.of_ppm) / std::uint64_t{kMillion});
    if (few >= values) {
      return {0, 1.0 / count};
    }
    const double share = static_cast<double>(hot.share_ppm) / 1e6;
    const double of_few = share / static_cast<double>(few);
    const double of_others = (1.0 - share) / static_cast<double>(values - few);
    return of_few >= of_others ? std::pair{std::uint64_t{0}, of_few} : std::pair{few, of_others};
  }

  ContainerSpec container_;
  Layout layout_;
  std::uint64_t seed_;
  std::int64_t unix_s_;
  KeyLoad load_;
};

}  // namespace

double KeyLoad::imbalance() const noexcept {
  double most = 0;
  double sum = 0;
  for (const double share : partition_share) {
    most = std::max(most, share);
    sum += share;
  }
  return sum > 0 ? most * static_cast<double>(partition_share.size()) / sum : 1.0;
}

KeyLoad key_load(const Scenario& scenario, std::uint32_t container, std::int64_t unix_s) {
  return LoadOfKey(scenario, container, unix_s).load();
}

}  // namespace partsim
