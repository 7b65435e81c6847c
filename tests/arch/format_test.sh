#!/usr/bin/env bash
# Every C++ file is as clang-format leaves it.
set -euo pipefail
cd "$1"
find include sim plots tests bench -name '*.hpp' -o -name '*.cpp' | sort |
  xargs clang-format --dry-run --Werror
