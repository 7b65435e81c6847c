#include <algorithm>
#include <cmath>
#include <utility>

#include "partsim/core/distribution.hpp"

#include "bind_values.hpp"
#include "fragment.hpp"

namespace partsim::bind {
namespace {

ChoiceLaw bind_law(const TreeNode& field) {
  if (const TreeNode* zipf = field.find("zipf")) {
    const std::uint64_t exponent = amount(*zipf, ValueKind::decimal);
    if (exponent == 0) {
      return UniformChoice{};
    }
    return ZipfChoice{static_cast<std::int64_t>(exponent)};
  }
  if (const TreeNode* hot = field.find("hot")) {
    return HotSetChoice{signed_amount(*hot, "share", ValueKind::percent),
                        signed_amount(*hot, "of", ValueKind::percent)};
  }
  if (const TreeNode* weights = field.find("weights")) {
    WeightedChoice weighted;
    for (const TreeNode& weight : weights->items) {
      weighted.weights.push_back(amount(weight, ValueKind::integer));
    }
    return weighted;
  }
  return UniformChoice{};
}

/// `as`, for both kinds of field that number their values.
template <class Numbered>
void bind_format(const TreeNode& node, Numbered& field) {
  if (const TreeNode* as = node.find("as")) {
    const auto format = parse_number_format(as->text);
    PARTSIM_ASSERT(format.has_value(), "the walk checked the format");
    field.is_text = true;
    field.prefix = format->prefix;
    field.suffix = format->suffix;
    field.width = format->width;
  }
}

FieldSpec bind_field(const std::string& name, const TreeNode& node, const DataFiles& files) {
  FieldSpec field{name, UniqueField{}};
  if (const TreeNode* time = node.find("time")) {
    const auto format = TimeFormat::parse(time->text);
    PARTSIM_ASSERT(format.has_value(), "the walk checked the format");
    field.kind = TimeField{*format};
  } else if (const TreeNode* count = node.find("choose")) {
    ChooseField choose;
    choose.count = amount(*count, ValueKind::integer);
    choose.law = bind_law(node);
    bind_format(node, choose);
    if (const TreeNode* parent = node.find("of")) {
      choose.of = parent->text;
    }
    field.kind = std::move(choose);
  } else if (const TreeNode* list = node.find("values")) {
    ValuesField values;
    for (const TreeNode& item : list->items) {
      const auto component = parse_component(item);
      PARTSIM_ASSERT(component.has_value(), "the walk checked the values");
      values.values.push_back(*component);
    }
    values.law = bind_law(node);
    field.kind = std::move(values);
  } else if (const TreeNode* file = node.find("values_file")) {
    field.kind = ValuesField{files.values(file->text), bind_law(node)};
  } else if (node.find("sequence") != nullptr) {
    SequenceField sequence;
    bind_format(node, sequence);
    field.kind = std::move(sequence);
  } else if (const TreeNode* column = node.find("column")) {
    field.kind = ColumnField{column->text};
  }
  return field;
}

std::vector<KeyTemplate> bind_key(const TreeNode& node) {
  std::vector<KeyTemplate> levels;
  const auto add = [&levels](const TreeNode& level) {
    auto parsed = parse_key_template(level.text);
    PARTSIM_ASSERT(std::holds_alternative<KeyTemplate>(parsed), "the walk checked the template");
    levels.push_back(std::get<KeyTemplate>(std::move(parsed)));
  };
  if (node.is_list()) {
    std::for_each(node.items.begin(), node.items.end(), add);
  } else {
    add(node);
  }
  return levels;
}

void bind_size(const TreeNode& node, ContainerSpec& container) {
  if (node.is_scalar()) {
    container.item_size_bytes = static_cast<Bytes>(amount(node, ValueKind::size));
    return;
  }
  SizeLaw law;
  if (node.find("min") != nullptr) {
    law.low = signed_amount(node, "min", ValueKind::size);
    law.high = signed_amount(node, "max", ValueKind::size);
    container.item_size_bytes = law.low + (law.high - law.low) / 2;
  } else {
    law.law = SizeLaw::Law::log_normal;
    law.low = signed_amount(node, "p50", ValueKind::size);
    law.high = signed_amount(node, "p99", ValueKind::size);
    // A median above the percentile is for the check to tell.
    const LogNormal sizes(static_cast<double>(law.low),
                          static_cast<double>(std::max(law.low, law.high)));
    container.item_size_bytes = std::llround(sizes.mean());
  }
  container.item_size_law = law;
}

std::optional<ServiceTimeSpec> bind_service(const TreeNode* node) {
  if (node == nullptr) {
    return std::nullopt;
  }
  const TreeNode* fixed = node->find("fixed");
  const TreeNode& mean = fixed != nullptr ? *fixed : member(*node, "exponential");
  ServiceTimeSpec service;
  service.law = fixed != nullptr ? ServiceTimeSpec::Law::fixed : ServiceTimeSpec::Law::exponential;
  service.mean = parse_service_duration(mean.text).value.value_or(ServiceDuration{});
  return service;
}

std::optional<WorkersSpec> bind_workers(const TreeNode* node) {
  if (node == nullptr) {
    return std::nullopt;
  }
  WorkersSpec spec;
  spec.count = small_amount(member(*node, "count"));
  if (const TreeNode* limit = node->find("queue_limit")) {
    spec.queue_limit = small_amount(*limit);
  }
  return spec;
}

}  // namespace

CapacityUnits bind_units(const TreeNode& node) {
  return {signed_amount(node, "read", ValueKind::integer) * kMilliPerRu,
          signed_amount(node, "write", ValueKind::integer) * kMilliPerRu};
}

ThroughputSpec bind_throughput(const TreeNode& node) {
  ThroughputSpec spec;
  const auto is_written = [&node](std::string_view key) { return node.find(key) != nullptr; };
  if (is_written("throughput")) {
    spec.mru_per_s = signed_amount(node, "throughput", ValueKind::throughput);
  } else if (is_written("autoscale")) {
    spec.mode = CapacityMode::autoscale;
    spec.mru_per_s = signed_amount(node, "autoscale", ValueKind::throughput);
  } else if (is_written("serverless")) {
    spec.mode = CapacityMode::serverless;
  } else if (const TreeNode* units = node.find("capacity_units")) {
    spec.units = bind_units(*units);
    spec.mru_per_s = spec.units->read_per_s + spec.units->write_per_s;
  }
  if (const TreeNode* partitions = node.find("partitions")) {
    spec.partitions = small_amount(*partitions);
  }
  return spec;
}

ContainerSpec bind_container(const TreeNode& node, const DataFiles& files) {
  ContainerSpec container;
  container.throughput = bind_throughput(node);
  const TreeNode* fixed = node.find("fixed");
  container.fixed = fixed != nullptr && fixed->text == "true";
  if (const TreeNode* key = node.find("partition_key")) {
    container.partition_key = bind_key(*key);
  }
  container.hash = word_of<HashVersion>(member(node, "hash"), hash_words());
  if (container.partition_key.size() > 1) {
    container.hash = HashVersion::multihash;
  }
  container.consistency = word_of<Consistency>(member(node, "consistency"), consistency_words());
  const TreeNode& items = member(node, "items");
  bind_size(member(items, "size"), container);
  container.indexed_terms = small_amount(member(items, "indexed_terms"));
  for (const Entry& entry : member(items, "fields").entries) {
    container.fields.push_back(bind_field(entry.key, entry.value, files));
  }
  sort_by_name(container.fields);
  container.initial_storage_bytes = signed_amount(node, "storage", ValueKind::size);
  if (const TreeNode* ttl = node.find("ttl")) {
    container.ttl_ns = static_cast<Nanoseconds>(amount(*ttl, ValueKind::duration));
  }
  if (const TreeNode* buckets = node.find("throughput_buckets")) {
    for (const Entry& entry : buckets->entries) {
      const auto number = static_cast<std::size_t>(parse_integer(entry.key).value.value_or(1));
      container.bucket_ppm.at(number - 1) =
          static_cast<std::int64_t>(amount(entry.value, ValueKind::percent));
    }
  }
  container.workers = bind_workers(node.find("workers"));
  container.service = bind_service(node.find("service"));
  return container;
}

}  // namespace partsim::bind
