// How many suffixes a key needs: what more of them give to writes and take from readers.
#include <algorithm>
#include <utility>

#include "partsim/keys/key_template.hpp"
#include "partsim/scenario/charges.hpp"

#include "advise_parts.hpp"

namespace partsim {
namespace {

const std::string kSuffixField = "suffix number";  // no field of a file is called so
constexpr double kWeightScale = 1e9;

/// How often each value of a field is met, by the number its hash would be cut to a suffix.
struct HashedValues {
  std::vector<std::uint64_t> hash;
  std::vector<double> share;
};

HashedValues hashed_values(const Scenario& scenario, const ContainerSpec& container,
                           const std::string& field) {
  ContainerSpec alone = container;
  alone.partition_key = {{"{" + field + "}", {FieldValue{field}}}};
  alone.hash = HashVersion::v2;
  KeySpace keys(alone, scenario.start_unix_s);
  const HashedSuffix whole{field, 0, UINT64_MAX};
  KeyChoice choice;
  choice.unix_second = scenario.start_unix_s;
  choice.index.resize(keys.axes().size());
  double combinations = 1;
  for (const KeyAxis& axis : keys.axes()) {
    combinations *= axis.is_finite() ? static_cast<double>(axis.choice.count()) : 1e18;
  }
  HashedValues values;
  if (combinations <= static_cast<double>(advice::kMaxCombinations)) {
    std::vector<std::vector<double>> probability;
    for (const KeyAxis& axis : keys.axes()) {
      probability.push_back(advice::value_shares(alone, axis));
    }
    for (std::uint64_t number = 0; number < static_cast<std::uint64_t>(combinations); ++number) {
      std::uint64_t rest = number;
      double share = 1;
      for (std::size_t i = 0; i < probability.size(); ++i) {
        choice.index[i] = rest % probability[i].size();
        rest /= probability[i].size();
        share *= probability[i][choice.index[i]];
      }
      values.hash.push_back(hashed_suffix(whole, keys.text(choice)));
      values.share.push_back(share);
    }
    return values;
  }
  const KeyStreams streams = keys.streams_for(scenario.seed, advice::item_writer());
  for (std::uint64_t item = 0; item < advice::kDraws; ++item) {
    keys.choose(streams, item, choice);
    values.hash.push_back(hashed_suffix(whole, keys.text(choice)));
    values.share.push_back(1.0 / static_cast<double>(advice::kDraws));
  }
  return values;
}

/// The container with its suffix drawn by the weights that the field gives to each.
struct SuffixParts {
  std::size_t place = 0;  // of the suffix among the parts
  std::uint64_t first = 0;
  std::string field;  // hashed; empty: random
};

/// Only what the key reads: tables are made many times over.
void keep_used_fields(ContainerSpec& container, const KeyTemplate& key) {
  std::vector<std::string> used;
  for (const KeyPart& part : key.parts) {
    if (const std::string* name = advice::field_of(part)) {
      used.push_back(*name);
      const FieldSpec* field = advice::find_field(container, *name);
      const auto* choose = field == nullptr ? nullptr : std::get_if<ChooseField>(&field->kind);
      used.push_back(choose == nullptr ? "" : choose->of);
    }
  }
  std::erase_if(container.fields, [&used](const FieldSpec& field) {
    return std::find(used.begin(), used.end(), field.name) == used.end();
  });
}

ContainerSpec with_suffixes(const ContainerSpec& container, const KeyTemplate& key,
                            const SuffixParts& suffix, const std::vector<double>& weight) {
  ContainerSpec changed = container;
  ValuesField numbers;
  WeightedChoice law;
  for (std::size_t i = 0; i < weight.size(); ++i) {
    numbers.values.emplace_back(std::to_string(suffix.first + i));
    const double scaled = weight[i] * kWeightScale + 0.5;
    law.weights.push_back(static_cast<std::uint64_t>(scaled));
  }
  numbers.law = std::move(law);
  changed.fields.push_back({kSuffixField, std::move(numbers)});
  KeyTemplate drawn = key;
  drawn.parts[suffix.place] = FieldValue{kSuffixField};
  changed.partition_key = {std::move(drawn)};
  changed.hash = container.hash == HashVersion::multihash ? HashVersion::v2 : container.hash;
  return changed;
}

/// Partitions that own a key of one prefix.
double owners_of_prefix(const Scenario& scenario, std::uint32_t index) {
  const Layout layout = advice::layout_of(scenario, index);
  KeySpace keys(scenario.containers[index], scenario.start_unix_s);
  KeyChoice choice;
  Nanoseconds until_ns = 0;
  choice.unix_second = keys.clock_second(0, &until_ns);
  choice.index.assign(keys.axes().size(), 0);
  std::vector<bool> owns(layout.ranges.size());
  for (std::size_t axis = 0; axis < keys.axes().size(); ++axis) {
    if (keys.axes()[axis].purpose != "field/" + kSuffixField) {
      continue;
    }
    for (std::uint64_t i = 0; i < keys.axes()[axis].choice.count(); ++i) {
      choice.index[axis] = i;
      owns[owner_of(layout.ranges, keys.point(choice))] = true;
    }
  }
  return static_cast<double>(std::count(owns.begin(), owns.end(), true));
}

std::optional<SuffixParts> suffix_of(const KeyTemplate& key) {
  std::optional<SuffixParts> found;
  for (std::size_t i = 0; i < key.parts.size(); ++i) {
    const auto* random = std::get_if<RandomSuffix>(&key.parts[i]);
    const auto* hashed = std::get_if<HashedSuffix>(&key.parts[i]);
    if (random == nullptr && hashed == nullptr) {
      continue;
    }
    if (found) {
      return std::nullopt;  // two of them: one count says nothing
    }
    found = SuffixParts{i, random != nullptr ? random->first : hashed->first,
                        hashed != nullptr ? hashed->field : ""};
  }
  if (found && !found->field.empty()) {
    for (const KeyPart& part : key.parts) {
      const auto* value = std::get_if<FieldValue>(&part);
      if (value != nullptr && value->field == found->field) {
        return std::nullopt;  // the field is in the key already
      }
    }
  }
  return found;
}

std::string table_text(const KeyTemplate& key, const SuffixParts& suffix) {
  std::string text;
  for (std::size_t i = 0; i < key.parts.size(); ++i) {
    const std::string first = std::to_string(suffix.first);
    if (i == suffix.place) {
      text += suffix.field.empty() ? "{random " + first + "..S}"
                                   : "{hash " + suffix.field + " " + first + "..S}";
    } else if (const auto* literal = std::get_if<LiteralText>(&key.parts[i])) {
      text += literal->text;
    } else {
      text += "{" + std::get<FieldValue>(key.parts[i]).field + "}";
    }
  }
  return text;
}

class SuffixCounts {
 public:
  SuffixCounts(const SuffixCounts&) = delete;
  SuffixCounts& operator=(const SuffixCounts&) = delete;
  SuffixCounts(Scenario scenario, std::uint32_t index, const KeyTemplate& key, SuffixParts suffix)
      : scenario_(std::move(scenario)),
        container_(scenario_.containers[index]),
        index_(index),
        key_(key),
        suffix_(std::move(suffix)) {
    keep_used_fields(scenario_.containers[index], key);
    const FieldSpec* field =
        suffix_.field.empty() ? nullptr : advice::find_field(container_, suffix_.field);
    if (field != nullptr && advice::distinct_values(container_, *field) != UINT64_MAX) {
      values_ = hashed_values(scenario_, container_, suffix_.field);
    }
  }

