#!/usr/bin/env bash
# page_test.sh browser|types PARTSIM SOURCE WEB_DIR [TEXT]: 77 where a tool is missing.
set -euo pipefail
what=$1 partsim=$2 source=$3 web=$4
skip() { echo "skipped: $1"; exit 77; }
command -v node >/dev/null || skip "no node"
[ -s "$web/page.js" ] || skip "this build has no interactive page"
[ -d "$web/node_modules/typescript" ] || skip "the tools of the tests are not installed"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ "$what" = types ]; then
  if grep -n '"resolved"' "$source/plots/web/package-lock.json"; then
    echo "the lock file names the place that somebody's packages came from"
    exit 1
  fi
  cd "$web"
  node node_modules/typescript/bin/tsc --noEmit -p .
  echo "1 passed, 0 failed"
  exit 0
fi

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
  skip "no Chromium"
"$browser" --version >/dev/null 2>&1 || skip "$browser does not start"
run() { "$partsim" run --quiet --charts none -o "$work/$1" "$2" >/dev/null; }
run flagship "$source/scenarios/vehicle-telemetry.yaml"
run layout "$source/scenarios/uneven-scale-up.yaml"
run hostile "$source/tests/page/hostile.yaml"
node "$source/tests/page/page_test.mjs" "$web" "$browser" "$work" "${5:-}"
