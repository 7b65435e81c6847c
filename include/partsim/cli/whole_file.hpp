/// Single files that are read as a whole, and that appear as a whole or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace partsim {

/// The first `max_bytes` of a regular file. Throws FileError; a pipe or a folder is refused without
/// waiting.
[[nodiscard]] std::string read_regular_file(const std::filesystem::path& path,
                                            std::size_t max_bytes);

/// Throws FileError if no file can be written there: before the work, which may take an hour.
/// Touches nothing.
void check_file_target(const std::filesystem::path& path);

/// Makes or replaces a file in one step, and missing parents. Throws FileError and leaves what was
/// there.
void write_whole_file(const std::filesystem::path& path, std::string_view content);

}  // namespace partsim
