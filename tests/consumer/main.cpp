// Loads a scenario, runs it and prints its results, through installed headers and libraries alone.
#include <cstdio>
#include <fstream>
#include <sstream>

#include "partsim/loader/loader.hpp"
#include "partsim/report/report.hpp"
#include "partsim/study/study.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    return 2;
  }
  std::ostringstream text;
  text << std::ifstream(argv[1]).rdbuf();
  const partsim::LoadResult loaded = partsim::load_study(text.str(), argv[1]);
  if (!loaded.study) {
    return 2;
  }
  const partsim::StudyResult result = partsim::run_study(*loaded.study, {});
  std::fputs(partsim::results_json(result).c_str(), stdout);
  return result.runs.empty() ? 1 : 0;
}
