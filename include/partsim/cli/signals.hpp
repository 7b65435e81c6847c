/// SIGINT and SIGTERM ask the run to stop; a second one ends the program at once.
#pragma once

#include <atomic>

namespace partsim {

/// Also: SIGPIPE and SIGXFSZ become write errors, and an abort (a failed assertion) exit code 70.
void install_signal_handlers() noexcept;

/// Set by the first signal.
[[nodiscard]] const std::atomic<bool>& stop_requested() noexcept;

/// The signal that asked to stop, 0 if none did.
[[nodiscard]] int stop_signal() noexcept;

}  // namespace partsim
