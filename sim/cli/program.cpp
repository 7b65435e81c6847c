#include "partsim/cli/program.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "partsim/cli/commands.hpp"
#include "partsim/cli/descriptor.hpp"
#include "partsim/cli/exit_code.hpp"
#include "partsim/plots/plots.hpp"
#include "partsim/plots/report_page.hpp"
#include "partsim/workload/trace_rows.hpp"

namespace partsim {
namespace {

using CommandList = std::array<const Command*, 13>;

CommandList commands() {
  return {&run_command(),     &check_command(), &compare_command(), &plan_command(),
          &sweep_command(),   &merge_command(), &advise_command(),  &validate_command(),
          &explain_command(), &route_command(), &schema_command(),  &list_command(),
          &init_command()};
}

std::string usage() {
  std::string text = "Usage: partsim COMMAND [flags] [arguments]\n\nCommands:\n";
  for (const Command* command : commands()) {
    text += fmt::format("  {:<10}{}\n", command->syntax.name, command->syntax.summary);
  }
  text +=
      "\n'partsim COMMAND --help' tells more; 'partsim --version' prints the version.\n"
      "New here: 'partsim init', then 'partsim run scenario.yaml'.\n";
  return text;
}

std::string help() {
  return "partsim simulates what a partition key does to throughput: request units,\n"
         "throttling, retries and latency, partition by partition.\n\n" +
         usage() +
         "\nExit codes: 0 ok, 1 an expectation or comparison failed, 2 bad usage or\n"
         "invalid scenario, 3 files or tools, 4 over a limit, 70 internal error, 130\n"
         "and 143 interrupted with a valid partial result.\n\n"
         "Examples:\n"
         "  partsim init\n"
         "  partsim run scenario.yaml\n"
         "  partsim run scenario.yaml --set container.throughput='8000 RU/s'\n"
         "  partsim advise scenario.yaml\n"
         "  partsim route --partitions 10 2018-08-09\n";
}

std::string version() {
  return fmt::format("partsim {} (charts: gnuplot{}; report page: {})\n", PARTSIM_VERSION,
                     is_built_in(ChartBackend::matplot) ? ", matplot" : "",
                     has_interactive_page() ? "interactive" : "static");
}

const Command& find_command(const std::string& name) {
  std::vector<std::string> names;
  for (const Command* command : commands()) {
    if (command->syntax.name == name) {
      return *command;
    }
    names.emplace_back(command->syntax.name);
  }
  const bool is_flag = name.compare(0, 1, "-") == 0;
  if (is_flag) {
    names = {"--help", "--version"};
  }
  const std::optional<std::string> meant = nearest_word(name, names);
  throw UsageError(std::string(is_flag ? "unknown flag " : "unknown command ") + in_quotes(name),
                   meant ? "did you mean '" + *meant + "'?" : "'partsim --help' lists them");
}

int dispatch(const std::vector<std::string>& words, Console& console) {
  if (words.empty()) {
    console.talk(usage());
    return exit_usage;
  }
  const std::string& first = words.front();
  if (first == "--help" || first == "-h" || first == "--version") {
    if (words.size() > 1) {
      throw UsageError(in_quotes(first) + " takes no argument");
    }
    console.data(first == "--version" ? version() : help());
    return exit_ok;
  }
  const Command& command = find_command(first);
  const Flags flags = parse_flags(command.syntax, std::span(words).subspan(1));
  if (flags.help) {
    console.data(help_text(command.syntax));
    return exit_ok;
  }
  return command.run(flags, console);
}

template <class Function>
int guarded(Console& console, Function function) noexcept {
  try {
    try {
      return function();
    } catch (const UsageError& error) {
      console.talk(std::string("partsim: ") + error.what() + "\n" +
                   (error.hint().empty() ? "" : "  hint: " + error.hint() + "\n"));
      return exit_usage;
    } catch (const ReaderGone&) {
      return exit_files;
    } catch (const FileError& error) {
      console.talk(std::string("partsim: ") + error.what() + "\n");
      return exit_files;
    } catch (const TraceError& error) {
      // a mistake in a file already says where, like those of scenarios
      const bool is_content = error.kind() == TraceError::Kind::content;
      console.talk((is_content ? "" : "partsim: ") + std::string(error.what()) + "\n");
      return is_content ? exit_usage : exit_files;
    } catch (const std::filesystem::filesystem_error& error) {
      console.talk("partsim: cannot use " + in_quotes(error.path1().native()) + ": " +
                   error.code().message() + "\n");
      return exit_files;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      console.talk(std::string("partsim: internal error: ") + error.what() + "\n");
      return exit_internal;
    }
  } catch (const std::bad_alloc&) {
    // Also when there was no memory left to tell another error.
    console.talk("partsim: out of memory\n");
    return exit_over_limit;
  } catch (...) {
    console.talk("partsim: internal error\n");
    return exit_internal;
  }
}

}  // namespace

int run_program(std::span<const char* const> words, Console& console) noexcept {
  const int code = guarded(console, [&] {
    const auto arguments = words.subspan(std::min<std::size_t>(1, words.size()));
    return dispatch({arguments.begin(), arguments.end()}, console);
  });
  const int flushed = guarded(console, [&] {
    console.flush();
    return int{exit_ok};
  });
  // Lost data outweighs a verdict that nobody could read, but not an earlier failure.
  return flushed != exit_ok && (code == exit_ok || code == exit_expectation_failed) ? flushed
                                                                                    : code;
}

}  // namespace partsim
