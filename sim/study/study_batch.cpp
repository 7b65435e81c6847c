#include "partsim/study/study_batch.hpp"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "partsim/study/work_list.hpp"

#include "assemble.hpp"

namespace partsim {
namespace {

struct Piece {
  std::size_t task = 0;
  std::size_t variant = 0;
};

/// What has been found of one study so far.
struct Slot {
  std::vector<std::optional<RunResult>> runs;
  std::vector<std::exception_ptr> failures;
  std::size_t unfinished = 0;
};

class Batch {
 public:
  Batch(std::span<const StudyTask> tasks, const std::atomic<bool>* stop,
        const std::function<void(std::size_t, StudyOutcome&&)>& take)
      : tasks_(tasks), stop_(stop), take_(take), slots_(tasks.size()) {
    for (std::size_t task = 0; task < tasks.size(); ++task) {
      const std::size_t variants = tasks[task].study->variants.size();
      slots_[task].runs.resize(variants);
      slots_[task].failures.resize(variants);
      slots_[task].unfinished = variants;
      for (std::size_t variant = 0; variant < variants; ++variant) {
        pieces_.push_back({task, variant});
      }
    }
  }

  [[nodiscard]] std::size_t size() const { return pieces_.size(); }

  void work(std::size_t index) {
    const Piece piece = pieces_[index];
    const StudyTask& task = tasks_[piece.task];
    std::optional<RunResult> result;
    std::exception_ptr failure;
    try {
      RunOptions options;
      options.stop = stop_;
      options.open_trace = task.open_trace;
      result = run(task.study->variants[piece.variant].scenario, options);
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    Slot& slot = slots_[piece.task];
    slot.runs[piece.variant] = std::move(result);
    slot.failures[piece.variant] = failure;
    --slot.unfinished;
    hand_out(false);
  }

  /// When all threads have ended.
  void finish() { hand_out(true); }

 private:
  /// All that is whole and next in order; at the end also what is not whole.
  void hand_out(bool all) {
    while (next_ < slots_.size() && (all || slots_[next_].unfinished == 0)) {
      const std::size_t task = next_++;  // first: what throws is not handed out again
      take_(task, outcome_of(task));
    }
  }

  StudyOutcome outcome_of(std::size_t task) {
    Slot slot = std::move(slots_[task]);
    StudyOutcome outcome;
    const auto failure = std::find_if(slot.failures.begin(), slot.failures.end(),
                                      [](const std::exception_ptr& each) { return each; });
    if (failure != slot.failures.end()) {
      outcome.failure = *failure;
    }
    outcome.result = assemble(*tasks_[task].study, std::move(slot.runs));
    return outcome;
  }

  std::span<const StudyTask> tasks_;
  const std::atomic<bool>* stop_;
  const std::function<void(std::size_t, StudyOutcome&&)>& take_;
  std::vector<Piece> pieces_;
  std::mutex mutex_;
  std::vector<Slot> slots_;
  std::size_t next_ = 0;
};

}  // namespace

void run_studies(std::span<const StudyTask> tasks, unsigned jobs, const std::atomic<bool>* stop,
                 const std::function<void(std::size_t, StudyOutcome&&)>& take) {
  Batch batch(tasks, stop, take);
  work_through(batch.size(), jobs, stop, [&batch](std::size_t index) { batch.work(index); });
  batch.finish();
}

}  // namespace partsim
