#!/usr/bin/env python3
"""The scenario library against docs/SOURCES.md: nothing missing, nothing that does not hold.

usage: sources_test.py PARTSIM SOURCE_DIR [--write]   (--write: put the measured values in the table)
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

PARTSIM, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
WRITE = "--write" in sys.argv[3:]
TABLE = SOURCE / "docs" / "SOURCES.md"
FILES = sorted((SOURCE / "scenarios").glob("*.yaml"))
ROWS = 22
MEASURED = re.compile(r"`([\w-]+)/([\w-]+)\.([\w.-]+)` ([0-9.]+)")

passed, failures = 0, []


def judge(ok, message):
    global passed
    if ok:
        passed += 1
    else:
        failures.append(message)


def run_all():
    """The results of every scenario, by its name; what an `expect:` rule says is judged here."""
    results = {}
    with tempfile.TemporaryDirectory(prefix="partsim-sources-") as folder:
        done = subprocess.run([PARTSIM, "run", *map(str, FILES), "--charts=none", "--quiet",
                               "--output", folder + "/out"], capture_output=True, text=True)
        judge(done.returncode == 0, f"run ended with {done.returncode}: {done.stderr[-2000:]}")
        for path in FILES:
            file = pathlib.Path(folder, "out", path.stem, "results.json")
            judge(file.exists(), f"{path.name}: no results under its own name")
            if not file.exists():
                continue
            study = json.loads(file.read_text())
            judge(study["expectations"], f"{path.name}: expects nothing")
            for rule in study["expectations"]:
                judge(rule["passed"], f"{path.name}: {rule['rule']} fails with {rule['value']}")
            results[path.stem] = {run["variant"]: run for run in study["runs"]}
    return results


def judge_presentation():
    done = subprocess.run([PARTSIM, "list", "scenarios", str(SOURCE / "scenarios"),
                           "--format", "json"], capture_output=True, text=True)
    judge(done.returncode == 0, f"list scenarios ended with {done.returncode}: {done.stderr}")
    listed = json.loads(done.stdout)
    judge("other" not in listed, f"without a group: {listed.get('other')}")
    for group in listed.values():
        for entry in group:
            judge(entry["lesson"], f"{entry['file']}: no lesson")
            judge(pathlib.Path(entry["file"]).stem == entry["name"],
                  f"{entry['file']}: is called {entry['name']}")
    for path in FILES:
        head = path.read_text().split("\npartsim: 1\n")[0]
        for word in ("# Claim: |# Question: ", "# Answer"):
            judge(re.search(word, head), f"{path.name}: its comment has no '{word}'")


def judge_table(text):
    names = {path.stem for path in FILES}
    rows = re.findall(r"^\| (\d+) \|([^|]*)\|([^|]*)\|([^|]*)\|(.*)\|$", text, re.MULTILINE)
    judge([int(row[0]) for row in rows] == list(range(1, ROWS + 1)), f"not {ROWS} rows in order")
    for number, claim, files, verdict, measured in rows:
        named = set(re.findall(r"`([\w-]+)`", files))
        judge(claim.strip() and named, f"row {number} names no scenario")
        judge(named <= names, f"row {number} names {named - names}, which is not there")
        judge(verdict.strip(), f"row {number} has no verdict")
        judge({found[0] for found in MEASURED.findall(measured)} <= named,
              f"row {number} measures what it does not name")
        judge(MEASURED.search(measured), f"row {number} has nothing measured")
    for name in sorted(names):
        judge(f"`{name}`" in text, f"{name} is not in {TABLE.name}")


def value_of(results, scenario, variant, metric):
    node = results[scenario][variant]
    if metric == "partitions.count":
        return node["layout"]["partitions"]
    for part in metric.split("."):
        node = (next(p for p in node if str(p["id"]) == part) if isinstance(node, list)
                else node[part])
    return node


def shown(value):
    """As the table writes it: whole numbers in full, others to four digits."""
    return str(int(value)) if value == int(value) else f"{value:.4g}"


def judge_numbers(text, results):
    for scenario, variant, metric, number in MEASURED.findall(text):
        try:
            value = value_of(results, scenario, variant, metric)
        except (KeyError, StopIteration):
            judge(False, f"{scenario}/{variant}.{metric} is not in the results")
            continue
        judge(shown(value) == number,
              f"{scenario}/{variant}.{metric} is {shown(value)}, {TABLE.name} says {number}")


def with_new_numbers(text, results):
    def measured(found):
        scenario, variant, metric, _ = found.groups()
        value = value_of(results, scenario, variant, metric)
        return f"`{scenario}/{variant}.{metric}` {shown(value)}"

    return MEASURED.sub(measured, text)


def main():
    judge(len(FILES) > ROWS, f"only {len(FILES)} scenarios")
    results = run_all()
    if WRITE:
        TABLE.write_text(with_new_numbers(TABLE.read_text(), results))
    text = TABLE.read_text()
    judge_presentation()
    judge_table(text)
    if len(results) == len(FILES):  # otherwise the run has told enough
        judge_numbers(text, results)
    for failure in failures:
        print("FAILED ", failure)
    print(f"{passed} passed, {len(failures)} failed")
    return 1 if failures or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
