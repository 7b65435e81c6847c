#include "partsim/workload/router.hpp"

#include <algorithm>

namespace partsim {
namespace {

std::uint64_t hash_of(const HashPoint& point) noexcept {
  std::uint64_t hash = point.levels;
  for (std::size_t level = 0; level < point.levels; ++level) {
    hash = mix64(hash ^ static_cast<std::uint64_t>(point.level[level])) ^
           static_cast<std::uint64_t>(point.level[level] >> 64);
  }
  return hash;
}

bool knows(const OperationSpec& operation, const std::string& field) {
  return std::binary_search(operation.given.begin(), operation.given.end(), field);
}

/// Whether the caller can compute this part of the key.
bool is_known(const OperationSpec& operation, const KeyPart& part) {
  if (const auto* value = std::get_if<FieldValue>(&part)) {
    return knows(operation, value->field);
  }
  if (const auto* hashed = std::get_if<HashedSuffix>(&part)) {
    return knows(operation, hashed->field);
  }
  return std::holds_alternative<LiteralText>(part);
}

}  // namespace

Router::Router(const ContainerSpec& container, const Layout& layout, std::int64_t start_unix_s)
    : container_(&container),
      keys_(container, start_unix_s),
      layout_(&layout),
      weight_(layout.ranges.size(), 0) {
  std::uint64_t combinations = 1;
  for (const KeyAxis& axis : keys_.axes()) {
    stride_.push_back(combinations);
    combinations = axis.is_finite() && combinations <= kMaxCells && axis.choice.count() <= kMaxCells
                       ? combinations * axis.choice.count()
                       : kMaxCells + 1;
  }
  if (combinations <= kMaxCells) {
    cells_.resize(combinations);
  }
}

const SizeChoice& Router::sizes(Bytes item_max_bytes) const {
  if (!sizes_) {
    sizes_.emplace(*container_, item_max_bytes);
  }
  return *sizes_;
}

Route Router::route_for(const OperationSpec& operation) const {
  Route route;
  switch (operation.kind) {
    case OperationKind::create:
    case OperationKind::upsert:
      route.kind = Route::Kind::point;
      return route;
    case OperationKind::batch:
    case OperationKind::script:
      search(operation, route);
      route.is_refused = route.kind != Route::Kind::one_key;
      route.kind = Route::Kind::point;
      return route;
    case OperationKind::query:
      search(operation, route);
      if (route.kind == Route::Kind::one_key && operation.keys > 1) {
        route.kind = Route::Kind::key_set;
        route.keys = operation.keys;
        route.within_ns = operation.within_ns;
      }
      break;
    case OperationKind::read_feed:
      search(operation, route);
      break;
    case OperationKind::read:
    case OperationKind::replace:
    case OperationKind::patch:
    case OperationKind::remove:
      search(operation, route);
      route.kind = route.kind == Route::Kind::one_key ? Route::Kind::point : route.kind;
      break;
  }
  if (keys_.takes_row_keys()) {
    route.known_axes = {0};
    return route;
  }
  const bool by_prefix = route.kind == Route::Kind::prefix;
  for (std::size_t level = 0; level < (by_prefix ? route.prefix_levels : keys_.levels()); ++level) {
    for (const std::size_t axis : keys_.axes_of_level(level)) {
      const bool random = keys_.axes()[axis].kind == KeyAxis::Kind::random;
      (random ? route.random_axes : route.known_axes).push_back(axis);
    }
  }
  return route;
}

void Router::search(const OperationSpec& operation, Route& route) const {
  bool only_random_unknown = true;
  std::uint64_t candidates = 1;
  std::size_t known_levels = 0;
  for (std::size_t level = 0; level < container_->partition_key.size(); ++level) {
    bool level_known = true;
    for (const KeyPart& part : container_->partition_key[level].parts) {
      if (is_known(operation, part)) {
        continue;
      }
      level_known = false;
      if (const auto* random = std::get_if<RandomSuffix>(&part)) {
        candidates = std::min(candidates * random->count, kMaxCandidates + 1);
      } else {
        only_random_unknown = false;
      }
    }
    known_levels += level_known && known_levels == level ? 1 : 0;
  }
  // a feed has one key, a prefix or everything; it cannot list keys
  const bool lists_keys = operation.kind != OperationKind::read_feed;
  if (known_levels == container_->partition_key.size()) {
    route.kind = Route::Kind::one_key;
  } else if (lists_keys && only_random_unknown && candidates <= kMaxCandidates) {
    route.kind = Route::Kind::candidates;
  } else if (known_levels > 0) {
    route.kind = Route::Kind::prefix;
    route.prefix_levels = known_levels;
  }
}

std::uint64_t Router::cell_index(const KeyChoice& choice) const noexcept {
  std::uint64_t index = 0;
  for (std::size_t i = 0; i < stride_.size(); ++i) {
    index += choice.index[i] * stride_[i];
  }
  return index;
}

/// Books what a cell has gathered under the key it stood for.
void Router::book(std::uint64_t index, Cell& cell) {
  if (cell.demand_mru > 0) {
    hot_.add(cell.key_hash, static_cast<std::uint64_t>(cell.demand_mru), {index, cell.unix_second});
    cell.demand_mru = 0;
  }
}

void Router::refill(Cell& cell, std::uint64_t index, const KeyChoice& choice) {
  book(index, cell);
  const HashPoint point = keys_.point(choice);
  cell.unix_second = choice.unix_second;
  cell.key_hash = hash_of(point);
  cell.owner = layout_->owner(point);
}

std::uint32_t Router::owner(const KeyChoice& choice, MilliRu demand, std::uint64_t request_id) {
  if (!cells_.empty()) {
    const std::uint64_t index = cell_index(choice);
    Cell& cell = cells_[index];
    if (cell.unix_second != choice.unix_second) {
      refill(cell, index, choice);
    }
    cell.demand_mru += demand;
    return cell.owner;
  }
  const HashPoint point = keys_.point(choice);
  if (demand > 0) {
    hot_.add(hash_of(point), static_cast<std::uint64_t>(demand), {request_id, choice.unix_second});
  }
  return layout_->owner(point);
}

void Router::relayout() {
  for (std::uint64_t index = 0; index < cells_.size(); ++index) {
    book(index, cells_[index]);
    cells_[index].unix_second = INT64_MIN;
  }
  cached_route_ = nullptr;
  weight_.assign(layout_->ranges.size(), 0);
}

Router::KeyRef Router::key_of(const KeyChoice& choice, std::uint64_t request_id) {
  if (cells_.empty()) {
    return {hash_of(keys_.point(choice)), {request_id, choice.unix_second}};
  }
  const std::uint64_t index = cell_index(choice);
  Cell& cell = cells_[index];
  if (cell.unix_second != choice.unix_second) {
    refill(cell, index, choice);
  }
  return {cell.key_hash, {index, choice.unix_second}};
}

KeyChoice Router::combination(std::uint64_t number) const {
  KeyChoice choice;
  Nanoseconds until_ns = 0;
  choice.unix_second = keys_.clock_second(0, &until_ns);
  for (std::size_t i = 0; i < stride_.size(); ++i) {
    choice.index.push_back(number / stride_[i] % keys_.axes()[i].choice.count());
  }
  return choice;
}

void Router::finish_visits() {
  for (std::size_t i = 0; i < weight_.size(); ++i) {
    if (weight_[i] > 0) {
      visits_.push_back({layout_->ids[i], weight_[i]});
      weight_[i] = 0;
    }
  }
}

/// Counts the owners of every value of the random parts, like an odometer over their axes.
void Router::candidate_visits(const Route& route, KeyChoice choice) {
  for (const std::size_t axis : route.random_axes) {
    choice.index[axis] = 0;
  }
  for (;;) {
    ++weight_[range_of(choice)];
    std::size_t digit = 0;
    for (; digit < route.random_axes.size(); ++digit) {
      const std::size_t axis = route.random_axes[digit];
      if (++choice.index[axis] < keys_.axes()[axis].choice.count()) {
        break;
      }
      choice.index[axis] = 0;
    }
    if (digit == route.random_axes.size()) {
      return;
    }
  }
}

std::uint32_t Router::home(const KeyStreams& streams, std::uint64_t operation,
                           Nanoseconds time_ns) {
  keys_.choose_at(streams, operation, time_ns, set_choice_);
  return owner(set_choice_, 0, 0);
}

std::size_t Router::range_of(const KeyChoice& choice) {
  return owner_of(layout_->ranges, keys_.point(choice));
}

std::span<const Visit> Router::key_set_visits(const Route& route, const KeyStreams& streams,
                                              std::uint64_t operation, Nanoseconds time_ns) {
  visits_.clear();
  cached_route_ = nullptr;
  set_choice_.index.resize(keys_.axes().size());
  Nanoseconds until_ns = 0;
  for (std::uint64_t key = 0; key < route.keys; ++key) {
    if (key == 0 || route.within_ns > 0) {
      set_choice_.unix_second = keys_.clock_second(
          streams.made_ns(operation + (key << kKeySetShift), time_ns, route.within_ns), &until_ns);
    }
    keys_.choose_of_set(streams, operation, key, set_choice_);
    ++weight_[range_of(set_choice_)];
  }
  finish_visits();
  return visits_;
}

std::span<const Visit> Router::visits(const Route& route, const KeyChoice& choice) {
  const auto same_known = [&](std::size_t axis) {
    return cached_choice_.index[axis] == choice.index[axis];
  };
  if (cached_route_ == &route && cached_choice_.unix_second == choice.unix_second &&
      std::all_of(route.known_axes.begin(), route.known_axes.end(), same_known)) {
    return visits_;
  }
  visits_.clear();
  switch (route.kind) {
    case Route::Kind::candidates:
      candidate_visits(route, choice);
      break;
    case Route::Kind::prefix: {
      const PrefixRange prefix{keys_.point(choice, route.prefix_levels)};
      for (std::size_t i = 0; i < weight_.size(); ++i) {
        weight_[i] = prefix.overlaps(layout_->ranges[i]) ? 1 : 0;
      }
      break;
    }
    case Route::Kind::point:
    case Route::Kind::one_key:
    case Route::Kind::key_set:
      ++weight_[range_of(choice)];
      break;
    case Route::Kind::all:
      std::fill(weight_.begin(), weight_.end(), 1);
      break;
  }
  finish_visits();
  cached_route_ = &route;
  cached_choice_ = choice;
  return visits_;
}

KeyChoice Router::choice_of(const HeavyHitters::Witness& witness,
                            std::span<const KeyStreams> streams_of) const {
  KeyChoice choice;
  if (cells_.empty()) {
    choice.index.resize(keys_.axes().size());
    keys_.choose(streams_of[RequestId::client(witness.first)], RequestId::operation(witness.first),
                 choice);
  } else {
    choice = combination(witness.first);
  }
  choice.unix_second = witness.second;
  return choice;
}

std::vector<Router::HotKeyDemand> Router::hot_keys(std::size_t limit,
                                                   std::span<const KeyStreams> streams_of) {
  for (std::uint64_t index = 0; index < cells_.size(); ++index) {
    book(index, cells_[index]);
  }
  std::vector<HotKeyDemand> keys;
  for (const HeavyHitters::Entry& entry : hot_.top(limit)) {
    const KeyChoice choice = choice_of(entry.witness, streams_of);
    const HashPoint point = keys_.point(choice);
    keys.push_back({keys_.text(choice), layout_->owner(point), static_cast<MilliRu>(entry.weight)});
  }
  return keys;
}

}  // namespace partsim
