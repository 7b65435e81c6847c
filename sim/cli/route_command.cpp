#include <string>
#include <unistd.h>

#include "partsim/cli/commands.hpp"
#include "partsim/cli/exit_code.hpp"
#include "partsim/cli/route.hpp"
#include "partsim/cli/signals.hpp"

namespace partsim {
namespace {

int route_keys(const Flags& flags, Console& console) {
  if (flags.jsonl && !flags.arguments.empty()) {
    throw UsageError("'partsim route' takes keys or --jsonl, not both");
  }
  if (!flags.jsonl && flags.arguments.empty()) {
    throw UsageError("'partsim route' needs a key, or --jsonl to read keys");
  }
  const RouteOptions options{.hash = flags.hash, .partitions = flags.partitions};
  const RouteWriter write = descriptor_writer(STDOUT_FILENO);
  const RouteResult result =
      flags.jsonl ? route_stream(options, descriptor_reader(STDIN_FILENO, &stop_requested()), write)
                  : route_arguments(options, flags.arguments, write);
  if (stop_signal() != 0) {
    return exit_signal_base + stop_signal();
  }
  if (!result.error.empty()) {
    console.talk("partsim: " + result.error + "\n");
  }
  return route_exit_code(result.status);
}

}  // namespace

const Command& route_command() {
  static const Command kCommand{
      {.name = "route",
       .arguments = "[KEY...]",
       .summary = "print the hash and the physical partition of key values",
       .details = "A KEY that begins with '[' is a JSON array of key components, any other is one\n"
                  "string. The answer is one JSON object a line: the effective partition key and\n"
                  "the partition that owns it. {\"undefined\":true} stands for undefined.\n",
       .examples = "  partsim route --partitions 10 2018-08-09 2018-08-10\n"
                   "  partsim route --hash multihash '[\"contoso\", \"alice\", 7]'\n"
                   "  partsim route --partitions 10 --jsonl < keys.jsonl\n",
       .flags = {Flag::hash, Flag::partitions, Flag::jsonl, Flag::help},
       .also_accepted = {Flag::quiet, Flag::color}},
      route_keys};
  return kCommand;
}

}  // namespace partsim
