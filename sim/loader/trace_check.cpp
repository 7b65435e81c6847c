// A look into the traces of a study before it runs. docs/TRACES.md.
#include <set>
#include <tuple>

#include "partsim/loader/loader.hpp"
#include "partsim/workload/trace_feed.hpp"

namespace partsim {
namespace {

/// One way to read one recording; variants mostly share it.
using Reading = std::tuple<std::string, std::string, std::size_t, std::vector<std::string>>;

/// Levels of the key of the first row; 1 without rows.
std::size_t levels_of_rows(const TraceReplay& replay, const TraceOpener& open) {
  const TraceRow* row = open(replay, {kMaxKeyLevels, {}})->next();
  return row == nullptr ? 1 : row->key.size();
}

}  // namespace

void look_into_traces(StudyFile& study, const TraceOpener& open, std::uint64_t rows) {
  std::set<Reading> done;
  for (Variant& variant : study.variants) {
    Scenario& scenario = variant.scenario;
    for (const ClientSpec& client : scenario.clients) {
      const auto* replay = std::get_if<TraceReplay>(&client.arrivals);
      if (replay == nullptr) {
        continue;
      }
      ContainerSpec& container = scenario.containers[client.container];
      // Who shares a database has the hash of the others.
      if (container.partition_key.empty() && !container.shares_database &&
          levels_of_rows(*replay, open) > 1) {
        container.hash = HashVersion::multihash;
      }
      const TraceColumns wanted =
          trace_columns(container, KeySpace(container, scenario.start_unix_s));
      if (!done.insert({replay->file, replay->requests_file, wanted.key_levels, wanted.names})
               .second) {
        continue;
      }
      const std::unique_ptr<TraceRows> reader = open(*replay, wanted);
      for (std::uint64_t i = 0; i < rows && reader->next() != nullptr; ++i) {
      }
    }
  }
}

}  // namespace partsim
