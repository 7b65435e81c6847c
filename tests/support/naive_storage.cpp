// What is stored where: section 11 of docs/MODEL.md, section 5 of docs/WORKLOAD.md.
#include <algorithm>

#include "support/naive_parts.hpp"

namespace partsim::naive {
namespace {

/// One thing that varies from key to key: a field, or a random part.
struct Axis {
  Number count = 1;
  ChoiceLaw law{};
};

double probability(const Axis& axis, Number rank) {
  if (const auto* zipf = std::get_if<ZipfChoice>(&axis.law)) {
    return Zipf::share(rank, axis.count, double(zipf->exponent_micro) / 1e6);
  }
  if (const auto* weighted = std::get_if<WeightedChoice>(&axis.law)) {
    Number all = 0;
    for (const Number weight : weighted->weights) {
      all += weight;
    }
    return double(weighted->weights.at(rank)) / double(all);
  }
  const auto* set = std::get_if<HotSetChoice>(&axis.law);
  const Number hot =
      set ? std::max<Number>(1, axis.count * Number(set->of_ppm) / kMillion) : axis.count;
  if (hot == axis.count) {
    return 1.0 / double(axis.count);
  }
  const double share = double(set->share_ppm) / 1e6;
  return rank < hot ? share / double(hot) : (1.0 - share) / double(axis.count - hot);
}

}  // namespace

Bytes Model::stored_size(const Operation& op) const {
  return op.size * (kMillion + rules.index_storage_overhead_ppm) / kMillion;
}

void Model::load(std::size_t pool, const ContainerSpec& container) {
  const Bytes all = container.initial_storage_bytes;
  std::map<std::string, std::size_t> axis_of;  // by field, or by level and part
  std::vector<Axis> axes;
  std::vector<Number> ranks;
  bool countable = true;
  Number combinations = 1;
  const auto rank = [&](const std::string& name, Number count, const ChoiceLaw& law) {
    if (axis_of.try_emplace(name, axes.size()).second) {
      axes.push_back({count, law});
      ranks.push_back(0);
      combinations = std::min<Number>(combinations * count, (1U << 20U) + 1);
    }
    return ranks[axis_of[name]];
  };
  const std::function<Number(const FieldSpec&)> index = [&](const FieldSpec& field) -> Number {
    if (const auto* values = std::get_if<ValuesField>(&field.kind)) {
      return rank(field.name, values->values.size(), values->law);
    }
    const auto& chosen = std::get<ChooseField>(field.kind);
    const Number parent = chosen.of.empty() ? 0 : index(field_of(container, chosen.of));
    return parent * chosen.count + rank(field.name, chosen.count, chosen.law);
  };
  const KeySource ranked{
      [&](const std::string& name) -> KeyComponent {
        const FieldSpec& field = field_of(container, name);
        countable = countable && (std::holds_alternative<ValuesField>(field.kind) ||
                                  std::holds_alternative<ChooseField>(field.kind));
        return countable ? value_at(field, index(field)) : Null{};
      },
      [&](std::size_t l, std::size_t p, const RandomSuffix& random) {
        return rank(std::to_string(l) + "/" + std::to_string(p), random.count, UniformChoice{});
      }};
  const std::size_t levels = container.partition_key.size();
  std::vector<KeyComponent> key = key_of(key_parts(container, ranked), levels);
  Bytes left = all;
  const auto put = [&](Bytes bytes) {
    LogicalPartition& at = keys[{&container, identity(key)}];
    at.point = hash_point(container.hash, key);
    at.bytes += bytes;
    left -= bytes;
    for (const std::uint32_t id : alive(pool)) {
      partitions[id].storage_bytes += partitions[id].range.contains(at.point) ? bytes : 0;
    }
  };
  if (all > 0 && countable && combinations <= 1U << 20U) {
    for (Number i = 0; i < combinations; ++i) {
      double share = 1.0;
      Number digits = i;
      for (std::size_t a = 0; a < axes.size(); ++a) {
        ranks[a] = digits % axes[a].count;
        digits /= axes[a].count;
        share *= probability(axes[a], ranks[a]);
      }
      key = key_of(key_parts(container, ranked), levels);
      put(Bytes(double(all) * share));
    }
    std::fill(ranks.begin(), ranks.end(), 0);
    key = key_of(key_parts(container, ranked), levels);
    put(left);
  } else {
    for (const std::uint32_t id : by_range(pool)) {
      const auto part = Bytes(Wide(all) * partitions[id].width_q32 / (Wide{1} << 32U));
      const Bytes bytes = id == by_range(pool).back() ? left : part;
      partitions[id].old_bytes += bytes;
      partitions[id].storage_bytes += bytes;
      left -= bytes;
    }
  }
}

/// An admitted operation adds its items to the partition that has its key, or takes one off.
void Model::store(const Operation& op) {
  if (op.adds == 0 && op.removes == 0) {
    return;
  }
  LogicalPartition& key = keys[{op.container, op.key}];
  const Bytes change = std::max((op.adds - op.removes) * stored_size(op), -key.bytes);
  Partition& partition = partitions[owner(op.home, op.point)];
  key.point = op.point;
  key.bytes += change;  // a delete takes at most what its key holds
  partition.storage_bytes += change;
}

bool Model::is_full(const Operation& op, const Partition& partition) const {
  const Bytes size = op.adds * stored_size(op);
  const Bytes most = rules.logical_partition_max_storage_bytes;
  const auto found = keys.find({op.container, op.key});
  const Bytes used = found == keys.end() ? 0 : found->second.bytes;
  return (most > 0 && used + size > most) ||
         (op.container->fixed &&
          partition.storage_bytes + size > rules.partition_max_storage_bytes);
}

/// How much of a partition's old data lies below a point of its range.
Bytes Model::old_below(const Partition& partition, const HashPoint& point) const {
  const HashRange below{partition.range.min, point, false};
  const Wide width = range_width_q32(pools[partition.pool].containers.front()->hash, below);
  return Bytes(partition.old_bytes * width / std::max<std::int64_t>(1, partition.width_q32));
}

/// Where a partition would be cut; nothing if it cannot be.
std::optional<HashPoint> Model::cut(const Partition& partition, SplitCut cut_by) const {
  const Pool& pool = pools[partition.pool];
  const ContainerSpec& first = *pool.containers.front();
  const HashRange& range = partition.range;
  const HashPoint middle = midpoint(first.hash, range, unsigned(first.partition_key.size()));
  if (is_fixed(partition.pool) || cut_by == SplitCut::midpoint) {
    const bool can_be = !is_fixed(partition.pool) && middle > range.min;
    return can_be ? std::optional(middle) : std::nullopt;
  }
  std::map<HashPoint, Bytes> candidates = {{middle, 0}};
  for (const auto& [name, key] : keys) {
    if (key.bytes > 0 && range.contains(key.point) &&
        std::count(pool.containers.begin(), pool.containers.end(), name.first) > 0) {
      candidates[key.point] += key.bytes;
    }
  }
  std::optional<HashPoint> best;
  Bytes least = 0;
  Bytes keys_below = 0;
  for (const auto& [candidate, bytes] : candidates) {
    const Bytes below = keys_below + old_below(partition, candidate);
    const Bytes off = std::abs(2 * below - partition.storage_bytes);
    if (candidate > range.min && below > 0 && below < partition.storage_bytes &&
        (!best || off < least)) {
      best = candidate;
      least = off;
    }
    keys_below += bytes;
  }
  return best;
}

void Model::check_storage(std::size_t pool) {
  Wide bytes = 0;
  for (const std::uint32_t id : alive(pool)) {
    Partition& partition = partitions[id];
    bytes += partition.storage_bytes;
    if (partition.storage_bytes <= rules.split_storage_threshold_bytes || is_changing(id) ||
        is_fixed(pool)) {
      continue;
    }
    const Nanoseconds end = up(now + rules.split_duration_ns);
    if (!begin_split(id, {Change::Why::storage, pool, {id}, {}, end}, rules.split_cut_storage) &&
        !partition.single_key_full) {
      partition.single_key_full = true;
      refuse(LayoutCause::storage, pool, "a single key fills the partition");
    }
  }
  const MilliRu per_gb = rules.min_mru_per_gb_autoscale;
  const Wide most = per_gb == 0 ? bytes : Wide(sum(pools[pool].total)) * kGigabyte / per_gb;
  if (pools[pool].bought.mode == CapacityMode::autoscale && bytes > most && !pools[pool].scaling &&
      in_progress(pool, {Change::Why::redistribution}) == 0) {
    MilliRu total = sum(pools[pool].total);
    const MilliRu step = rules.mru_step_autoscale;
    for (total = total / step * step; Wide(total) * kGigabyte / per_gb < bytes;) {
      total += step;
    }
    set_throughput(pool, total, LayoutCause::storage);
  }
}

}  // namespace partsim::naive
