// Traces as files: docs/TRACES.md.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>
#include <zlib.h>

#include "partsim/loader/loader.hpp"

#include "support/catch.hpp"

using namespace partsim;

namespace {

namespace fs = std::filesystem;

/// A folder of its own that goes away with the test.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "partsim-trace-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
  }
  void write_gz(const std::string& name, const std::string& text) const {
    gzFile file = gzopen((path_ / name).c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
  }
  [[nodiscard]] std::string path(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

/// A row that owns what it says.
struct Read {
  Nanoseconds time_ns;
  std::optional<OperationKind> kind;
  std::optional<MilliRu> charge_mru;
  std::optional<Bytes> size_bytes;
  std::vector<KeyComponent> key;
  std::vector<std::string> columns;
};

struct Trace {
  TraceReplay replay;
  TraceColumns wanted;
  bool skip_bad_rows = false;
};
Trace keyed(const std::string& file = "t.csv") {
  return {{file, "", kMillion, 0}, {1, {}}, false};
}

std::vector<Read> read_all(const Folder& folder, const Trace& trace,
                           TraceCounts* left_out = nullptr) {
  const auto rows =
      traces_beside(folder.path("scenario.yaml"), trace.skip_bad_rows)(trace.replay, trace.wanted);
  std::vector<Read> all;
  while (const TraceRow* row = rows->next()) {
    all.push_back({row->time_ns,
                   row->kind,
                   row->charge_mru,
                   row->size_bytes,
                   {row->key.begin(), row->key.end()},
                   {row->columns.begin(), row->columns.end()}});
  }
  if (left_out != nullptr) {
    *left_out = rows->left_out();
  }
  return all;
}

/// What is said of a trace that cannot be read, without the folder.
std::string complaint(const Folder& folder, const Trace& trace, TraceError::Kind* kind = nullptr) {
  try {
    static_cast<void>(read_all(folder, trace));
  } catch (const TraceError& error) {
    if (kind != nullptr) {
      *kind = error.kind();
    }
    std::string text = error.what();
    const std::string prefix = folder.path("");
    for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) {
      text.erase(at, prefix.size());
    }
    return text;
  }
  return "no complaint";
}

KeyComponent text(const char* value) {
  return std::string(value);
}

}  // namespace

TEST_CASE("a plain trace has time, operation, key, charge and size in any order and case",
          "[loader][trace]") {
  const Folder folder;
  folder.write("t.csv",
               "Key,SIZE,Time,ru,operation,note\n"
               "a,100,0,5.7142,create,x\n"
               "b,,0.5,,SqlQuery,\n"
               "c,7,1.000000001,0.0004,,\n"
               "d,7,2.5,0.0005,Delete,\n");
  const std::vector<Read> rows = read_all(folder, keyed());
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].time_ns == 0);
  CHECK(rows[0].kind == OperationKind::create);
  CHECK(rows[0].charge_mru == 5'714);
  CHECK(rows[0].size_bytes == 100);
  CHECK(rows[0].key == std::vector<KeyComponent>{text("a")});
  CHECK(rows[1].time_ns == kSecond / 2);
  CHECK(rows[1].kind == OperationKind::query);
  CHECK_FALSE(rows[1].charge_mru);
  CHECK_FALSE(rows[1].size_bytes);
  CHECK(rows[2].time_ns == kSecond + 1);
  CHECK_FALSE(rows[2].kind);
  CHECK(rows[2].charge_mru == 0);
  CHECK(rows[3].charge_mru == 1);  // half a thousandth is rounded up
  CHECK(rows[3].kind == OperationKind::remove);
}

TEST_CASE("a trace with semicolons or tabs is told that columns go by commas", "[loader][trace]") {
  const Folder folder;
  folder.write("t.csv", "time;key\n0;a\n");
  CHECK(complaint(folder, keyed()) ==
        "t.csv:1: error: the first line has ';', expected columns separated by commas");
  folder.write("t.csv", "time\tkey\n0\ta\n");
  CHECK(complaint(folder, keyed()) ==
        "t.csv:1: error: the first line has tabs, expected columns separated by commas");
}