  /// The clock's texts from the start on, one a day or a period.
  SuffixRow row(std::uint64_t count, std::uint64_t days, std::int64_t step_s) {
    Scenario changed = scenario_;
    changed.containers[index_] = with_suffixes(container_, key_, suffix_, weights(count));
    std::vector<double> usable;
    for (std::uint64_t day = 0; day < days; ++day) {
      const std::int64_t at = scenario_.start_unix_s + static_cast<std::int64_t>(day) * step_s;
      usable.push_back(key_load(changed, index_, at).usable());
    }
    std::sort(usable.begin(), usable.end());
    SuffixRow row;
    row.count = count;
    row.worst_usable = usable.front();
    const std::size_t middle = usable.size() / 2;
    row.usable =
        usable.size() % 2 == 1 ? usable[middle] : (usable[middle - 1] + usable[middle]) / 2;
    row.prefix_partitions = owners_of_prefix(changed, index_);
    const Charges charges(container_, scenario_.parameters);
    const auto ru = [](MilliRu charge) { return static_cast<double>(charge) / kMilliPerRu; };
    row.prefix_ru = row.prefix_partitions * ru(charges.query(0, 0));
    const bool random = suffix_.field.empty();
    row.item_partitions = random ? row.prefix_partitions : 1;
    row.item_ru =
        random ? ru(charges.query(1, 1)) + (row.prefix_partitions - 1) * ru(charges.query(0, 0))
               : ru(charges.point_read());
    return row;
  }

 private:
  [[nodiscard]] std::vector<double> weights(std::uint64_t count) const {
    std::vector<double> weight(count, values_ ? 0.0 : 1.0 / static_cast<double>(count));
    if (values_) {
      for (std::size_t i = 0; i < values_->hash.size(); ++i) {
        weight[values_->hash[i] % count] += values_->share[i];
      }
    }
    return weight;
  }

  Scenario scenario_;
  const ContainerSpec& container_;
  std::uint32_t index_;
  const KeyTemplate& key_;
  SuffixParts suffix_;
  std::optional<HashedValues> values_;  // none: all suffixes are as likely
};

}  // namespace

std::optional<SuffixTable> suffix_table(const Scenario& scenario, std::uint32_t container,
                                        const KeyTemplate& key,
                                        const std::vector<std::uint64_t>& counts,
                                        std::uint64_t days) {
  const std::optional<SuffixParts> suffix = suffix_of(key);
  if (!suffix || counts.empty()) {
    return std::nullopt;
  }
  Scenario keyed = advice::with_key(scenario, container, {key});
  const std::int64_t period = advice::clock_period_s(keyed.containers[container]);
  SuffixTable table;
  table.key = table_text(key, *suffix);
  table.days = period > 0 ? std::max<std::uint64_t>(1, days) : 1;
  SuffixCounts rows(std::move(keyed), container, key, *suffix);
  double best = 0;
  for (const std::uint64_t count : counts) {
    table.rows.push_back(rows.row(count, table.days, period));
    best = std::max(best, table.rows.back().usable);
  }
  const auto enough =
      std::find_if(table.rows.begin(), table.rows.end(),
                   [best](const SuffixRow& row) { return row.usable >= kSuffixEnough * best; });
  table.recommended = static_cast<std::size_t>(enough - table.rows.begin());
  return table;
}

}  // namespace partsim
