#!/usr/bin/env python3
"""partsim check as a process: verdicts, exit codes, JUnit, what it tells a pipeline.

usage: check_test.py PARTSIM SOURCE_DIR [TEXT]
"""
import json
import signal
import sys
import time
import xml.etree.ElementTree

from harness import *

QUIET = SMALL.replace("  - attempts > 0\n", "  - attempts > 0\n  - user.throttled_share < 20%\n")
NOISY = SMALL.replace("name: small", "name: noisy").replace(
    "  - attempts > 0\n",
    "  - date.throttled_share < 1%\n"
    "  - throttled_share <= 1\n"
    "  - partitions.all.throttled_share < 5% for 2s\n"
    "  - both.throttled_share < date.throttled_share / 10\n")
SILENT = SMALL.replace("name: small", "name: tour").split("expect:")[0]
BROKEN = SMALL.replace("name: small", "name: broken").replace("rate:", "rrate:")


def folder_of(tmp, **texts):
    folder = tmp / "scenarios"
    folder.mkdir()
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text)
    return "scenarios"


@test
def a_rule_that_holds_is_0_and_one_line(tmp):
    scenario(tmp, QUIET)
    done = partsim("check", "small.yaml", cwd=tmp, code=0)
    lines = done.stdout.decode().splitlines()
    equal(lines[0], "ok        small  4 rules", "line")
    equal(lines[-1], "1 scenario: 1 passed; 4 of 4 rules met", "tally")
    equal(done.stderr, b"", "stderr")
    equal(files_in(tmp), ["small.yaml"], "files")


@test
def a_broken_rule_is_1_with_value_limit_margin_moment_and_partition(tmp):
    scenario(tmp, NOISY)
    done = partsim("check", "small.yaml", cwd=tmp, code=1)
    text = done.stdout.decode()
    contains(text, "FAILED    noisy  ")
    contains(text, "  date.throttled_share < 1%\n    8")
    contains(text, "%, limit 1%: missed by ")
    contains(text, "first broken at 1 s, on partition ")
    contains(text, "small.yaml:25\n")
    contains(text, "These rules can never fail:\n  throttled_share <= 1\n")


@test
def every_exit_code_is_that_of_the_worst_and_the_good_ones_still_run(tmp):
    huge = SMALL.replace("name: small", "name: huge").replace("rate: 500/s", "rate: 900000000/s") \
        .replace("duration: 4s", "duration: 3000d").replace("4000 RU/s", "40000 RU/s")
    for code, texts in [(0, {"a": QUIET, "b": SILENT}), (1, {"a": QUIET, "b": NOISY}),
                        (4, {"a": NOISY, "b": huge}), (2, {"a": huge, "b": BROKEN}),
                        (2, {"a": BROKEN, "b": QUIET})]:
        here = tmp / str(len(files_in(tmp)))
        here.mkdir()
        folder_of(here, **texts)
        done = partsim("check", "scenarios", cwd=here, code=code)
        if QUIET in texts.values():
            contains(done.stdout.decode(), "ok        small")
    done = partsim("check", "scenarios", "missing.yaml", cwd=here, code=3)
    contains(done.stdout.decode(), "INVALID   missing")
    contains(done.stdout.decode(), "ok        small")
    contains(done.stdout.decode(), "unknown key 'rrate'")
    contains(done.stderr.decode(), "missing.yaml")


@test
def a_scenario_without_rules_is_told_and_does_not_fail(tmp):
    scenario(tmp, SILENT)
    text = partsim("check", "small.yaml", cwd=tmp, code=0).stdout.decode()
    contains(text, "no rules  tour\n")
    contains(text, "1 scenario: 0 passed, 1 without rules; 0 of 0 rules met")


@test
def a_filter_picks_by_a_part_of_the_name_or_a_pattern(tmp):
    folder_of(tmp, a=QUIET, b=NOISY, c=SILENT)
    for pattern, names in [("small", ["small"]), ("o", ["noisy", "tour"]), ("*o?r", ["tour"]),
                           ("n*", ["noisy"]), ("*", ["small", "noisy", "tour"])]:
        done = partsim("check", "scenarios", "--filter", pattern, "--format", "json", cwd=tmp)
        equal([s["name"] for s in json.loads(done.stdout)["scenarios"]], names, pattern)
    done = partsim("check", "scenarios", "--filter", "smal?l", cwd=tmp, code=2)
    contains(done.stderr.decode(), "no scenario's name fits")
    done = partsim("check", "scenarios", "--filter", "nosy", cwd=tmp, code=2)
    contains(done.stderr.decode(), "did you mean 'noisy'?")


