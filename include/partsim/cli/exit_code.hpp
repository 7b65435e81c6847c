/// How the program ends. No code but `ok` is ever benign.
#pragma once

#include <stdexcept>
#include <string>

namespace partsim {

enum ExitCode : int {
  exit_ok = 0,
  exit_expectation_failed = 1,
  exit_usage = 2,       // bad command line or invalid scenario
  exit_files = 3,       // cannot read, cannot write, disk full
  exit_over_limit = 4,  // events, memory, size
  exit_internal = 70,
  exit_signal_base = 128,  // plus the signal: 130 and 143
};

/// A mistake on the command line: one line, and perhaps what was meant.
class UsageError : public std::runtime_error {
 public:
  explicit UsageError(const std::string& message, std::string hint = {})
      : std::runtime_error(message), hint_(std::move(hint)) {}
  [[nodiscard]] const std::string& hint() const noexcept { return hint_; }

 private:
  std::string hint_;
};

/// The world did not do as asked: a file, a folder, standard output.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Whoever read standard output has seen enough, as `head` has: an end without a word.
class ReaderGone : public FileError {
 public:
  ReaderGone() : FileError("nobody reads standard output any more") {}
};

}  // namespace partsim
