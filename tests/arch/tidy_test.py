#!/usr/bin/env python3
"""clang-tidy over the product's sources. A file that was clean stays clean until it, a project header
it includes, its flags or the configuration change; so a warm run takes seconds."""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT, BUILD = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
# Beside ccache's, so that a fresh clone on the same machine is warm too.
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "partsim-tidy"
CACHE.mkdir(parents=True, exist_ok=True)
CONFIG = (ROOT / ".clang-tidy").read_bytes()
VERSION = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout


def project_headers(path, seen):
    """The file and every project header it reaches, by its include lines."""
    if path in seen or not path.exists():
        return
    seen.add(path)
    for target in re.findall(r'#include "([^"]+)"', path.read_text(encoding="utf-8")):
        project_headers(ROOT / "include" / target, seen)
        project_headers(path.parent / target, seen)


def check(entry):
    source = pathlib.Path(entry["file"])
    seen = set()
    project_headers(source, seen)
    digest = hashlib.sha256(CONFIG + VERSION)
    digest.update(entry["command"].replace(str(BUILD), "").replace(str(ROOT), "").encode())
    for path in sorted(seen):
        digest.update(path.read_bytes())
    stamp = CACHE / digest.hexdigest()
    if stamp.exists():
        return ""
    done = subprocess.run(["clang-tidy", "--quiet", "-p", str(BUILD),
                           "--extra-arg=-Wno-unknown-warning-option", str(source)],
                          capture_output=True, text=True, check=False)
    if done.returncode == 0:
        stamp.touch()
        return ""
    return f"{source.relative_to(ROOT)}\n{done.stdout}{done.stderr}"


entries = json.loads((BUILD / "compile_commands.json").read_text())
product = [e for e in entries
           if pathlib.Path(e["file"]).relative_to(ROOT).parts[0] in ("sim", "plots")]
with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
    failures = [text for text in pool.map(check, product) if text]
for failure in failures:
    print(failure)
print(f"{len(product) - len(failures)} passed, {len(failures)} failed")
sys.exit(1 if failures or not product else 0)
