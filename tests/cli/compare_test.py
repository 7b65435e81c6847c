#!/usr/bin/env python3
"""Baselines and partsim compare as processes.

usage: compare_test.py PARTSIM SOURCE_DIR [TEXT]
"""
import json
import sys

from harness import *

SLOWER = ["--set", "parameters.write_latency_p50_ms=6"]


def run(tmp, out, *flags, name="small.yaml"):
    partsim("run", name, "--charts", "none", "--quiet", "-o", out, *flags, cwd=tmp, code=0)


def pair(tmp):
    scenario(tmp)
    run(tmp, "a")
    run(tmp, "b", *SLOWER)


@test
def a_result_has_no_change_against_itself_in_every_form(tmp):
    scenario(tmp)
    run(tmp, "a", "--save-baseline", "main")
    partsim("check", "small.yaml", "--save-baseline", "checked", "--quiet", cwd=tmp, code=0)
    kept = tmp / "partsim-baselines"
    equal(tree(kept / "main"), tree(kept / "checked"), "baselines")
    for base in ["a", "a/results.json", "main", "partsim-baselines/main",
                 "partsim-baselines/main/small.json"]:
        for new in ["a", "checked"]:
            done = partsim("compare", base, new, "--fail-on", "any > 0%", cwd=tmp, code=0)
            text = done.stdout.decode()
            equal(text.count("no change in "), 3, f"variants of {base}")
            assert "worse" not in text, text


@test
def a_baseline_is_one_metric_a_line_and_the_same_again(tmp):
    scenario(tmp)
    partsim("check", "small.yaml", "--save-baseline", "main", cwd=tmp, code=0)
    path = tmp / "partsim-baselines" / "main" / "small.json"
    first = path.read_text()
    contains(first, '\n        "throttled_share": 0')
    contains(first, '\n        "clients.app.latency_ms.p99": ')
    partsim("check", "small.yaml", "--save-baseline", "main", "--jobs", "1", cwd=tmp, code=0)
    equal(path.read_text(), first, "baseline")
    equal(files_in(path.parent), ["small.json"], "files")
    partsim("run", "small.yaml", "--save-baseline", "../x", cwd=tmp, code=2)
    partsim("run", "small.yaml", "--save-baseline", "", cwd=tmp, code=2)
    equal(files_in(tmp), ["partsim-baselines", "small.yaml"], "files")


@test
def a_baseline_of_many_scenarios_is_compared_by_name(tmp):
    scenario(tmp)
    scenario(tmp, SMALL.replace("name: small", "name: other"), "other.yaml")
    partsim("check", "small.yaml", "other.yaml", "--save-baseline", "both", cwd=tmp, code=0)
    partsim("check", "small.yaml", "--save-baseline", "one", cwd=tmp, code=0)
    done = partsim("compare", "both", "one", cwd=tmp, code=0)
    contains(done.stdout.decode(), "other: only in base")
    contains(partsim("compare", "one", "both", cwd=tmp, code=0).stdout.decode(),
             "other: only in new")
    scenario(tmp, SMALL, "twin.yaml")
    done = partsim("check", "small.yaml", "twin.yaml", "--save-baseline", "x", cwd=tmp, code=2)
    contains(done.stderr.decode(), "both named 'small'")


@test
def different_scenarios_are_refused_unless_forced(tmp):
    pair(tmp)
    done = partsim("compare", "a", "b", cwd=tmp, code=2)
    contains(done.stderr.decode(), "is not the same scenario in both")
    contains(done.stderr.decode(), "--force")
    equal(done.stdout, b"", "stdout")
    partsim("compare", "a", "b", "--force", cwd=tmp, code=0)
    scenario(tmp, SMALL.replace("name: small", "name: other"), "other.yaml")
    run(tmp, "c", name="other.yaml")
    done = partsim("compare", "a", "c", cwd=tmp, code=2)
    contains(done.stderr.decode(), "different scenarios, 'small' and 'other'")
    partsim("compare", "a", "c", "--force", cwd=tmp, code=0)
    run(tmp, "d", "--seed", "8")
    done = partsim("compare", "a", "d", cwd=tmp, code=0)
    contains(done.stdout.decode(), "seed 7 in base, 8 in new")


@test
def what_got_worse_comes_first_and_only_fail_on_decides(tmp):
    pair(tmp)
    done = partsim("compare", "a", "b", "--force", cwd=tmp, code=0)
    text = done.stdout.decode()
    rows = [line.split() for line in text.splitlines() if line.startswith("  ")]
    words = [row[-1] for row in rows if row[-1] in ("worse", "better", "changed")]
    assert words[0] == "worse" and "latency_ms.p50" in text, text
    assert max(len(line) for line in text.splitlines()) <= 80, text
    for rules, code in [(["p50 > +5%"], 1), (["p50 > +50%"], 0), (["p50 < -5%"], 0),
                        (["latency_ms.p50 > +0.1ms"], 1), (["p50 > 5%"], 1),
                        (["clients.app.p50 > +5%"], 1), (["both.p50 > +5%"], 1),
                        (["throttled_share > +0.5pp"], 0), (["any > 5%"], 1),
                        (["p50 > +50%, throttled_share > +50%"], 0),
                        (["p50 > +50%", "p50 > +5%"], 1), (["cost.per_hour > 0"], 0),
                        (["operations.succeeded < -50%"], 0)]:
        flags = [word for rule in rules for word in ("--fail-on", rule)]
        done = partsim("compare", "a", "b", "--force", *flags, cwd=tmp, code=code)
        equal("FAILED" in done.stdout.decode(), code == 1, str(rules))
    done = partsim("compare", "a", "b", "--force", "--fail-on", "p50 > +5%", cwd=tmp, code=1)
    contains(done.stdout.decode(), "FAILED p50 > +5%: small user latency_ms.p50 ")
    contains(done.stdout.decode(), "clients.app.latency_ms.p50")
    # of `user` and of `both`, each with its client; `date` waits for retries, not for writes
    contains(done.stdout.decode(), "4 changes met --fail-on rules")
    # the other way round it is an improvement
    partsim("compare", "b", "a", "--force", "--fail-on", "p50 > 1%", cwd=tmp, code=0)


