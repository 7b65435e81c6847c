// measure FILE PROGRAM ARGUMENT...: runs a program and writes its CPU seconds and peak memory in KB
// to FILE. It is so small because the system counts the memory of whoever starts a program as the
// program's own peak: started by a script, everything seems to need what the interpreter does.
#include <cstdio>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
  constexpr int kUsage = 2;
  if (argc < 3) {
    return kUsage;
  }
  pid_t child = -1;
  int status = 0;
  rusage used{};
  if (posix_spawnp(&child, argv[2], nullptr, nullptr, argv + 2, environ) != 0 ||
      wait4(child, &status, 0, &used) != child || !WIFEXITED(status)) {
    return 1;
  }
  std::FILE* file = std::fopen(argv[1], "w");
  if (file == nullptr) {
    return 1;
  }
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  std::fprintf(file, "%.6f %ld\n", seconds(used.ru_utime) + seconds(used.ru_stime), used.ru_maxrss);
  return std::fclose(file) == 0 ? WEXITSTATUS(status) : 1;
}
