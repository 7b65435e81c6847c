#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "partsim/metrics/derived.hpp"
#include "partsim/report/text.hpp"

#include "numbers.hpp"
#include "provider_words.hpp"
#include "short_parts.hpp"

namespace partsim {
namespace {

constexpr std::size_t kFixedLines = 4;  // an empty one, heading, names of columns, units
constexpr unsigned kRoomy = 100;        // columns that all numbers need

struct Columns {
  bool p50 = true;
  bool queue = true;
};

bool any_queue(const StudyResult& study) {
  return std::any_of(study.runs.begin(), study.runs.end(), [](const VariantResult& result) {
    return result.run.total().parts.queue_ns > 0;
  });
}

/// What is zero everywhere, or said by other numbers as well, goes before names are cut short.
Columns columns_for(const ShortView& view) {
  if (view.style.width >= kRoomy) {
    return {};
  }
  const bool queue = any_queue(view.study);
  return {!queue, queue};
}

std::string charge_unit(const StudyResult& study) {
  const bool units = std::all_of(
      study.runs.begin(), study.runs.end(),
      [](const VariantResult& result) { return result.run.provider == Provider::dynamodb; });
  return units ? "units" : "RU";
}

Table make_table(const ShortView& view, const Columns& columns) {
  std::vector<Column> heads{{"", ColumnKind::text}, {refusals_header(view.study)}, {"failed"}};
  std::vector<std::string> units{"", "%", "%"};
  const auto add = [&](Column column, std::string unit) {
    heads.push_back(std::move(column));
    units.push_back(std::move(unit));
  };
  if (columns.p50) {
    add({"p50", ColumnKind::number, 1}, "ms");
  }
  add({"p99"}, "ms");
  add({"service", ColumnKind::number, 3}, "ms");
  if (columns.queue) {
    add({"queue", ColumnKind::number, 5}, "ms");
  }
  add({"retries", ColumnKind::number, 4}, "ms");
  add({charge_unit(view.study) + "/op", ColumnKind::number, 6}, "");
  add({"cost", ColumnKind::number, 2}, "$/month");
  Table table(std::move(heads));
  table.add_units(units);
  return table;
}

/// Latency and charge are those of succeeded operations; without one there is no number to show.
Cell known(const ClientResult& client, double value) {
  return {client.operations.succeeded > 0 ? three_digits(value) : "-"};
}

std::vector<Cell> cells_of(Cell name, const ClientResult& client, std::string cost, Tone throttled,
                           const Columns& columns) {
  const LatencySummary ms = latency_ms(client.latency_ns);
  const LatencyPartsSummary parts = latency_parts_ms(client);
  const double failed = failed_share(client);
  std::vector<Cell> cells{std::move(name),
                          {percent_cell(throttled_share(client)), throttled},
                          {percent_cell(failed), failed > 0 ? Tone::bad : Tone::plain}};
  if (columns.p50) {
    cells.push_back(known(client, ms.p50));
  }
  cells.push_back(known(client, ms.p99));
  cells.push_back(known(client, parts.service));
  if (columns.queue) {
    cells.push_back(known(client, parts.queue));
  }
  cells.push_back(known(client, parts.retry_wait));
  cells.push_back(known(client, ru_per_operation(client)));
  cells.push_back({std::move(cost)});
  return cells;
}

Tone throttled_tone(Severity severity) {
  return severity == Severity::good ? Tone::plain : tone_of(severity);
}

std::size_t client_rows(const StudyResult& study) {
  std::size_t rows = 0;
  for (const VariantResult& result : study.runs) {
    rows += result.run.clients.size() > 1 ? result.run.clients.size() : 0;
  }
  return rows;
}

/// By name if all have room; otherwise in the order of what they lose, so that the cut leaves out
/// the calm ones.
std::vector<const ClientResult*> shown_clients(const RunResult& run, bool all_fit) {
  std::vector<const ClientResult*> clients;
  for (const ClientResult& client : run.clients) {
    clients.push_back(&client);
  }
  if (all_fit) {
    return clients;
  }
  std::stable_sort(clients.begin(), clients.end(),
                   [](const ClientResult* a, const ClientResult* b) {
                     return std::pair(failed_share(*a), throttled_share(*a)) >
                            std::pair(failed_share(*b), throttled_share(*b));
                   });
  return clients;
}

}  // namespace

std::size_t count_lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::string_view mark_of(Severity severity, const TextStyle& style) {
  switch (severity) {
    case Severity::good:
      return style.unicode ? "✓" : "+";
    case Severity::warning:
      return "!";
    case Severity::bad:
      return style.unicode ? "✗" : "x";
  }
  return "";
}

Tone tone_of(Severity severity) {
  return severity == Severity::good      ? Tone::good
         : severity == Severity::warning ? Tone::warning
                                         : Tone::bad;
}

std::vector<std::size_t> variants_worth_showing(const ShortView& view, std::size_t most) {
  std::vector<std::size_t> order(view.study.runs.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  if (order.size() <= most) {
    return order;
  }
  const std::size_t best = best_variant(view.study, view.diagnoses);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(a == best, view.diagnoses[a].severity) >
           std::pair(b == best, view.diagnoses[b].severity);
  });
  order.resize(most);
  std::sort(order.begin(), order.end());
  return order;
}

std::string short_variants(const ShortView& view, std::size_t most_lines) {
  const StudyResult& study = view.study;
  if (study.runs.empty() || most_lines <= kFixedLines) {
    return {};
  }
  const TextStyle& style = view.style;
  const std::size_t most_rows = most_lines - kFixedLines;
  const bool alone = study.runs.size() == 1;
  const bool with_clients = alone || study.runs.size() + client_rows(study) <= most_rows;
  const bool all_fit = study.runs.size() + (with_clients ? client_rows(study) : 0) <= most_rows;
  const std::size_t for_rows = all_fit ? most_rows : std::max<std::size_t>(1, most_rows - 1);
  const Columns columns = columns_for(view);
  Table table = make_table(view, columns);
  std::size_t rows = 0;
  std::size_t clients_left_out = 0;
  for (const std::size_t i : variants_worth_showing(view, for_rows)) {
    const VariantResult& result = study.runs[i];
    const Severity severity = view.diagnoses[i].severity;
    const std::string name =
        fmt::format("{} {}", mark_of(severity, style), visible_text(result.variant, style.unicode));
    table.add_row(cells_of({name, tone_of(severity)}, result.run.total(),
                           dollars_cell(result.run.cost.per_month_micro), throttled_tone(severity),
                           columns));
    ++rows;
    if (!with_clients || result.run.clients.size() < 2) {
      continue;
    }
    for (const ClientResult* client : shown_clients(result.run, all_fit)) {
      if (rows >= for_rows) {
        ++clients_left_out;
        continue;
      }
      table.add_row(cells_of({"    " + visible_text(client->name, style.unicode)}, *client, "",
                             throttled_tone(severity), columns));
      ++rows;
    }
  }
  std::string text = heading(alone ? "What the application met" : "Variants",
                             columns.queue ? "mean latency = service + queue + retries"
                                           : "mean latency = service + retries",
                             style) +
                     table.render(style);
  std::string rest;
  if (clients_left_out > 0) {
    rest = fmt::format("  and {} more clients in results.json", clients_left_out);
  } else if (rows < study.runs.size()) {
    rest = fmt::format("  and {} more in results.json", study.runs.size() - rows);
  }
  if (!rest.empty()) {
    text += paint(shorten(rest, style.width, style.unicode), Tone::dim, style) + "\n";
  }
  return text;
}

}  // namespace partsim
