#include "partsim/study/work_list.hpp"

#include <algorithm>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace partsim {
namespace {

class WorkList {
 public:
  WorkList(std::size_t count, const std::atomic<bool>* stop,
           const std::function<void(std::size_t)>& work)
      : work_(work), stop_(stop), failures_(count) {}

  void take_pieces() noexcept {
    while (!stopped() && !failed_.load(std::memory_order_relaxed)) {
      const std::size_t index = next_.fetch_add(1, std::memory_order_relaxed);
      if (index >= failures_.size()) {
        return;
      }
      try {
        work_(index);
      } catch (...) {
        failures_[index] = std::current_exception();
        failed_.store(true, std::memory_order_relaxed);
      }
    }
  }

  /// To be called when all threads have ended.
  void throw_first_failure() const {
    const auto failure = std::find_if(failures_.begin(), failures_.end(),
                                      [](const std::exception_ptr& each) { return each; });
    if (failure != failures_.end()) {
      std::rethrow_exception(*failure);
    }
  }

 private:
  [[nodiscard]] bool stopped() const noexcept {
    return stop_ != nullptr && stop_->load(std::memory_order_relaxed);
  }

  const std::function<void(std::size_t)>& work_;
  const std::atomic<bool>* stop_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> failed_{false};
  std::vector<std::exception_ptr> failures_;
};

}  // namespace

void work_through(std::size_t count, unsigned jobs, const std::atomic<bool>* stop,
                  const std::function<void(std::size_t)>& work) {
  WorkList list(count, stop, work);
  {
    const std::size_t threads = std::min<std::size_t>(jobs, count);
    std::vector<std::jthread> helpers;
    try {
      for (std::size_t i = 1; i < threads; ++i) {
        helpers.emplace_back([&list] { list.take_pieces(); });
      }
    } catch (const std::system_error&) {
      // The system grants no more threads. The work is the same with fewer, only slower.
    }
    list.take_pieces();
  }
  list.throw_first_failure();
}

}  // namespace partsim