@test
def output_is_in_the_order_of_the_files_whatever_the_jobs(tmp):
    long_first = NOISY.replace("duration: 4s", "duration: 40s")
    folder_of(tmp, a=long_first, b=QUIET, c=SILENT, d=BROKEN, e=QUIET.replace("small", "last"))
    outputs = set()
    for jobs in ["1", "2", "7"]:
        for form in ["text", "json"]:
            done = partsim("check", "scenarios", "--jobs", jobs, "--format", form, "--junit", "j",
                           "--markdown", "m", cwd=tmp, code=2)
            outputs.add((form, done.stdout, (tmp / "j").read_bytes(), (tmp / "m").read_bytes()))
    equal(len(outputs), 2, "different outputs")
    names = [s["name"] for s in json.loads(done.stdout)["scenarios"]]
    equal(names, ["noisy", "small", "tour", "d", "last"], "order")


@test
def json_carries_what_results_json_says_of_the_rules(tmp):
    scenario(tmp, NOISY)
    done = partsim("check", "small.yaml", "--format", "json", cwd=tmp, code=1)
    checked = json.loads(done.stdout)["scenarios"][0]["expectations"]
    partsim("run", "small.yaml", "--charts", "none", "-o", "out", cwd=tmp, code=1)
    results = json.loads((tmp / "out" / "results.json").read_text())
    equal(checked, results["expectations"], "verdicts")
    equal(results["format_version"], "1.3", "format")
    worst = checked[0]
    assert worst["margin"] < -50 and worst["limit"] == 0.01 and not worst["vacuous"], worst
    assert worst["first_broken_s"] == 1 and worst["partition"] in range(4), worst


@test
def junit_is_xml_with_a_suite_a_scenario_and_a_case_a_rule(tmp):
    folder_of(tmp, a=NOISY, b=SILENT, c=BROKEN)
    partsim("check", "scenarios", "--junit", "out/reports/j.xml", "--quiet", cwd=tmp, code=2)
    root = xml.etree.ElementTree.parse(tmp / "out" / "reports" / "j.xml").getroot()
    equal(root.tag, "testsuites", "root")
    suites = {suite.get("name"): suite for suite in root}
    equal(list(suites), ["noisy", "tour", "c"], "suites")
    for suite in suites.values():
        cases = suite.findall("testcase")
        equal(suite.get("tests"), str(len(cases)), "tests")
        equal(suite.get("failures"), str(len(suite.findall("testcase/failure"))), "failures")
        equal(suite.get("errors"), str(len(suite.findall("testcase/error"))), "errors")
        equal(suite.get("skipped"), str(len(suite.findall("testcase/skipped"))), "skipped")
    first = suites["noisy"].find("testcase")
    equal(first.get("name"), "date.throttled_share < 1%", "name")
    contains(first.find("failure").get("message"), "limit 1%: missed by")
    contains(suites["c"].find("testcase/error").text, "unknown key 'rrate'")
    equal(files_in(tmp / "out" / "reports"), ["j.xml"], "files")
    total = sum(int(suite.get("tests")) for suite in suites.values())
    equal(root.get("tests"), str(total), "total")


@test
def files_that_cannot_be_written_are_refused_before_the_work(tmp):
    scenario(tmp, LONG, "long.yaml")
    begin = time.monotonic()
    (tmp / "file").write_text("x")
    for flag in ["--junit", "--markdown"]:
        for target in [".", "file/x.xml", "/dev/null"]:
            done = partsim("check", "long.yaml", flag, target, cwd=tmp, code=3)
            contains(done.stderr.decode(), "cannot write")
        done = partsim("check", "long.yaml", flag, "long.yaml", cwd=tmp, code=2)
        contains(done.stderr.decode(), "one of the scenarios")
        partsim("check", "long.yaml", flag, "", cwd=tmp, code=2)
    partsim("check", "long.yaml", "--junit", "x", "--markdown", "x", cwd=tmp, code=2)
    partsim("check", "long.yaml", "--save-baseline", "../x", cwd=tmp, code=2)
    assert time.monotonic() - begin < 20 * PATIENCE, "it ran the scenario"
    equal(files_in(tmp), ["file", "long.yaml"], "files")


@test
def github_gets_annotations_and_a_summary_and_the_verdict_stays(tmp):
    folder_of(tmp, a=NOISY, b=BROKEN)
    plain = partsim("check", "scenarios", cwd=tmp, code=2)
    summary = tmp / "summary.md"
    summary.write_text("before\n")
    env = environment(GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(summary))
    done = partsim("check", "scenarios", cwd=tmp, env=env, code=2)
    equal(done.stdout, plain.stdout, "standard output")
    commands = [line for line in done.stderr.decode().splitlines() if line.startswith("::")]
    contains(commands[0], "::error file=scenarios/a.yaml,line=25,title=noisy%3A expectation failed"
                          "::date.throttled_share < 1%25: 8")
    contains(commands[-1], "::error file=scenarios/b.yaml,line=18,title=b%3A cannot be run::")
    assert summary.read_text().startswith("before\n## partsim check\n"), summary.read_text()
    contains(summary.read_text(), "| `date.throttled_share < 1%` | date |")
    env = environment(GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(tmp / "no" / "where"))
    done = partsim("check", "scenarios", cwd=tmp, env=env, code=2)
    contains(done.stderr.decode(), "warning: cannot write")
    quiet = partsim("check", "scenarios", cwd=tmp, env=environment(GITHUB_ACTIONS="false"), code=2)
    equal(quiet.stderr, plain.stderr, "without GitHub")