TEST_CASE("every operation name of the service's logs and of scenarios is understood",
          "[loader][trace]") {
  const std::vector<std::pair<const char*, OperationKind>> names{
      {"Create", OperationKind::create},       {"Update", OperationKind::replace},
      {"Read", OperationKind::read},           {"ReadFeed", OperationKind::read_feed},
      {"Delete", OperationKind::remove},       {"Replace", OperationKind::replace},
      {"Execute", OperationKind::script},      {"SqlQuery", OperationKind::query},
      {"Query", OperationKind::query},         {"JSQuery", OperationKind::query},
      {"Head", OperationKind::read},           {"HeadFeed", OperationKind::read_feed},
      {"Upsert", OperationKind::upsert},       {"patch", OperationKind::patch},
      {"read_feed", OperationKind::read_feed}, {"batch", OperationKind::batch},
      {"script", OperationKind::script}};
  const Folder folder;
  std::string csv = "time,operation,key\n";
  for (const auto& [name, kind] : names) {
    csv += std::string("1,") + name + ",k\n";
  }
  folder.write("t.csv", csv);
  const std::vector<Read> rows = read_all(folder, keyed());
  REQUIRE(rows.size() == names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    INFO(names[i].first);
    CHECK(rows[i].kind == names[i].second);
  }
}

TEST_CASE("times may be instants, as ISO 8601 or as the portal exports them", "[loader][trace]") {
  const Folder folder;
  folder.write("t.csv",
               "TimeGenerated [UTC],PartitionKey\n"
               "1970-01-02T00:00:00Z,a\n"
               "1970-01-02 00:00:00.25,a\n"
               "1970-01-02T00:00:01.1234567+00:00,a\n"
               "\"1/2/1970, 12:00:02.5 AM\",a\n"
               "\"1/2/1970, 12:00:00.000 PM\",a\n"
               "\"1/2/1970, 1:02:03 PM\",a\n");
  const std::vector<Read> rows = read_all(folder, keyed());
  const Nanoseconds day = 24 * kHour;
  REQUIRE(rows.size() == 6);
  CHECK(rows[0].time_ns == day);
  CHECK(rows[1].time_ns == day + kSecond / 4);
  CHECK(rows[2].time_ns == day + kSecond + 123'456'700);
  CHECK(rows[3].time_ns == day + 2 * kSecond + kSecond / 2);
  CHECK(rows[4].time_ns == day + 12 * kHour);
  CHECK(rows[5].time_ns == day + 13 * kHour + 120 * kSecond + 3 * kSecond);
}

TEST_CASE("quotes, line ends inside them, CRLF, a byte order mark and a missing last line end",
          "[loader][trace]") {
  const Folder folder;
  folder.write("t.csv",
               "\xEF\xBB\xBFtime,\"key\"\r\n"
               "1,\"a,b\"\r\n"
               "\r\n"
               "2,\"say \"\"hi\"\"\"\r\n"
               "3,\"two\nlines\"\r\n"
               "4,\"\"\r\n"
               "5,last");
  const std::vector<Read> rows = read_all(folder, keyed());
  REQUIRE(rows.size() == 5);
  CHECK(rows[0].key.front() == text("a,b"));
  CHECK(rows[1].key.front() == text("say \"hi\""));
  CHECK(rows[2].key.front() == text("two\nlines"));
  CHECK(rows[3].key.front() == text(""));
  CHECK(rows[4].key.front() == text("last"));
}

