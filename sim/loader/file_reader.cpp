#include <filesystem>
#include <fstream>
#include <system_error>

#include "partsim/loader/loader.hpp"

#include "text.hpp"

namespace partsim {
namespace {

constexpr std::uintmax_t kMaxDataBytes = std::uintmax_t{64} << 20;

FileText read_at(const std::filesystem::path& path) {
  FileText file;
  file.path = path.string();
  const std::string what = "cannot read " + partsim::quoted(file.path) + ": ";
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    file.trouble = what + "there is no such file";
    return file;
  }
  // A pipe that nobody writes to would be waited for without end.
  if (!std::filesystem::is_regular_file(status)) {
    file.trouble = what + "it is not a regular file";
    return file;
  }
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error || size > kMaxDataBytes) {
    file.trouble = what + (error ? error.message() : "it is larger than 64 MiB");
    return file;
  }
  std::ifstream stream(path, std::ios::binary);
  file.text.resize(static_cast<std::size_t>(size));
  stream.read(file.text.data(), static_cast<std::streamsize>(size));
  if (!stream) {
    file.trouble = what + "reading failed";
    file.text.clear();
  }
  return file;
}

}  // namespace

FileReader files_beside(const std::string& scenario_path) {
  const std::filesystem::path folder = std::filesystem::path(scenario_path).parent_path();
  return [folder](const std::string& name) { return read_at(folder / name); };
}

}  // namespace partsim
