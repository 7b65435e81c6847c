#!/usr/bin/env python3
"""Every translation unit is compiled so that results cannot depend on the machine."""
import json
import pathlib
import sys

entries = json.loads((pathlib.Path(sys.argv[1]) / "compile_commands.json").read_text())
bad = []
for entry in entries:
    flags = entry["command"].split()
    if "-ffp-contract=off" not in flags:
        bad.append(f"{entry['file']}: no -ffp-contract=off")
    if any(f.startswith(("-march", "-mtune", "-Ofast")) or f == "-ffast-math" for f in flags):
        bad.append(f"{entry['file']}: a flag that changes results")
print("\n".join(bad))
print(f"{len(entries) - len(bad)} passed, {len(bad)} failed")
sys.exit(1 if bad or not entries else 0)
