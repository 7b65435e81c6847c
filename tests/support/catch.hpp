/// The one file that knows which Catch2 is installed.
#pragma once
#include <string>
#if __has_include(<catch2/catch_test_macros.hpp>)  // version 3
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
using Catch::Approx;  // version 2 has it in the global namespace
inline auto has_text(const std::string& text) {
  return Catch::Matchers::ContainsSubstring(text);
}
#else  // version 2, as in Debian bookworm; CATCH_CONFIG_MAIN sits alone in support/catch_main.cpp
#include <catch2/catch.hpp>
inline auto has_text(const std::string& text) {
  return Catch::Matchers::Contains(text);
}
#endif
