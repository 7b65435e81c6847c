#include "process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

namespace partsim {
namespace {

using Clock = std::chrono::steady_clock;

/// What posix_spawn needs, given back on every path.
class SpawnSettings {
 public:
  SpawnSettings() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
};

/// Only what a drawing program needs to start and to find its libraries and fonts: no setting of
/// the user's shell may change a chart.
std::vector<std::string> small_environment() {
  std::vector<std::string> environment{"LC_ALL=C.UTF-8"};
  for (const char* name : {"PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "FONTCONFIG_FILE"}) {
    // read before any thread of ours could change it; nothing in partsim sets a variable
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): see above
    if (value != nullptr) {
      environment.push_back(std::string(name) + "=" + value);
    }
  }
  return environment;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) {
    pointers.push_back(text.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

void configure(SpawnSettings& settings, const ProgramCall& command) {
  constexpr int kLogMode = 0600;
  posix_spawn_file_actions_addchdir_np(&settings.actions, command.folder.c_str());
  posix_spawn_file_actions_addopen(&settings.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&settings.actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&settings.actions, STDERR_FILENO, command.log.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, kLogMode);
  sigset_t none;
  sigset_t defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGHUP}) {
    sigaddset(&defaults, signal);
  }
  posix_spawnattr_setsigmask(&settings.attributes, &none);
  posix_spawnattr_setsigdefault(&settings.attributes, &defaults);
  // a group of its own, so that whatever the program starts can be ended with it
  posix_spawnattr_setpgroup(&settings.attributes, 0);
  posix_spawnattr_setflags(&settings.attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

struct Child {
  pid_t pid = -1;
  std::string failure;
};

Child start(const ProgramCall& command) {
  // the child changes folder before it looks for the program
  const bool is_path = command.program.find('/') != std::string::npos;
  const std::string program =
      is_path ? std::filesystem::absolute(command.program).string() : command.program;
  std::vector<std::string> arguments{program};
  arguments.insert(arguments.end(), command.arguments.begin(), command.arguments.end());
  std::vector<std::string> environment = small_environment();
  SpawnSettings settings;
  configure(settings, command);
  Child child;
  const int error =
      posix_spawnp(&child.pid, program.c_str(), &settings.actions, &settings.attributes,
                   pointers_to(arguments).data(), pointers_to(environment).data());
  if (error != 0) {
    child.pid = -1;
    child.failure = fmt::format("'{}' cannot be started: {}", command.program,
                                std::generic_category().message(error));
  }
  return child;
}

std::string failure_of(const ProgramCall& command, int status) {
  if (WIFEXITED(status)) {
    const int code = WEXITSTATUS(status);
    return code == 0 ? "" : fmt::format("'{}' ended with exit code {}", command.program, code);
  }
  return fmt::format("'{}' was ended by signal {}", command.program, WTERMSIG(status));
}

/// True when the child has ended, its failure filled in.
bool has_ended(Child& child, const ProgramCall& command) {
  int status = 0;
  const pid_t ended = waitpid(child.pid, &status, WNOHANG);
  if (ended == 0 || (ended < 0 && errno == EINTR)) {
    return false;
  }
  // an error means that somebody else has collected the child; how it ended is then unknown
  child.failure =
      ended < 0 ? fmt::format("'{}' was lost", command.program) : failure_of(command, status);
  child.pid = -1;
  return true;
}

void end_now(Child& child) {
  kill(-child.pid, SIGKILL);
  int status = 0;
  while (waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
  }
  child.pid = -1;
}

}  // namespace

std::vector<std::string> run_commands(const std::vector<ProgramCall>& commands,
                                      std::chrono::milliseconds limit) {
  constexpr std::chrono::milliseconds kPause{2};
  const Clock::time_point deadline = Clock::now() + limit;
  std::vector<Child> children;
  children.reserve(commands.size());
  for (const ProgramCall& command : commands) {
    children.push_back(start(command));
  }
  std::vector<std::string> failures;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    Child& child = children[i];
    while (child.pid > 0 && !has_ended(child, commands[i])) {
      if (Clock::now() >= deadline) {
        end_now(child);
        child.failure =
            fmt::format("'{}' was ended after {} ms", commands[i].program, limit.count());
      } else {
        std::this_thread::sleep_for(kPause);
      }
    }
    failures.push_back(child.failure);
  }
  return failures;
}

}  // namespace partsim