@test
def json_says_the_same(tmp):
    pair(tmp)
    done = partsim("compare", "a", "b", "--force", "--fail-on", "p50 > +5%", "--format", "json",
                   cwd=tmp, code=1)
    report = json.loads(done.stdout)
    equal([v["variant"] for v in report["scenarios"][0]["variants"]], ["user", "date", "both"],
          "variants")
    equal(len(report["fail_on"]["breaks"]), 4, "breaks")
    assert report["fail_on"]["breaks"][0]["metric"]["relative"] > 0.05


@test
def a_wrong_rule_is_told_with_what_was_meant(tmp):
    pair(tmp)
    for rule, word in [("p98 > 5%", "did you mean 'p9"), ("throtled_share > 5%", "throttled_share"),
                       ("attempts > 5%", "no good direction"), ("p99 > 5 RU", "a time such as"),
                       ("throttled_share > 5", "0.5pp"), ("any > 5ms", "a percentage"),
                       ("p99 > -5%", "a rise is written"), ("p99 < 5%", "a fall is written"),
                       ("p99", "expected a metric"), ("", "expected a metric"),
                       ("p99 > ", "bad change"), ("p99 > +1e3%", "bad change"),
                       ("dat.p99 > 5%", "unknown metric 'dat.p99'"),
                       ("clients.ap.p99 > 5%", "unknown metric"), ("\x1b[2J > 5%", "\\x1B")]:
        done = partsim("compare", "a", "b", "--force", "--fail-on", rule, cwd=tmp, code=2)
        contains(done.stderr.decode(), word)
        assert b"\x1b" not in done.stderr


@test
def replications_are_compared_by_seed_and_may_be_inconclusive(tmp):
    scenario(tmp)
    for out, flags in [("a", []), ("b", SLOWER)]:
        runs = []
        for seed in ["1", "2", "3", "4"]:
            run(tmp, "one", "--variant", "both", "--seed", seed, "--force", *flags)
            results = json.loads((tmp / "one" / "results.json").read_text())
            runs += results["runs"]
        results["runs"] = runs
        (tmp / f"{out}.json").write_text(json.dumps(results))
    done = partsim("compare", "a.json", "b.json", "--force", "--fail-on", "p50 > +5%", cwd=tmp,
                   code=1)
    contains(done.stdout.decode(), "4 seeds, 95 % intervals")
    done = partsim("compare", "a.json", "a.json", cwd=tmp, code=0)
    contains(done.stdout.decode(), "no change in ")
    # the same key under other seeds: what differs is chance, and it says so
    first = json.loads((tmp / "a.json").read_text())
    second = json.loads((tmp / "a.json").read_text())
    for one, other in zip(second["runs"], first["runs"][1:] + first["runs"][:1]):
        one["latency_ms"] = other["latency_ms"]
    (tmp / "c.json").write_text(json.dumps(second))
    done = partsim("compare", "a.json", "c.json", "--fail-on", "latency_ms.max > +0%", cwd=tmp,
                   code=0)
    contains(done.stdout.decode(), "inconclusive")


@test
def what_is_no_result_is_refused(tmp):
    scenario(tmp)
    run(tmp, "a")
    (tmp / "empty").mkdir()
    (tmp / "text.json").write_text("hello")
    (tmp / "odd.json").write_text('{"format_version":"9.0"}')
    for other, code, word in [("missing", 3, "no file, folder or baseline is called 'missing'"),
                              ("empty", 3, "no results in"),
                              ("text.json", 2, "is not JSON"), ("odd.json", 2, "does not know"),
                              ("/dev/null", 3, "not a regular file"), ("", 3, "cannot read")]:
        done = partsim("compare", "a", other, cwd=tmp, code=code)
        contains(done.stderr.decode(), word)
        equal(done.stdout, b"", "stdout")
    results = json.loads((tmp / "a" / "results.json").read_text())
    results["partial"] = True
    (tmp / "partial.json").write_text(json.dumps(results))
    done = partsim("compare", "a", "partial.json", cwd=tmp, code=2)
    contains(done.stderr.decode(), "stopped early")
    partsim("compare", "a", "partial.json", "--force", cwd=tmp, code=0)
    partsim("compare", "a", cwd=tmp, code=2)
    partsim("compare", "a", "a", "a", cwd=tmp, code=2)
    run(tmp, "v", "--variant", "both")
    run(tmp, "w", "--variant", "date")
    done = partsim("compare", "v", "w", cwd=tmp, code=2)
    contains(done.stderr.decode(), "no variant in common")


if __name__ == "__main__":
    sys.exit(main())
