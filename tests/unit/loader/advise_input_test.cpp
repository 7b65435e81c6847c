// Keys and samples from outside a scenario: docs/ADVISE.md.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>
#include <zlib.h>

#include "partsim/loader/key_text.hpp"
#include "partsim/study/advise.hpp"
#include "partsim/workload/trace_rows.hpp"

#include "support/catch.hpp"

using namespace partsim;

namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kFields{"date", "tenant", "user", "vin"};

class File {
 public:
  explicit File(const std::string& text, bool zipped = false) {
    std::string pattern = (fs::temp_directory_path() / "partsim-sample-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    if (zipped) {
      gzFile file = gzopen(path().c_str(), "wb");
      gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
      gzclose(file);
    } else {
      std::ofstream(path(), std::ios::binary) << text;
    }
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { fs::remove_all(folder_); }
  [[nodiscard]] std::string path() const { return (folder_ / "items.csv").string(); }

 private:
  fs::path folder_;
};

std::vector<std::string> read_all(const File& file) {
  const std::unique_ptr<SampleRows> rows = open_sample(file.path());
  std::vector<std::string> found;
  while (const SampleRow* row = rows->next()) {
    std::string text;
    for (const std::string_view field : row->fields) {
      text += std::string(field) + "|";
    }
    text += row->size_bytes ? std::to_string(*row->size_bytes) : "";
    text += row->time_ns ? "@" + std::to_string(*row->time_ns) : "";
    found.push_back(text);
  }
  return found;
}

std::string complaint(const std::string& text) {
  const File file(text);
  try {
    static_cast<void>(read_all(file));
  } catch (const TraceError& error) {
    CHECK(error.kind() == TraceError::Kind::content);
    const std::string message = error.what();
    const std::string name = "items.csv:";
    return message.substr(message.find(name) + name.size());
  }
  return "none";
}

}  // namespace

TEST_CASE("A key is text, or a list of levels in brackets", "[loader]") {
  CHECK(key_text(parse_key_text("{date}.{hash vin 1..400}", kFields).levels) ==
        "{date}.{hash vin 1..400}");
  const KeyText levels = parse_key_text(R"(["{tenant}", "{user}"])", kFields);
  CHECK(levels.error.empty());
  CHECK(key_text(levels.levels) == R"(["{tenant}", "{user}"])");
}

TEST_CASE("A key that cannot be read says what is wrong and what was meant", "[loader]") {
  const KeyText unknown = parse_key_text("{date}.{hash vinn 1..4}", kFields);
  CHECK_THAT(unknown.error, has_text("unknown field 'vinn'"));
  CHECK(unknown.hint == "did you mean 'vin'?");
  CHECK_THAT(parse_key_text("{rndom 1..4}", kFields).error, has_text("did you mean 'random'"));
  CHECK_THAT(parse_key_text("{date", kFields).error, has_text("at character"));
  CHECK(!parse_key_text("", kFields).error.empty());
  CHECK_THAT(parse_key_text(R"(["{date}")", kFields).error, has_text("expected a list such as"));
  CHECK_THAT(parse_key_text(R"([{a: 1}])", kFields).error, has_text("expected a list such as"));
  CHECK_THAT(parse_key_text("[a, b, c, d]", kFields).error, has_text("4 levels, expected 1 to 3"));
  CHECK_THAT(parse_key_text("[]", kFields).error, has_text("0 levels"));
  CHECK(!parse_key_text(std::string_view("a\0b", 3), kFields).error.empty());
}

TEST_CASE("A sample has fields, and may have sizes and times, plain or gzipped", "[loader]") {
  const std::string text =
      "\xEF\xBB\xBFvin,size,not a field,time\r\nV1,10,x,0.5\nV2,20,\"a,b\",1\n";
  const std::vector<std::string> wanted{"V1|10@500000000", "V2|20@1000000000"};
  CHECK(read_all(File(text)) == wanted);
  CHECK(read_all(File(text, true)) == wanted);
  CHECK(open_sample(File(text).path())->names() == std::vector<std::string>{"vin"});
}

TEST_CASE("A sample that is wrong says where and what", "[loader]") {
  CHECK_THAT(complaint(""), has_text("1: error: the file is empty"));
  CHECK_THAT(complaint("1a,b c\n1,2\n"), has_text("1: error: no column is named like a field"));
  CHECK_THAT(complaint("vin,vin\n1,2\n"), has_text("1: error: two columns are named 'vin'"));
  CHECK_THAT(complaint("vin,size,size\n1,2,3\n"), has_text("two columns are named 'size'"));
  CHECK_THAT(complaint("vin\nV1\nV2,x\n"), has_text("3: error: 2 fields, expected 1"));
  CHECK_THAT(complaint("vin,size\nV1,0\n"), has_text("2: error: the size is '0'"));
  CHECK_THAT(complaint("vin,size\nV1,many\n"), has_text("expected a number of bytes above 0"));
  CHECK_THAT(complaint("vin,time\nV1,noon\n"), has_text("2: error: the time is 'noon'"));
  CHECK_THAT(complaint("vin\n\xFF\xFE\n"), has_text("2: error: 'vin' is not UTF-8 text"));
  CHECK_THAT(complaint("vin\n\"V1\n"), has_text("without its closing quote"));
  CHECK_THAT(complaint("vin\n" + std::string(2'049, 'x') + "\n"), has_text("has 2049 bytes"));
  CHECK(complaint("vin\n" + std::string(2'048, 'x') + "\n") == "none");
  CHECK(complaint("random,hash,vin\n1,2,3\n") == "none");  // two names that no key can use
}
