#!/usr/bin/env bash
# digests_test.sh SOURCE PROGRAM JOBS: every shipped scenario computes the attempts it always did.
set -euo pipefail
source=$1 program=$2 jobs=$3
cd "$source"
"$program" "$jobs" scenarios/*.yaml | diff tests/golden/digests.txt - && echo "1 passed, 0 failed"
