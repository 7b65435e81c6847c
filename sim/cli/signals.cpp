#include "partsim/cli/signals.hpp"

#include <csignal>
#include <unistd.h>

#include "partsim/cli/exit_code.hpp"

namespace partsim {
namespace {

// The one global state of the program: a signal handler can reach nothing else.
std::atomic<bool> stop_flag{false};  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<int> stop_number{0};     // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "a signal handler may only touch lock-free atomics");

extern "C" void on_stop_signal(int number) {
  int none = 0;
  if (!stop_number.compare_exchange_strong(none, number)) {
    ::_exit(exit_signal_base + number);
  }
  stop_flag.store(true);
}

extern "C" void on_abort(int /*number*/) {
  ::_exit(exit_internal);
}

void handle(int number, void (*handler)(int)) noexcept {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, nullptr);
}

}  // namespace

void install_signal_handlers() noexcept {
  handle(SIGINT, on_stop_signal);
  handle(SIGTERM, on_stop_signal);
  handle(SIGABRT, on_abort);
  handle(SIGPIPE, SIG_IGN);
  handle(SIGXFSZ, SIG_IGN);
}

const std::atomic<bool>& stop_requested() noexcept {
  return stop_flag;
}

int stop_signal() noexcept {
  return stop_number.load();
}

}  // namespace partsim
