/// The rows of a trace on their way through a run.
///
/// An operation's key, kind, charge and size cannot be drawn again as those of other clients can,
/// so they are written down when the row is read and kept while anything may still ask for them: a
/// request that waits for its retry, an entry of the hot keys or of the storage book. Everything
/// else is swept away now and then, so memory follows what is in flight and not the file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "partsim/workload/key_space.hpp"
#include "partsim/workload/trace_rows.hpp"

namespace partsim {

class TraceFeed {
 public:
  /// A row as the run remembers it.
  struct Record {
    std::uint64_t row = 0;
    Nanoseconds time_ns = 0;  // of the run
    std::int64_t charge_mru = kNotStated;
    Bytes size_bytes = kNotStated;
    std::uint64_t text_begin = 0;  // in texts_
    std::uint32_t text_length = 0;
    std::uint16_t operation = 0;  // index into the operations of with_row_kinds()
  };
  static constexpr std::int64_t kNotStated = -1;

  struct Setup {
    const ClientSpec* client;
    const KeySpace* keys;
    const ContainerSpec* container;
    Bytes item_max_bytes;
  };
  TraceFeed(const Setup& setup, const TraceOpener& open);

  /// Time of the next row that was not taken, kNever after the last.
  [[nodiscard]] Nanoseconds peek();
  void take() noexcept { ++taken_; }
  /// Reads ahead. Every row before the returned time has been read, and it is after `now`.
  [[nodiscard]] Nanoseconds read_ahead(Nanoseconds now);

  /// A row that was read and not swept away.
  [[nodiscard]] const Record& record(std::uint64_t row) const;
  [[nodiscard]] ColumnTexts texts() const noexcept;
  /// Whether the keys come out of the rows, so that finding one again takes its record.
  [[nodiscard]] bool holds_keys() const noexcept { return holds_keys_; }

  [[nodiscard]] bool wants_sweep() const noexcept { return records_.size() >= sweep_at_; }
  /// Forgets all rows but these and those not yet taken.
  void sweep(std::vector<std::uint64_t> live);
  [[nodiscard]] TraceCounts counts() const;

 private:
  static constexpr std::size_t kBlock = 2048;

  void read_one();
  [[nodiscard]] Nanoseconds time_of(const TraceRow& row);
  [[nodiscard]] std::string_view text(std::size_t field, std::uint64_t row) const;
  void append_text(std::string_view text);

  const TraceReplay* replay_;
  std::unique_ptr<TraceRows> rows_;
  bool holds_keys_ = false;
  bool own_keys_ = false;                   // the container's keys are those of the rows
  std::vector<std::size_t> column_fields_;  // indices into ContainerSpec::fields
  Bytes item_max_bytes_;
  Nanoseconds first_ns_ = -1;  // of the recording
  bool ended_ = false;
  std::vector<Record> records_;  // by row; the last of them without a gap
  std::size_t kept_ = 0;         // records before that have gaps between them
  std::uint64_t next_row_ = 0;   // to be read
  std::uint64_t taken_ = 0;      // rows taken
  std::string texts_;
  std::size_t sweep_at_ = 4 * kBlock;
};

/// What the keys of a container need of the rows of its trace: their own keys, or some columns.
[[nodiscard]] TraceColumns trace_columns(const ContainerSpec& container, const KeySpace& keys);

/// The scenario with an operation for every kind that a row may have: first the client's own, then
/// one of each kind in the order of OperationKind. Rows say which it is.
[[nodiscard]] Scenario with_row_kinds(const Scenario& scenario);
[[nodiscard]] bool replays_traces(const Scenario& scenario) noexcept;

/// Components of a key as bytes and back, for keeping them.
void append_components(std::string& out, std::span<const KeyComponent> components);
/// Reuses what is in `components`; returns how many there are.
[[nodiscard]] std::size_t read_components(std::string_view bytes,
                                          std::vector<KeyComponent>& components);

}  // namespace partsim
