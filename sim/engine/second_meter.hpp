/// What a partition did second by second: its series, its peak, its bill. Private to the engine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "partsim/core/time.hpp"
#include "partsim/service/billing.hpp"

namespace partsim {

struct SecondCell {
  std::uint32_t attempts = 0;
  std::uint32_t throttled = 0;
  MilliRu consumed_mru = 0;
  Bytes storage_bytes = kUnchanged;  // at its end
  static constexpr Bytes kUnchanged = -1;
};

/// A partition's totals over the counted window.
struct PartitionTotals {
  std::uint64_t attempts = 0;
  std::uint64_t throttled = 0;
  MilliRu consumed_mru = 0;
  MilliRu peak_second_mru = 0;  // consumed in the second that used most of its share ...
  MilliRu peak_share_mru = 0;   // ... and that share
  MilliRu burst_mru = 0;
  MilliRu ttl_mru = 0;
  Bytes storage_bytes = 0;  // now, since time zero
};

/// What is billed since it was last asked.
struct Billable {
  std::vector<MilliRu> highest_mru_per_s;  // mean use of a decision window, one a region
  MilliRu consumed_mru = 0;                // of reads where they are apart, else of everything
  MilliRu consumed_write_mru = 0;
};

class SecondMeter {
 public:
  struct Setup {
    MilliRu share_mru;  // a second
    Nanoseconds born_ns;
    Bytes storage_bytes;
    std::int64_t seconds_per_cell;
    std::int64_t start_unix_s;
    std::uint32_t regions;
    std::int64_t decision_window_s;
  };
  explicit SecondMeter(const Setup& setup)
      : share_mru_(setup.share_mru),
        second_share_mru_(setup.share_mru),
        second_end_((setup.born_ns / kSecond + 1) * kSecond),
        seconds_per_cell_(setup.seconds_per_cell),
        start_unix_s_(setup.start_unix_s),
        use_(setup.regions, DecisionWindows(setup.decision_window_s)) {
    totals_.storage_bytes = setup.storage_bytes;
  }

  // What happens now, inside the open second.
  void count_attempt() noexcept { ++second_.attempts; }
  void count_throttled() noexcept { ++second_.throttled; }
  void consume(MilliRu charge) noexcept { second_.consumed_mru += charge; }

  [[nodiscard]] Nanoseconds end_ns() const noexcept { return second_end_; }
  [[nodiscard]] MilliRu consumed_mru() const noexcept { return second_.consumed_mru; }
  /// The largest in force in the open second.
  [[nodiscard]] MilliRu share_mru() const noexcept { return second_share_mru_; }
  /// The counted part of the open second.
  [[nodiscard]] MilliRu counted_mru() const noexcept { return counted_mru_; }

  void set_share(Nanoseconds now, MilliRu share_mru) noexcept {
    share_mru_ = share_mru;
    second_share_mru_ = now >= second_end_ ? share_mru_ : std::max(second_share_mru_, share_mru_);
  }
  /// The counted window begins: what the open second has used so far does not count.
  void begin_counting() noexcept { counted_from_ = second_; }
  /// Adds what the open second has gathered since it was last looked at to the counted totals.
  void count_open_second() noexcept {
    totals_.attempts += second_.attempts - counted_from_.attempts;
    totals_.throttled += second_.throttled - counted_from_.throttled;
    totals_.consumed_mru += second_.consumed_mru - counted_from_.consumed_mru;
    counted_mru_ += second_.consumed_mru - counted_from_.consumed_mru;
    counted_from_ = second_;
  }

  /// What a region has consumed in the second that ends, for the bill.
  void note_use(std::uint32_t region, MilliRu consumed, MilliRu consumed_write) {
    use_[region].add(start_unix_s_ + second_end_ / kSecond - 1, consumed + consumed_write);
    billable_.consumed_mru += consumed;
    billable_.consumed_write_mru += consumed_write;
  }
  /// Keeps the second that used most of its share.
  void note_peak(MilliRu consumed, MilliRu share) noexcept {
    __extension__ using Wide = __int128;
    if (Wide{consumed} * totals_.peak_share_mru > Wide{totals_.peak_second_mru} * share ||
        totals_.peak_share_mru == 0) {
      totals_.peak_second_mru = consumed;
      totals_.peak_share_mru = share;
    }
  }
  /// The clock has come to `now`, past the end of the open second.
  void close(Nanoseconds now) {
    if (second_.attempts > 0 || totals_.storage_bytes != noted_storage_bytes_) {
      const auto cell = static_cast<std::size_t>((second_end_ / kSecond - 1) / seconds_per_cell_);
      if (cells_.size() <= cell) {
        cells_.resize(cell + 1);
      }
      cells_[cell].attempts += static_cast<std::uint32_t>(second_.attempts);
      cells_[cell].throttled += static_cast<std::uint32_t>(second_.throttled);
      cells_[cell].consumed_mru += second_.consumed_mru;
      cells_[cell].storage_bytes = totals_.storage_bytes;
      noted_storage_bytes_ = totals_.storage_bytes;
    }
    second_ = {};
    counted_from_ = {};
    counted_mru_ = 0;
    second_share_mru_ = share_mru_;
    second_end_ = (now / kSecond + 1) * kSecond;
  }
  [[nodiscard]] Billable take_billable() {
    Billable taken = billable_;
    billable_ = {};
    for (DecisionWindows& use : use_) {
      taken.highest_mru_per_s.push_back(use.take_highest());
    }
    return taken;
  }

  [[nodiscard]] PartitionTotals& totals() noexcept { return totals_; }
  [[nodiscard]] const PartitionTotals& totals() const noexcept { return totals_; }
  [[nodiscard]] const std::vector<SecondCell>& cells() const noexcept { return cells_; }

 private:
  struct Gathered {
    std::uint64_t attempts = 0;
    std::uint64_t throttled = 0;
    MilliRu consumed_mru = 0;
  };

  MilliRu share_mru_;
  MilliRu second_share_mru_;
  Nanoseconds second_end_;
  std::int64_t seconds_per_cell_;
  std::int64_t start_unix_s_;
  Gathered second_;        // the open second, from its begin
  Gathered counted_from_;  // the part of it that is in totals_, or before the counted window
  MilliRu counted_mru_ = 0;
  PartitionTotals totals_;
  Bytes noted_storage_bytes_ = SecondCell::kUnchanged;  // so that the first second is noted
  std::vector<SecondCell> cells_;
  std::vector<DecisionWindows> use_;  // one a region
  Billable billable_;
};

}  // namespace partsim
