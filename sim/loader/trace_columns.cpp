#include "trace_columns.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "partsim/workload/trace_rows.hpp"

#include "text.hpp"

namespace partsim {
namespace {

struct Role {
  std::string_view name;  // of a plain trace
  std::size_t TraceHeader::*place;
  std::string_view other;  // in exports of the service's logs
};

constexpr std::array kRoles{
    Role{"time", &TraceHeader::time, "timegenerated"},
    Role{"operation", &TraceHeader::operation, "operationname"},
    Role{"key", &TraceHeader::key, "partitionkey"},
    Role{"ru", &TraceHeader::charge, "requestcharge"},
    Role{"size", &TraceHeader::size, ""},
    Role{"statuscode", &TraceHeader::status, ""},
    Role{"activityid", &TraceHeader::activity, ""},
    Role{"requestlength", &TraceHeader::request_length, ""},
    Role{"responselength", &TraceHeader::response_length, ""},
};

std::string_view without_suffix(std::string_view name, std::string_view suffix) {
  return name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size()) : name;
}

/// The portal writes `TimeGenerated [UTC]`, the old shared table `requestCharge_s`.
std::string plain_name(std::string_view name) {
  const std::string lower = lower_case(name);
  std::string_view text = without_suffix(lower, " [utc]");
  for (const std::string_view suffix : {"_s", "_d", "_g"}) {
    text = without_suffix(text, suffix);
  }
  return std::string(text);
}

}  // namespace

void bad_content(const CsvReader& reader, const std::string& message) {
  throw TraceError(TraceError::Kind::content, reader.place() + ": error: " + message);
}

void refuse_other_separator(const CsvReader& reader) {
  if (reader.fields().size() != 1) {
    return;
  }
  const std::size_t at = reader.fields().front().find_first_of(";\t|");
  if (at != std::string_view::npos) {
    const char other = reader.fields().front()[at];
    bad_content(reader, "the first line has " +
                            (other == '\t' ? "tabs" : "'" + std::string(1, other) + "'") +
                            ", expected columns separated by commas");
  }
}

std::size_t TraceHeader::find(const std::string& name) const {
  const std::string wanted = lower_case(name);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (lower_case(names[i]) == wanted) {
      return i;
    }
  }
  return kNone;
}

TraceHeader read_header(CsvReader& reader) {
  if (!reader.next()) {
    throw TraceError(TraceError::Kind::content,
                     reader.path() +
                         ":1: error: the file is empty, expected a line with the names "
                         "of its columns");
  }
  if (!reader.fault().empty()) {
    bad_content(reader, reader.fault());
  }
  refuse_other_separator(reader);
  TraceHeader header;
  for (std::size_t i = 0; i < reader.fields().size(); ++i) {
    header.names.emplace_back(reader.fields()[i]);
    const std::string name = plain_name(reader.fields()[i]);
    for (const Role& role : kRoles) {
      if (name != role.name && (name.empty() || name != role.other)) {
        continue;
      }
      if (header.*role.place != TraceHeader::kNone) {
        bad_content(reader, "the columns " + quoted(header.names[header.*role.place]) + " and " +
                                quoted(header.names[i]) + " mean the same, expected one of them");
      }
      header.*role.place = i;
    }
  }
  if (header.time == TraceHeader::kNone) {
    bad_content(reader,
                "no column 'time', expected a first line with the names of the columns, such as "
                "time,operation,key,ru");
  }
  return header;
}

}  // namespace partsim
