#include "partsim/workload/trace_feed.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "partsim/core/assert.hpp"
#include "partsim/scenario/pools.hpp"

namespace partsim {
namespace {

constexpr std::size_t kKinds = static_cast<std::size_t>(OperationKind::script) + 1;

template <class T>
void append_raw(std::string& out, const T& value) {
  std::array<char, sizeof(T)> bytes{};
  std::memcpy(bytes.data(), &value, sizeof(T));
  out.append(bytes.data(), bytes.size());
}

template <class T>
T take_raw(std::string_view& in) {
  T value{};
  std::memcpy(&value, in.data(), sizeof(T));
  in.remove_prefix(sizeof(T));
  return value;
}

/// Kinds whose caller knows all fields of the item.
bool knows_all(OperationKind kind) {
  return kind == OperationKind::create || kind == OperationKind::upsert;
}

/// What the client's operation would be if it were of another kind.
OperationSpec of_kind(const OperationSpec& own, OperationKind kind,
                      const ContainerSpec& container) {
  OperationSpec operation = own;
  operation.kind = kind;
  operation.share_ppm = 0;
  operation.keys = 1;
  if (knows_all(own.kind)) {
    // nothing was said of what a caller knows; the fields of a row are what the request had
    operation.given.clear();
    for (const FieldSpec& field : container.fields) {
      operation.given.push_back(field.name);
    }
  }
  return operation;
}

}  // namespace

bool replays_traces(const Scenario& scenario) noexcept {
  return std::any_of(scenario.clients.begin(), scenario.clients.end(),
                     [](const ClientSpec& client) {
                       return std::holds_alternative<TraceReplay>(client.arrivals);
                     });
}

Scenario with_row_kinds(const Scenario& scenario) {
  Scenario replayed = scenario;
  for (ClientSpec& client : replayed.clients) {
    if (std::holds_alternative<TraceReplay>(client.arrivals)) {
      const OperationSpec own = client.operations.front();
      for (std::size_t kind = 0; kind < kKinds; ++kind) {
        client.operations.push_back(
            of_kind(own, static_cast<OperationKind>(kind), replayed.containers[client.container]));
      }
    }
  }
  return replayed;
}

void append_components(std::string& out, std::span<const KeyComponent> components) {
  for (const KeyComponent& component : components) {
    out.push_back(static_cast<char>(component.index()));
    if (const auto* truth = std::get_if<bool>(&component)) {
      out.push_back(*truth ? '\1' : '\0');
    } else if (const auto* number = std::get_if<double>(&component)) {
      append_raw(out, *number);
    } else if (const auto* text = std::get_if<std::string>(&component)) {
      append_raw(out, static_cast<std::uint32_t>(text->size()));
      out += *text;
    }
  }
}

std::size_t read_components(std::string_view bytes, std::vector<KeyComponent>& components) {
  std::size_t count = 0;
  for (; !bytes.empty(); ++count) {
    if (components.size() == count) {
      components.emplace_back();
    }
    KeyComponent& component = components[count];
    const std::size_t type = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    if (type == KeyComponent(false).index()) {
      component = take_raw<char>(bytes) != 0;
    } else if (type == KeyComponent(0.0).index()) {
      component = take_raw<double>(bytes);
    } else if (type == KeyComponent(std::string()).index()) {
      const auto length = take_raw<std::uint32_t>(bytes);
      if (auto* text = std::get_if<std::string>(&component)) {
        text->assign(bytes.substr(0, length));  // keeps its memory
      } else {
        component = std::string(bytes.substr(0, length));
      }
      bytes.remove_prefix(length);
    } else if (type == KeyComponent(Null{}).index()) {
      component = Null{};
    } else {
      component = Undefined{};
    }
  }
  return count;
}

TraceColumns trace_columns(const ContainerSpec& container, const KeySpace& keys) {
  TraceColumns wanted;
  if (keys.takes_row_keys()) {
    wanted.key_levels = key_levels_of(container);
    return wanted;
  }
  for (const KeyAxis& axis : keys.axes()) {
    if (axis.kind == KeyAxis::Kind::column) {
      wanted.names.push_back(std::get<ColumnField>(container.fields[axis.field].kind).column);
    }
  }
  return wanted;
}

TraceFeed::TraceFeed(const Setup& setup, const TraceOpener& open)
    : replay_(&std::get<TraceReplay>(setup.client->arrivals)),
      own_keys_(setup.keys->takes_row_keys()),
      item_max_bytes_(setup.item_max_bytes) {
  PARTSIM_ASSERT(open != nullptr, "who runs a trace brings its rows");
  for (const KeyAxis& axis : setup.keys->axes()) {
    if (axis.kind == KeyAxis::Kind::column && !own_keys_) {
      column_fields_.push_back(axis.field);
    }
  }
  holds_keys_ = own_keys_ || !column_fields_.empty();
  rows_ = open(*replay_, trace_columns(*setup.container, *setup.keys));
}

Nanoseconds TraceFeed::peek() {
  while (taken_ == next_row_ && !ended_) {
    read_one();
  }
  return taken_ < next_row_ ? record(taken_).time_ns : kNever;
}

Nanoseconds TraceFeed::read_ahead(Nanoseconds now) {
  while (!ended_ && (next_row_ - taken_ < kBlock || records_.back().time_ns <= now)) {
    read_one();
  }
  return ended_ ? kNever : records_.back().time_ns;
}

Nanoseconds TraceFeed::time_of(const TraceRow& row) {
  __extension__ using Wide = __int128;
  if (first_ns_ < 0) {
    first_ns_ = row.time_ns;
  }
  const Wide after = static_cast<Wide>(row.time_ns - first_ns_) * kMillion / replay_->speed_micro;
  return static_cast<Nanoseconds>(std::min<Wide>(replay_->at_ns + after, kNever - 1));
}

void TraceFeed::append_text(std::string_view text) {
  append_raw(texts_, static_cast<std::uint32_t>(text.size()));
  texts_ += text;
}

void TraceFeed::read_one() {
  const TraceRow* row = rows_->next();
  if (row == nullptr) {
    ended_ = true;
    return;
  }
  Record record;
  record.row = next_row_++;
  record.time_ns = time_of(*row);
  record.operation = row->kind ? static_cast<std::uint16_t>(*row->kind) + 1 : 0;
  record.charge_mru = row->charge_mru ? std::min(*row->charge_mru, kMaxRowCharge) : kNotStated;
  record.size_bytes = row->size_bytes ? std::min(*row->size_bytes, item_max_bytes_) : kNotStated;
  record.text_begin = texts_.size();
  if (own_keys_) {
    append_components(texts_, row->key);
  }
  for (std::size_t i = 0; i < column_fields_.size(); ++i) {
    append_text(row->columns[i]);
  }
  record.text_length = static_cast<std::uint32_t>(texts_.size() - record.text_begin);
  records_.push_back(record);
}

const TraceFeed::Record& TraceFeed::record(std::uint64_t row) const {
  const std::size_t fresh = records_.size() - kept_;
  const std::uint64_t first_fresh = next_row_ - fresh;
  if (row >= first_fresh) {
    return records_[kept_ + (row - first_fresh)];
  }
  const auto end = records_.begin() + static_cast<std::ptrdiff_t>(kept_);
  const auto found =
      std::lower_bound(records_.begin(), end, row,
                       [](const Record& each, std::uint64_t wanted) { return each.row < wanted; });
  PARTSIM_ASSERT(found != end && found->row == row, "a row that is asked for is still known");
  return *found;
}

std::string_view TraceFeed::text(std::size_t field, std::uint64_t row) const {
  const Record& found = record(row);
  std::string_view all = std::string_view(texts_).substr(found.text_begin, found.text_length);
  if (own_keys_) {
    return all;
  }
  for (const std::size_t each : column_fields_) {
    const auto length = take_raw<std::uint32_t>(all);
    if (each == field) {
      return all.substr(0, length);
    }
    all.remove_prefix(length);
  }
  PARTSIM_ASSERT(false, "a key asks only for columns that its trace was opened with");
  return {};
}

ColumnTexts TraceFeed::texts() const noexcept {
  return {this, [](const void* trace, std::size_t field, std::uint64_t row) {
            return static_cast<const TraceFeed*>(trace)->text(field, row);
          }};
}

void TraceFeed::sweep(std::vector<std::uint64_t> live) {
  std::sort(live.begin(), live.end());
  std::vector<Record> records;
  std::string texts;
  std::size_t kept = 0;
  auto next_live = live.begin();
  for (const Record& old : records_) {
    while (next_live != live.end() && *next_live < old.row) {
      ++next_live;
    }
    const bool pending = old.row >= taken_;
    if (pending || (next_live != live.end() && *next_live == old.row)) {
      kept += pending ? 0 : 1;
      records.push_back(old);
      records.back().text_begin = texts.size();
      texts.append(texts_, old.text_begin, old.text_length);
    }
  }
  records_.swap(records);
  texts_.swap(texts);
  kept_ = kept;
  // four times what is left: each sweep then costs less than what was read since the last
  sweep_at_ = 4 * records_.size() + 8 * kBlock;
}

TraceCounts TraceFeed::counts() const {
  TraceCounts counts = rows_->left_out();
  counts.read = taken_;
  counts.complete = ended_ && taken_ == next_row_;
  return counts;
}

}  // namespace partsim
