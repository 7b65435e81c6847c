// Candidate keys from the fields of a container.
#include <algorithm>
#include <utility>

#include "advise_parts.hpp"

namespace partsim {
namespace {

constexpr std::size_t kMaxCandidates = 24;
/// Fewer values than this for each partition are few: they want a suffix.
constexpr std::uint64_t kFewForEach = 50;
/// Fields whose hash may make a suffix, and that have suffixes made.
constexpr std::size_t kMaxHashed = 2;
constexpr std::uint64_t kDays = 7;

KeyTemplate value_of(const std::string& field) {
  return {"{" + field + "}", {FieldValue{field}}};
}

KeyTemplate joined(const std::string& a, const std::string& b) {
  return {"{" + a + "}/{" + b + "}", {FieldValue{a}, LiteralText{"/"}, FieldValue{b}}};
}

KeyTemplate with_random(const std::string& a, std::uint64_t count) {
  return {"{" + a + "}.{random 1.." + std::to_string(count) + "}",
          {FieldValue{a}, LiteralText{"."}, RandomSuffix{1, count}}};
}

KeyTemplate with_hash(const std::string& a, const std::string& b, std::uint64_t count) {
  return {"{" + a + "}.{hash " + b + " 1.." + std::to_string(count) + "}",
          {FieldValue{a}, LiteralText{"."}, HashedSuffix{b, 1, count}}};
}

struct Known {
  std::string name;
  bool is_clock = false;
  std::uint64_t values = 0;  // UINT64_MAX: never the same twice
};

class Making {
 public:
  Making(const Scenario& scenario, std::uint32_t index)
      : scenario_(scenario),
        index_(index),
        container_(scenario.containers[index]),
        partitions_(initial_partition_count(scenario, advice::pool_of(scenario, index))) {
    for (const FieldSpec& field : container_.fields) {
      const auto* clock = std::get_if<TimeField>(&field.kind);
      if (!std::holds_alternative<ColumnField>(field.kind)) {
        const std::uint64_t values = advice::distinct_values(container_, field);
        (clock != nullptr ? clocks_ : fields_).push_back({field.name, clock != nullptr, values});
      }
    }
    // those of most values make the best hashes
    by_values_ = fields_;
    std::stable_sort(by_values_.begin(), by_values_.end(),
                     [](const Known& a, const Known& b) { return a.values > b.values; });
  }

  std::vector<KeyLevels> make(const std::vector<KeyLevels>& also) {
    add(container_.partition_key);
    for (const KeyLevels& key : also) {
      if (has_fields(key)) {
        add(key);
      }
    }
    for (const std::vector<Known>* list : {&clocks_, &fields_}) {
      for (const Known& field : *list) {
        add({value_of(field.name)});
      }
    }
    for (const Known& clock : clocks_) {
      for (const Known& field : fields_) {
        add({joined(clock.name, field.name)});
      }
    }
    add_suffixes();
    add_pairs();
    return std::move(made_);
  }

 private:
  void add(KeyLevels key) {
    const std::string text = key_text(key);
    const bool is_there = std::any_of(made_.begin(), made_.end(), [&text](const KeyLevels& each) {
      return key_text(each) == text;
    });
    if (!key.empty() && !is_there && made_.size() < kMaxCandidates) {
      made_.push_back(std::move(key));
    }
  }

  [[nodiscard]] bool has_fields(const KeyLevels& key) const {
    return std::all_of(key.begin(), key.end(), [this](const KeyTemplate& level) {
      return std::all_of(level.parts.begin(), level.parts.end(), [this](const KeyPart& part) {
        const std::string* name = advice::field_of(part);
        return name == nullptr || advice::find_field(container_, *name) != nullptr;
      });
    });
  }

  /// Suffixes for what has few values, as many as the table recommends.
  void add_suffixes() {
    std::vector<Known> few = clocks_;
    std::copy_if(fields_.begin(), fields_.end(), std::back_inserter(few),
                 [this](const Known& each) { return each.values < kFewForEach * partitions_; });
    for (const Known& field : few) {
      const auto table = suffix_table(scenario_, index_, with_random(field.name, 1),
                                      {10, 20, 50, 100, 200, 400, 1000, 5000}, kDays);
      if (!table) {
        continue;
      }
      const std::uint64_t count = table->rows[table->recommended].count;
      std::size_t hashed = 0;
      for (const Known& other : by_values_) {
        if (other.name != field.name && other.values > field.values && hashed < kMaxHashed) {
          add({with_hash(field.name, other.name, std::min(count, other.values))});
          ++hashed;
        }
      }
      add({with_random(field.name, count)});
    }
  }

  /// The field of fewer values first: it is the one that others belong to.
  void add_pairs() {
    const bool hierarchical =
        scenario_.provider == Provider::cosmos && container_.hash != HashVersion::v1;
    for (std::size_t i = by_values_.size(); i-- > 1;) {
      for (std::size_t j = i; j-- > 0;) {
        const std::string& outer = by_values_[i].name;
        const std::string& inner = by_values_[j].name;
        add({joined(outer, inner)});
        if (hierarchical) {
          add({value_of(outer), value_of(inner)});
        }
      }
    }
    for (const Known& clock : clocks_) {
      for (const Known& field : fields_) {
        if (hierarchical) {
          add({value_of(field.name), value_of(clock.name)});
        }
      }
    }
  }

  const Scenario& scenario_;
  std::uint32_t index_;
  const ContainerSpec& container_;
  std::uint64_t partitions_;
  std::vector<Known> clocks_;
  std::vector<Known> fields_;
  std::vector<Known> by_values_;
  std::vector<KeyLevels> made_;
};

}  // namespace

std::string key_text(const KeyLevels& levels) {
  if (levels.size() == 1) {
    return levels.front().text;
  }
  std::string text = "[";
  for (const KeyTemplate& level : levels) {
    text += (text.size() > 1 ? ", \"" : "\"") + level.text + "\"";
  }
  return text + "]";
}

std::vector<KeyLevels> key_candidates(const Scenario& scenario, std::uint32_t container,
                                      const std::vector<KeyLevels>& also) {
  return Making(scenario, container).make(also);
}

}  // namespace partsim
