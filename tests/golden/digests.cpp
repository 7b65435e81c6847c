// digests JOBS FILE...: one line a run, of the scenario files and of 50 random scenarios. Two
// builds that print the same lines computed the same attempts.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <sstream>
#include <string>

#include "partsim/loader/loader.hpp"
#include "partsim/study/study.hpp"

#include "support/random_scenario.hpp"

namespace {

using namespace partsim;

constexpr std::uint64_t kRandomScenarios = 50;

void print(const std::string& name, const RunResult& run) {
  std::printf("%016llx %10llu  %s\n", static_cast<unsigned long long>(run.digest),
              static_cast<unsigned long long>(run.events), name.c_str());
}

bool print_file(const std::string& path, unsigned jobs) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  const LoadResult loaded = load_study(text.str(), path);
  if (!loaded.study) {
    std::fprintf(stderr, "digests: cannot load %s\n", path.c_str());
    return false;
  }
  StudyOptions options;
  options.jobs = jobs;
  const StudyResult study = run_study(*loaded.study, options);
  for (const VariantResult& result : study.runs) {
    print(study.name + " " + result.variant, result.run);
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const unsigned jobs = argc > 1 ? static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)) : 0;
    if (jobs == 0) {
      std::fputs("usage: digests JOBS FILE...\n", stderr);
      return 2;
    }
    for (int i = 2; i < argc; ++i) {
      if (!print_file(argv[i], jobs)) {
        return 1;
      }
    }
    for (std::uint64_t seed = 1; seed <= kRandomScenarios; ++seed) {
      print("random scenario " + std::to_string(seed), run(random_scenario(seed)));
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "digests: %s\n", error.what());
    return 1;
  }
}
