#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include "partsim/cli/commands.hpp"
#include "partsim/cli/descriptor.hpp"
#include "partsim/cli/exit_code.hpp"

namespace partsim {
namespace {

namespace fs = std::filesystem;

// Its expectations hold, so that the first run of a newcomer ends well and shows what they are for.
constexpr std::string_view kFirstScenario =
    R"(# A first scenario: a shop stores orders. Which partition key carries the load?
# Run it with        partsim run scenario.yaml
# See all defaults   partsim explain scenario.yaml
# See all names      partsim list

partsim: 1                    # version of this file format
name: first-steps             # names the output folder: partsim-out/first-steps/
title: Orders of a web shop, three partition keys
seed: 1                       # same file and seed: same results, to the byte
start: 2024-01-01T12:00:00Z   # the simulated clock at time zero
duration: 30s
warm_up: 5s                   # results count from here

container:
  throughput: 10000 RU/s      # shared evenly by the physical partitions
  partitions: 5               # so each one has 2000 RU/s
  partition_key: "{date}"
  items:
    size: 1 KB
    fields:
      date:     {time: "%Y-%m-%d"}
      # 20,000 customers, some of whom order far more often than others
      customer: {choose: 20000, zipf: 0.6, as: "C{:05}"}

clients:
  shop:                       # writes orders; a create knows every field of its item
    rate: 800/s
    operations: [{create: 100%}]
  support:                    # looks one order up, knowing its date and its customer
    rate: 50/s
    operations:
      - read: 100%
        given: [date, customer]

# Fragments merged over the scenario above; all see the same arrivals and the same items.
variants:
  by-date:     {container: {partition_key: "{date}"}}
  by-customer: {container: {partition_key: "{customer}"}}
  date-random: {container: {partition_key: "{date}.{random 1..50}"}}

# Checked after the run; if one does not hold, the exit code is 1.
expect:
  - by-date.throttled_share > 10%           # one day is one key, on one partition
  - by-customer.throttled_share < 1%        # many keys spread over all partitions
  - by-customer.clients.support.ru_per_operation < 1.5
  - date-random.clients.support.ru_per_operation > 5    # nobody knows the suffix: reads fan out
)";

void replace_file(const fs::path& path, std::string_view content) {
  const fs::path temporary = path.native() + ".partsim-" + std::to_string(::getpid());
  write_new_file(temporary, content);
  if (std::rename(temporary.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(temporary.c_str());
    throw_file_error("write", path, error);
  }
}

int write_first_scenario(const Flags& flags, Console& console) {
  const std::string name = flags.arguments.empty() ? "scenario.yaml" : flags.arguments.front();
  if (name == "-") {
    console.data(kFirstScenario);
    return exit_ok;
  }
  struct stat status {};
  if (::lstat(name.c_str(), &status) == 0 && !flags.force) {
    throw FileError(in_quotes(name) + " exists; --force replaces it");
  }
  if (flags.force) {
    replace_file(name, kFirstScenario);
  } else {
    write_new_file(name, kFirstScenario);
  }
  if (!flags.quiet) {
    console.talk("wrote " + name + "; now: partsim run " + name + "\n");
  }
  return exit_ok;
}

}  // namespace

const Command& init_command() {
  static const Command kCommand{
      {.name = "init",
       .arguments = "[FILE]",
       .summary = "write a first scenario to start from",
       .details = "Writes a small, commented scenario to FILE (default: scenario.yaml), or to\n"
                  "standard output if FILE is '-'. A file that exists is kept.\n",
       .examples = "  partsim init\n"
                   "  partsim init my-shop.yaml && partsim run my-shop.yaml\n",
       .flags = {Flag::force, Flag::quiet, Flag::help},
       .also_accepted = {Flag::color},
       .arguments_max = 1},
      write_first_scenario};
  return kCommand;
}

}  // namespace partsim
