/// Many studies at once: all their variants share the cores.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <span>

#include "partsim/study/study.hpp"

namespace partsim {

struct StudyTask {
  const StudyFile* study = nullptr;
  TraceOpener open_trace;  // see RunOptions
};

struct StudyOutcome {
  StudyResult result;
  std::exception_ptr failure;  // what the first variant that failed threw; `result` has the others
};

/// Runs every variant of every task from up to `jobs` threads. `take(index, outcome)` is called
/// once a task, in the order of the tasks, never twice at once, from any thread; neither what it
/// gets nor the order depends on `jobs`. Once `stop` is set, variants that have not begun never do,
/// and the studies they belong to are partial. What `take` throws ends the batch and is thrown
/// again.
void run_studies(std::span<const StudyTask> tasks, unsigned jobs, const std::atomic<bool>* stop,
                 const std::function<void(std::size_t, StudyOutcome&&)>& take);

}  // namespace partsim
