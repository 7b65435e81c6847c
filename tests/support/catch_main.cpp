// Catch2 version 2 builds its main here, once, because it takes most of a minute.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
