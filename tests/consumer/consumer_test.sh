#!/usr/bin/env bash
# find_package(partsim) works from an installed tree: install, configure, build, run.
set -euo pipefail
build=$1 source=$2 work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >/dev/null
cmake -S "$source/tests/consumer" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build "$work/build" >"$work/log" || { cat "$work/log"; exit 1; }
"$work/build/consumer" "$source/scenarios/vehicle-telemetry.yaml" >"$work/results.json"
grep -q '"format_version"' "$work/results.json"
echo "1 passed, 0 failed"
