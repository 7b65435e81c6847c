/// Independent pieces of work on any number of threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

namespace partsim {

/// Calls `work(0)` .. `work(count - 1)`, each once, from up to `jobs` threads, in an order that
/// nobody may rely on: a piece writes to a slot of its own, so who did it and when cannot be seen
/// afterwards. Once `stop` is set or a piece has thrown, no further piece begins; when all threads
/// have ended, what the first failing piece (by number) threw is thrown again.
void work_through(std::size_t count, unsigned jobs, const std::atomic<bool>* stop,
                  const std::function<void(std::size_t)>& work);

}  // namespace partsim
