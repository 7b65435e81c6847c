#!/usr/bin/env python3
"""The include arrows of the design, and taste that a machine can judge."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1]).resolve()
ORDER = ["core", "keys", "scenario", "service", "workload", "metrics", "engine", "study",
         "loader", "report", "plots", "cli"]
# Third-party headers and the modules that may include them.
LIBRARIES = {"yaml-cpp": {"loader"}, "boost": {"cli"}, "Eigen": {"metrics", "study", "engine"},
             "nlohmann": {"report", "cli"}, "fmt": {"report", "plots", "cli"}, "matplot": {"plots"}, "zlib.h": {"loader"}}
MODEL = {"core", "keys", "scenario", "service", "workload", "engine"}
BANNED_IN_MODEL = {
    r"std::(log|exp|pow|sin|cos|tan|log2|log10|expm1|log1p|cbrt|tgamma|lgamma)\b": "libm in the model",
    r"_distribution<|std::shuffle|random_device": "standard random numbers in the model",
    r"system_clock|steady_clock|\btime\(nullptr\)": "a clock in the model",
    r"std::unordered_": "a hash container in the model",
    r"std::format|std::ranges|std::views": "not on all our compilers",
    r"\bstd::cout\b|\bstd::cerr\b|\bprintf\(": "the library never prints",
}
passed, failures = 0, []


def module_of(path):
    parts = path.relative_to(ROOT).parts
    if parts[0] == "plots":
        return "plots"
    return parts[2] if parts[0] == "include" else parts[1]


def sources():
    for folder in ("include/partsim", "sim", "plots"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".hpp", ".cpp"):
                yield path


def judge(ok, message):
    global passed
    if ok:
        passed += 1
    else:
        failures.append(message)


def check_file(path):
    module = module_of(path)
    name = path.relative_to(ROOT)
    text = path.read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        where = f"{name}:{number}"
        include = re.match(r'#include\s+[<"]([^>"]+)[>"]', line)
        if include:
            target = include.group(1)
            ours = re.match(r"partsim/(\w+)/", target)
            if ours:
                judge(ours.group(1) in ORDER and ORDER.index(ours.group(1)) <= ORDER.index(module),
                      f"{where}: {module} may not include {target}")
            for library, modules in LIBRARIES.items():
                if target == library or target.startswith(library + "/"):
                    judge(module in modules, f"{where}: {library} does not belong in {module}")
        code = line.split("//")[0]
        if module in MODEL:
            for pattern, why in BANNED_IN_MODEL.items():
                judge(not re.search(pattern, code), f"{where}: {why}")
        judge(len(line) <= 100, f"{where}: longer than 100 columns")
    judge(text.endswith("\n") and "\r" not in text, f"{name}: line ends")


for source in sources():
    check_file(source)
tracked = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, check=False)
for file_name in filter(None, tracked.stdout.decode().split("\0")):
    path = ROOT / file_name
    if path.suffix in (".cpp", ".hpp", ".py", ".md", ".yaml", ".txt", ".cmake") and path.exists():
        text = path.read_text(encoding="utf-8")
        judge(not re.search(r"(^|[^\w.])/(work|root|home)/", text), f"{file_name}: a path of one machine")
        judge(not re.search("TO" + "DO|FIX" + "ME", text), f"{file_name}: unfinished work")
for preset in (ROOT / "CMakePresets.json").read_text(), (ROOT / "cmake/CompileOptions.cmake").read_text():
    judge(not re.search(r"INTERFACE[^)]*(-march|-ffast-math|-Ofast)", preset), "flags that change results")

for failure in failures:
    print(failure)
print(f"{passed} passed, {len(failures)} failed")
sys.exit(1 if failures else 0)
