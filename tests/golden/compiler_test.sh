#!/usr/bin/env bash
# compiler_test.sh SOURCE BUILD COMPILER LEVEL: another compiler, the same attempts.
set -euo pipefail
source=$1 build=$2 compiler=$3 level=$4
work=$build/compilers/$compiler-$level
command -v "$compiler" >/dev/null || { echo "no $compiler here"; exit 1; }
cmake -S "$source" -B "$work" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_CXX_FLAGS="-$level" -DPARTSIM_BUILD_TESTS=ON >/dev/null
cmake --build "$work" --target digests >/dev/null
exec bash "$source/tests/golden/digests_test.sh" "$source" "$work/bin/digests" 2