TEST_CASE("a key that begins with a bracket is a JSON array, any other is text",
          "[loader][trace]") {
  const Folder folder;
  folder.write("t.csv",
               "time,key\n"
               "1,[5]\n"
               "2,5\n"
               "3,\"[\"\"x\"\"]\"\n"
               "4,[null]\n"
               "5,[true]\n"
               "6,[{}]\n");
  const std::vector<Read> rows = read_all(folder, keyed());
  REQUIRE(rows.size() == 6);
  CHECK(rows[0].key == std::vector<KeyComponent>{5.0});
  CHECK(rows[1].key == std::vector<KeyComponent>{text("5")});
  CHECK(rows[2].key == std::vector<KeyComponent>{text("x")});
  CHECK(rows[3].key == std::vector<KeyComponent>{Null{}});
  CHECK(rows[4].key == std::vector<KeyComponent>{true});
  CHECK(rows[5].key == std::vector<KeyComponent>{Undefined{}});
}

TEST_CASE("columns are found by name and kept as text", "[loader][trace]") {
  const Folder folder;
  folder.write("t.csv",
               "time,VehicleId,Region\n"
               "1,007,eu\n"
               "2,,us\n");
  Trace trace{{"t.csv", "", kMillion, 0}, {0, {"region", "vehicleid"}}, false};
  const std::vector<Read> rows = read_all(folder, trace);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].columns == std::vector<std::string>{"eu", "007"});
  CHECK(rows[1].columns == std::vector<std::string>{"us", ""});
  CHECK(rows[0].key.empty());

  trace.wanted.names = {"VehicleIdd"};
  CHECK(complaint(folder, trace) ==
        "t.csv:1: error: no column 'VehicleIdd', did you mean 'VehicleId'?");
}

