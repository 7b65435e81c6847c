/// The control plane of a set of partitions: scaling, splits, merges, redistribution.
///
/// A pool decides; its host (the engine) carries the load and the bytes over. Everything happens at
/// control points, in the order of docs/MODEL.md section 10.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "partsim/scenario/pools.hpp"
#include "partsim/service/layout.hpp"
#include "partsim/service/layout_event.hpp"

namespace partsim {

/// One partition as its pool sees it.
struct PoolPartition {
  std::uint32_t id = 0;
  HashRange range;
  Share share;
  MilliRu weight = 0;  // custom policy
  bool splitting = false;
  bool merging = false;
  bool single_key_full = false;       // was over its limit once when nothing could be cut
  Bytes uncut_bytes = -1;             // what it held when that was last tried
  Nanoseconds gone_from_ns = kNever;  // answers 410 from here until its split ends
};

/// What a pool asks of whoever runs its partitions.
class PoolHost {
 public:
  virtual ~PoolHost() = default;
  PoolHost() = default;
  PoolHost(const PoolHost&) = delete;
  PoolHost& operator=(const PoolHost&) = delete;

  /// Counts what is begun, over all pools.
  [[nodiscard]] virtual std::uint64_t next_order() = 0;
  /// The next free partition id.
  [[nodiscard]] virtual std::uint32_t new_partition() = 0;
  [[nodiscard]] virtual Bytes stored_bytes(std::uint32_t partition) const = 0;
  /// Where the data of a partition halve best; nothing if no cut leaves data on both sides.
  [[nodiscard]] virtual std::optional<HashPoint> data_median(std::uint32_t partition,
                                                             const HashRange& range) = 0;
  /// The pool's layout already shows the children, or the child.
  virtual void split(const PoolPartition& parent, std::uint32_t lower, std::uint32_t upper,
                     Nanoseconds now) = 0;
  virtual void merge(const PoolPartition& lower, const PoolPartition& upper, std::uint32_t child,
                     Nanoseconds now) = 0;
  virtual void record(LayoutEvent event) = 0;
};

class Pool {
 public:
  Pool(const Scenario& scenario, PoolSpec spec, PoolHost& host);

  [[nodiscard]] const PoolSpec& spec() const noexcept { return spec_; }
  /// In range order.
  [[nodiscard]] const std::vector<PoolPartition>& partitions() const noexcept {
    return partitions_;
  }
  [[nodiscard]] PoolPartition* find(std::uint32_t id) noexcept;
  [[nodiscard]] const Layout& layout() const noexcept { return layout_; }
  [[nodiscard]] const Share& total() const noexcept { return total_; }
  /// Even shares of the total, in order of ids; adaptive capacity and burst stores start from them.
  [[nodiscard]] std::vector<std::pair<std::uint32_t, Share>> even() const;

  /// The next instant at which this pool changes by itself: a split or merge that ends, or a swap
  /// window that opens. kNever if there is none.
  [[nodiscard]] Nanoseconds next_ns() const noexcept;
  /// When what ends by `now` and was begun first was begun, among all pools; UINT64_MAX if nothing
  /// ends.
  [[nodiscard]] std::uint64_t first_due(Nanoseconds now) const noexcept;
  /// Ends that one.
  void finish_first_due(Nanoseconds now);

  // What the timeline asks.
  void set_throughput(Nanoseconds now, Nanoseconds asked, Share target);
  void redistribute(Nanoseconds now, Nanoseconds asked, const Redistribute& request);
  void merge(Nanoseconds now, Nanoseconds asked);

  /// Begins splits of partitions that are over the storage threshold; raises an autoscale maximum
  /// that may no longer hold what is stored.
  void check_storage(Nanoseconds now);
  /// A partition was near its limit for long.
  void split_for_heat(std::uint32_t partition, Nanoseconds now);

 private:
  struct Splitting {
    std::uint32_t partition = 0;
    HashPoint cut;
    Nanoseconds asked_ns = 0;
    Nanoseconds end_ns = 0;
    std::uint64_t order = 0;  // in which they were begun
    LayoutCause cause = LayoutCause::throughput;
    MilliRu redistributed_mru = 0;  // above zero: what both children share
    bool of_round = false;          // of the scaling in progress
  };
  struct Scaling {
    Share target;
    std::uint64_t partitions = 0;
    Nanoseconds begin_ns = 0;
    Nanoseconds asked_ns = 0;
    std::int64_t rounds = 0;
    std::int64_t round = 0;  // that is under way, from 1
    LayoutCause cause = LayoutCause::throughput;
  };
  struct Merging {
    std::vector<std::uint32_t> pairs;  // the lower one of each
    Nanoseconds asked_ns = 0;
    Nanoseconds end_ns = 0;
    std::uint64_t order = 0;
  };

  [[nodiscard]] Nanoseconds up(Nanoseconds t) const noexcept;
  [[nodiscard]] Bytes stored_bytes() const;
  [[nodiscard]] MilliRu minimum_mru() const;
  [[nodiscard]] MilliRu total_mru() const noexcept;
  [[nodiscard]] bool round_in_progress() const noexcept;
  [[nodiscard]] LayoutEvent::Slice slice(const PoolPartition& partition) const;
  [[nodiscard]] std::vector<LayoutEvent::Slice> slices() const;
  [[nodiscard]] LayoutEvent event(LayoutEventKind kind, LayoutCause cause, Nanoseconds now,
                                  Nanoseconds asked) const;
  void refuse(Nanoseconds now, Nanoseconds asked, LayoutCause cause, std::string reason);
  [[nodiscard]] std::string_view busy_reason() const noexcept;

  void apply_total(const Share& total);
  void change_total(const Share& total, LayoutCause cause, Nanoseconds now, Nanoseconds asked);
  void cancel_merge(Nanoseconds now);
  void begin_scaling(const Share& target, LayoutCause cause, Nanoseconds now, Nanoseconds asked);
  void begin_round(Nanoseconds now);
  void continue_scaling(Nanoseconds now);
  [[nodiscard]] bool begin_split(PoolPartition& partition, LayoutCause cause, SplitCut cut,
                                 Nanoseconds asked, Nanoseconds end);
  [[nodiscard]] std::vector<std::uint32_t> in_split_order() const;
  void finish_split(const Splitting& split, Nanoseconds now);
  void finish_merge(Nanoseconds now);
  void rebuild_layout();

  const ProviderParameters* parameters_;
  PoolSpec spec_;
  PoolHost* host_;
  unsigned paths_ = 1;
  Layout layout_;
  std::vector<PoolPartition> partitions_;
  Share total_;
  MilliRu highest_mru_ = 0;
  bool custom_ = false;
  std::vector<Splitting> splitting_;
  std::optional<Scaling> scaling_;
  std::optional<Merging> merging_;
};

}  // namespace partsim