@test
def a_hostile_file_name_stays_a_name(tmp):
    name = "a,line=9::warning::%0A<b>'\"]]>\n::error::x.yaml"
    (tmp / name).write_text(NOISY)
    (tmp / ("\x1b[2J" + name)).write_text(BROKEN)
    env = environment(GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(tmp / "s.md"))
    done = partsim("check", name, "\x1b[2J" + name, "--junit", "j.xml", cwd=tmp, env=env, code=2)
    commands = [line for line in done.stderr.decode().splitlines() if line.startswith("::")]
    # three verdicts of the first and one mistake of the second, none of them made up by a name
    failed = int(xml.etree.ElementTree.parse(tmp / "j.xml").getroot().get("failures"))
    equal(len(commands), failed + 1, "commands")
    for command in commands:
        assert command.startswith("::error file="), command
        assert command.count(",line=") == 1, command
    assert "<b>" not in (tmp / "s.md").read_text()
    assert "\x1b" not in done.stdout.decode()


@test
def flags_of_the_scenario_count(tmp):
    scenario(tmp, NOISY)
    done = partsim("check", "small.yaml", "--variant", "user", "--format", "json", cwd=tmp)
    rules = [e["rule"] for e in json.loads(done.stdout)["scenarios"][0]["expectations"]]
    assert all(not rule.startswith(("date.", "both.")) for rule in rules), rules
    enough = ["--set", "container.throughput=40000 RU/s"]
    partsim("check", "small.yaml", "--variant", "date", cwd=tmp, code=1)
    partsim("check", "small.yaml", "--variant", "date", *enough, cwd=tmp, code=0)
    partsim("check", "small.yaml", "--variant", "usr", cwd=tmp, code=2)
    partsim("check", cwd=tmp, code=2)
    partsim("check", "small.yaml", "--output", "x", cwd=tmp, code=2)


@test
def a_trace_that_breaks_off_is_one_invalid_scenario(tmp):
    text = SILENT.replace("    rate: 500/s\n    operations: [{create: 100%}]\n",
                          "    trace: t.csv\n    operations: [{create: 100%}]\n").replace("name: tour", "name: traced")
    folder_of(tmp, a=QUIET)
    (tmp / "scenarios" / "t.csv").write_text("time,key\n0,a\nnonsense,b\n")
    (tmp / "scenarios" / "b.yaml").write_text(text)
    done = partsim("check", "scenarios", "--junit", "j.xml", cwd=tmp, code=2)
    contains(done.stdout.decode(), "ok        small")
    contains(done.stdout.decode(), "INVALID   traced")
    contains(done.stdout.decode(), "t.csv:3:")
    equal(xml.etree.ElementTree.parse(tmp / "j.xml").getroot().get("errors"), "1", "errors")
    (tmp / "scenarios" / "t.csv").unlink()
    done = partsim("check", "scenarios", cwd=tmp, code=3)
    contains(done.stdout.decode(), "ok        small")


@test
def an_interrupt_keeps_what_is_known_and_ends_with_its_number(tmp):
    folder_of(tmp, a=QUIET, b=LONG)
    for number, code in [(signal.SIGINT, 130), (signal.SIGTERM, 143)]:
        process = start("check", "scenarios", "--junit", "j.xml", "--jobs", "1", cwd=tmp)
        first = process.stdout.readline()
        equal(first, b"ok        small  4 rules\n", "first line")
        process.send_signal(number)
        rest = process.communicate(timeout=60 * PATIENCE)[0].decode()
        equal(process.returncode, code, "exit code")
        contains(rest, "stopped   long")
        root = xml.etree.ElementTree.parse(tmp / "j.xml").getroot()
        equal(root.get("skipped"), "1", "skipped")


@test
def the_shipped_scenarios_are_one_command(tmp):
    done = partsim("check", str(SOURCE / "scenarios"), "--filter", "suffix-*", "--format", "json",
                   cwd=tmp)
    summary = json.loads(done.stdout)["summary"]
    equal(done.returncode, 0, "exit code")
    assert summary["passed"] == summary["scenarios"] >= 1, summary


if __name__ == "__main__":
    sys.exit(main())