TEST_CASE("an export of the RU log is joined with the requests, and what was throttled is left out",
          "[loader][trace]") {
  const Folder folder;
  folder.write("ru.csv",
               "TimeGenerated,ActivityId,OperationName,PartitionKey,RequestCharge\n"
               "2024-01-31T16:05:06.1Z,AA-1,Create,\"[\"\"2\"\"]\",5.71\n"
               "2024-01-31T16:05:06.2Z,aa-2,Create,\"[\"\"2\"\"]\",0\n"
               "2024-01-31T16:05:06.3Z,aa-3,Read,\"[\"\"3\"\"]\",1\n"
               "2024-01-31T16:05:06.4Z,aa-4,Upsert,\"[\"\"4\"\"]\",10\n");
  folder.write("dp.csv",
               "ActivityId,TimeGenerated,StatusCode,RequestLength,ResponseLength\n"
               "aa-2,2024-01-31T16:05:06.0Z,429,900,100\n"
               "aa-1,2024-01-31T16:05:06.2Z,201,1200,300\n"
               "aa-3,2024-01-31T16:05:07.9Z,200,50,4000\n");
  Trace trace = keyed("ru.csv");
  trace.replay.requests_file = "dp.csv";
  TraceCounts left_out;
  const std::vector<Read> rows = read_all(folder, trace, &left_out);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].charge_mru == 5'710);
  CHECK(rows[0].size_bytes == 1'200);  // a write: what was sent
  CHECK(rows[1].size_bytes == 4'000);  // a read: what came back
  CHECK_FALSE(rows[2].size_bytes);     // not among the requests
  CHECK(left_out.throttled == 1);
  CHECK(left_out.bad == 0);
}

TEST_CASE("of several requests with one id it is the newest up to the row's time, else the next",
          "[loader][trace]") {
  const Folder folder;
  folder.write("dp.csv",
               "time,ActivityId,StatusCode\n1,twice,200\n3,twice,429\n3,other,200\n6,twice,200\n"
               "7,later,429\n8,later,200\n");
  Trace trace = keyed("ru.csv");
  trace.replay.requests_file = "dp.csv";
  const auto throttled = [&](const std::string& rows) {
    folder.write("ru.csv", "time,key,ActivityId\n" + rows);
    TraceCounts left_out;
    (void)read_all(folder, trace, &left_out);
    return left_out.throttled;
  };
  CHECK(throttled("2,a,twice\n") == 0);
  CHECK(throttled("5,a,TWICE\n") == 1);
  CHECK(throttled("6,a,twice\n") == 0);
  CHECK(throttled("5,a,later\n") == 1);
  // however far was read for the row before
  CHECK(throttled("2,a,nobody\n2,a,twice\n5,a,twice\n5,a,later\n") == 2);
}

TEST_CASE("requests are found within 65536 rows of the row's time and not beyond",
          "[loader][trace]") {
  const Folder folder;
  const int others = GENERATE(65'535, 65'536);
  std::string requests = "ActivityId,TimeGenerated,StatusCode\n";
  for (int i = 0; i < others; ++i) {
    requests += "x" + std::to_string(i) + ",2,200\n";
  }
  requests += "wanted,3,429\n";
  folder.write("dp.csv", requests);
  folder.write("ru.csv", "time,key,ActivityId\n1,a,wanted\n");
  Trace trace = keyed("ru.csv");
  trace.replay.requests_file = "dp.csv";
  CHECK(read_all(folder, trace).size() == (others < 65'536 ? 0 : 1));
}

TEST_CASE("a status column of the trace itself leaves out what was throttled", "[loader][trace]") {
  const Folder folder;
  folder.write("t.csv", "time,key,StatusCode\n1,a,429\n2,a,200\n3,a,\n");
  TraceCounts left_out;
  CHECK(read_all(folder, keyed(), &left_out).size() == 2);
  CHECK(left_out.throttled == 1);
}

TEST_CASE("a gzipped trace reads like a plain one, whatever it is called", "[loader][trace]") {
  const Folder folder;
  std::string csv = "time,key\n";
  for (int i = 0; i < 100'000; ++i) {
    csv += std::to_string(i) + ",key-" + std::to_string(i % 77) + "\n";
  }
  folder.write_gz("t.csv.gz", csv);
  folder.write_gz("t.csv", csv);
  CHECK(read_all(folder, keyed("t.csv.gz")).size() == 100'000);
  CHECK(read_all(folder, keyed("t.csv")).back().key.front() == text("key-53"));

  SECTION("one that ends too soon, or is damaged, is a file that cannot be read") {
    std::ifstream stream(folder.path("t.csv.gz"), std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(stream)), {});
    TraceError::Kind kind = TraceError::Kind::content;
    folder.write("cut.gz", bytes.substr(0, bytes.size() / 2));
    CHECK(complaint(folder, keyed("cut.gz"), &kind) ==
          "cannot read 'cut.gz': the compressed data end too soon");
    CHECK(kind == TraceError::Kind::file);
    bytes[bytes.size() - 6] = static_cast<char>(bytes[bytes.size() - 6] + 1);  // its checksum
    folder.write("bad.gz", bytes);
    CHECK(complaint(folder, keyed("bad.gz")) ==
          "cannot read 'bad.gz': the compressed data are damaged");
  }
}

TEST_CASE("a file that is not there, or is a folder, cannot be read", "[loader][trace]") {
  const Folder folder;
  TraceError::Kind kind = TraceError::Kind::content;
  CHECK(complaint(folder, keyed("none.csv"), &kind) ==
        "cannot read 'none.csv': there is no such file");
  CHECK(kind == TraceError::Kind::file);
  fs::create_directory(folder.path("dir"));
  CHECK(complaint(folder, keyed("dir")) == "cannot read 'dir': it is not a regular file");
}

TEST_CASE("what is wrong with a row is said with its line", "[loader][trace]") {
  struct Case {
    const char* rows;
    const char* message;
  };
  const std::vector<Case> cases{
      {"1,a,1,1\n", "4 fields, expected 5 as in the first line"},
      {"1,a,1,1,1,1\n", "6 fields, expected 5 as in the first line"},
      {"soon,a,,,\n",
       "the time is 'soon', expected seconds or an instant such as 2024-01-31T16:05:06.789Z"},
      {"2024-02-30T00:00:00Z,a,,,\n",
       "the time is '2024-02-30T00:00:00Z', expected seconds or an instant such as "
       "2024-01-31T16:05:06.789Z"},
      {"-1,a,,,\n",
       "the time is '-1', expected seconds or an instant such as 2024-01-31T16:05:06.789Z"},
      {"1,a,-5,,\n", "the charge is '-5', expected RU from 0 to 4000000"},
      {"1,a,4000000.001,,\n", "the charge is '4000000.001', expected RU from 0 to 4000000"},
      {"1,a,1,big,\n", "the size is 'big', expected a number of bytes"},
      {"1,a,1,1,Drop\n",
       "the operation is 'Drop', expected one such as create, read, query or SqlQuery"},
      {"1,\"a\"b,1,1,\n", "unexpected 'b' behind a quoted field, expected a comma"},
      {"1,\"[\"\"a\"\",\"\"b\"\"]\",1,1,\n",
       R"(the key '["a","b"]' has 2 components, expected one)"},
      {"1,[],1,1,\n", "the key '[]' has 0 components, expected one"},
      {"0.5,a,1,1,\n", "earlier than the row before; sort the file by time"},
  };
  const Folder folder;
  for (const Case& each : cases) {
    INFO(each.rows);
    folder.write("t.csv", std::string("time,key,ru,size,operation\n1,\"two\nlines\",,,\n") +
                              each.rows + "9,z,,,\n");
    TraceError::Kind kind = TraceError::Kind::file;
    CHECK(complaint(folder, keyed(), &kind) == std::string("t.csv:4: error: ") + each.message);
    CHECK(kind == TraceError::Kind::content);
  }
  folder.write("t.csv", "time,key\n1,\"never closed\n2,b\n");
  CHECK(complaint(folder, keyed()) == "t.csv:2: error: a quoted field without its closing quote");
  folder.write("t.csv", "time,key\n1,\xFF\n");
  CHECK_THAT(complaint(folder, keyed()), Catch::Matchers::StartsWith("t.csv:2: error: the key is"));
}

TEST_CASE("bad rows can be skipped and are counted; rows out of order cannot", "[loader][trace]") {
  const Folder folder;
  Trace trace = keyed();
  trace.skip_bad_rows = true;
  folder.write("t.csv", "time,key,ru\n1,a,1\n2,b\n3,c,x\nx,d,1\n4,e,1\n");
  TraceCounts left_out;
  CHECK(read_all(folder, trace, &left_out).size() == 2);
  CHECK(left_out.bad == 3);
  folder.write("t.csv", "time,key\n2,a\n1,b\n");
  CHECK(complaint(folder, trace) ==
        "t.csv:3: error: earlier than the row before; sort the file by time");
}

TEST_CASE("a first line that cannot be used is said to be so", "[loader][trace]") {
  const Folder folder;
  folder.write("t.csv", "");
  CHECK(complaint(folder, keyed()) ==
        "t.csv:1: error: the file is empty, expected a line with the names of its columns");
  folder.write("t.csv", "1,a\n2,b\n");
  CHECK(complaint(folder, keyed()) ==
        "t.csv:1: error: no column 'time', expected a first line with the names of the columns, "
        "such as time,operation,key,ru");
  folder.write("t.csv", "time,ru\n");
  CHECK(complaint(folder, keyed()) ==
        "t.csv:1: error: no column 'key', and the container has no 'partition_key' to build one "
        "from other columns");
  folder.write("t.csv", "time,key,PartitionKey\n");
  CHECK(complaint(folder, keyed()) ==
        "t.csv:1: error: the columns 'key' and 'PartitionKey' mean the same, expected one of them");
  folder.write("t.csv", "time,key\n");
  Trace joined = keyed();
  joined.replay.requests_file = "t.csv";
  CHECK(complaint(folder, joined) ==
        "t.csv:1: error: no column 'ActivityId', by which requests are found");
}

TEST_CASE("a row of more than a mebibyte is refused instead of filling the memory",
          "[loader][trace]") {
  const Folder folder;
  folder.write("t.csv", "time,key\n1,\"" + std::string(3 << 20, 'x'));
  CHECK(complaint(folder, keyed()) ==
        "t.csv:2: error: a row of more than 1 MiB, expected a line end or a closing quote before");
}
