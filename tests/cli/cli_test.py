#!/usr/bin/env python3
"""The program as a process: exit codes, what goes to which stream, and what is left on disk.

usage: cli_test.py PARTSIM SOURCE_DIR [TEXT]   (TEXT: only tests whose name contains it)
"""
import gzip
import json
import os
import re
import resource
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import time

from harness import *

# ---- the command line ---------------------------------------------------------------------------


@test
def no_arguments_print_a_short_usage_to_stderr_and_end_with_2(tmp):
    done = partsim(code=2)
    equal(done.stdout, b"", "stdout")
    lines = done.stderr.decode().splitlines()
    assert 3 <= len(lines) <= 20, f"{len(lines)} lines"
    contains(lines[0], "Usage: partsim")


COMMANDS = ["run", "check", "compare", "plan", "sweep", "merge", "advise", "validate",
            "explain", "route", "schema", "list", "init"]


@test
def help_fits_80_columns_goes_to_stdout_and_ends_with_examples(tmp):
    for words in [["--help"], ["-h"]] + [[command, "--help"] for command in COMMANDS]:
        done = partsim(*words, code=0)
        equal(done.stderr, b"", "stderr")
        lines = done.stdout.decode().splitlines()
        wide = [line for line in lines if len(line) > 80 or line != line.rstrip()]
        equal(wide, [], f"wide or untrimmed lines of {words}")
        assert "Examples:" in lines, words
        contains(lines[-1], "partsim ")
    text = partsim("--help", code=0).stdout.decode()
    for command in COMMANDS:
        contains(text, f"\n  {command} ")


@test
def every_example_of_the_help_works_on_the_file_that_init_writes(tmp):
    partsim("init", cwd=tmp, code=0)
    tried = 0
    for words in [["--help"]] + [[command, "--help"] for command in COMMANDS]:
        text = partsim(*words, code=0).stdout.decode()
        for line in text.split("Examples:\n")[1].splitlines():
            example = shlex.split(line.split("|")[0])
            contains(example[0], "partsim")
            contains(line[:2], "  ")
            if "scenario.yaml" in example and "--sample" not in example:
                tried += 1
                folder = ["-o", f"out{tried}"] if example[1] in ("run", "sweep") else []
                flags = [] if "-o" in example else folder
                drawn = ["--charts", "none"] if folder and "--charts" not in example else []
                done = partsim(*example[1:], *flags, *drawn, cwd=tmp)
                assert done.returncode in (0, 1), (line, done.returncode, done.stderr)
    assert tried >= 20, tried


@test
def a_closed_pipe_behind_standard_output_is_no_news_and_no_success(tmp):
    for words in [["schema"], ["list"], ["--help"]]:
        read, write = os.pipe()
        os.close(read)
        try:
            done = partsim(*words, code=3, capture_output=False, stdout=write,
                           stderr=subprocess.PIPE)
        finally:
            os.close(write)
        equal(done.stderr, b"", f"stderr of {words}")
    with open("/dev/full", "wb") as full:
        done = partsim("schema", code=3, capture_output=False, stdout=full,
                       stderr=subprocess.PIPE)
    contains(done.stderr.decode(), "cannot write standard output")


@test
def a_value_set_for_a_client_that_is_not_there_gets_the_one_that_was_meant(tmp):
    partsim("init", cwd=tmp, code=0)

    def told(value, code=2):
        return partsim("validate", "scenario.yaml", "--set", value, cwd=tmp,
                       code=code).stderr.decode()

    text = told("clients.shpo.rate=1/s")
    contains(text, "unknown client 'shpo', expected one of shop, support")
    contains(text, "did you mean 'shop'?")
    assert "missing key" not in text, text
    text = told("container.items.fields.custmer.zipf=0.5")
    contains(text, "unknown field 'custmer', expected one of date, customer")
    contains(text, "did you mean 'customer'?")
    told("clients.new={rate: 5/s, operations: [{create: 100%}]}", code=0)
    told("container.items.fields.shop.choose=5", code=0)
    partsim("validate", "scenario.yaml", "--set", "clients.new.rate=5/s", "--set",
            "clients.new.operations=[{create: 100%}]", cwd=tmp, code=0)
    contains(told("clients.new={rate: 5/s}"), "missing key 'operations' in 'client'")


@test
def a_key_set_without_quotes_of_its_own_is_shown_with_them(tmp):
    partsim("init", cwd=tmp, code=0)
    for key in ["{customer}", "{date}.{random 1..50}"]:
        done = partsim("validate", "scenario.yaml", "--set", f"container.partition_key={key}",
                       cwd=tmp, code=2)
        hint = f"--set 'container.partition_key=\"{key}\"'"
        contains(done.stderr.decode(), "hint: " + hint)
        partsim("validate", "scenario.yaml", *shlex.split(hint), cwd=tmp, code=0)


@test
def the_short_name_of_a_metric_gets_its_path(tmp):
    path = scenario(tmp)
    for words in [["plan", path, "--target", "p99 < 20ms"],
                  ["sweep", path, "--seeds", "2", "--metric", "p99"]]:
        text = partsim(*words, cwd=tmp, code=2).stderr.decode()
        contains(text, "did you mean 'latency_ms.p99'?")
    text = partsim("plan", path, "--target", "splits < 2", cwd=tmp, code=2).stderr.decode()
    contains(text, "did you mean 'layout.splits'?")


@test
def a_baseline_that_is_not_there_gets_the_one_that_was_meant(tmp):
    (tmp / "partsim-baselines" / "main").mkdir(parents=True)
    text = partsim("compare", "mian", "a", cwd=tmp, code=3).stderr.decode()
    contains(text, "no file, folder or baseline is called 'mian', did you mean 'main'?")


@test
def what_was_written_is_told_with_what_was_expected(tmp):
    path = scenario(tmp, SMALL.replace("partsim: 1", "partsim: 2"))
    text = partsim("validate", path, code=2).stderr.decode()
    contains(text, "'partsim' is out of range, expected 1, got '2'")
    path = scenario(tmp)
    text = partsim("validate", path, "--set", "container.throughput=banana", code=2)
    contains(text.stderr.decode(), "is not a throughput, expected a throughput between")
    contains(text.stderr.decode(), "such as 400 RU/s, got 'banana'")
    text = partsim("list", "scenarios", cwd=tmp, code=3).stderr.decode()
    contains(text, "there is no folder 'scenarios' here, where scenarios are looked for by default")
    for command in ["run", "validate", "explain"]:
        text = partsim(command, str(tmp), cwd=tmp, code=3).stderr.decode()
        contains(text, "it is a folder; 'partsim check' takes folders")


@test
def version_is_one_line(tmp):
    text = partsim("--version", code=0).stdout.decode()
    assert re.fullmatch(r"partsim \d+\.\d+\.\d+ \(charts: gnuplot(, matplot)?; "
                        r"report page: (interactive|static)\)\n", text), text


@test
def an_unknown_command_gets_the_one_that_was_meant(tmp):
    for word, meant in [("runn", "run"), ("valdate", "validate"), ("lst", "list")]:
        done = partsim(word, code=2)
        contains(done.stderr.decode(), f"unknown command '{word}'")
        contains(done.stderr.decode(), f"did you mean '{meant}'?")
    partsim("qqqqqq", code=2)
    partsim("--frobnicate", code=2)
    partsim("", code=2)


@test
def control_characters_in_words_are_not_sent_to_the_terminal(tmp):
    done = partsim("\x1b[2Jrun", code=2)
    assert b"\x1b" not in done.stderr, done.stderr
    contains(done.stderr.decode(), "\\x1B")


@test
def abbreviated_flags_are_refused_and_spelt_out(tmp):
    path = scenario(tmp)
    for short, full in [("--form=json", "--format"), ("--see=1", "--seed"), ("--qui", "--quiet"),
                        ("--out=x", "--output"), ("--var=date", "--variant")]:
        done = partsim("run", short, path, cwd=tmp, code=2)
        contains(done.stderr.decode(), f"did you mean '{full}'?")
    equal(files_in(tmp), ["small.yaml"], "files")


@test
def flags_without_their_value_unknown_ones_and_wrong_words_end_with_2(tmp):
    path = scenario(tmp)
    for words in [["--seed"], ["--output"], ["-o"], ["--set"], ["--jobs"], ["--format"],
                  ["--seed="], ["--quiet=yes"], ["--nope"], ["-x"],
                  ["--format", "xml", path], ["--color", "blue", path],
                  ["--set", "novalue", path], ["--set", "=5", path], ["--output", "", path]]:
        done = partsim("run", *words, cwd=tmp, code=2)
        equal(done.stdout, b"", "stdout")
        assert done.stderr, words
    partsim("run", cwd=tmp, code=2)
    partsim("schema", "extra", cwd=tmp, code=2)
    partsim("explain", path, path, cwd=tmp, code=2)
    equal(files_in(tmp), ["small.yaml"], "files")


@test
def a_single_flag_given_twice_is_refused(tmp):
    path = scenario(tmp)
    for words in [["--seed", "1", "--seed", "2"], ["--quiet", "--quiet"], ["-o", "a", "-o", "b"],
                  ["--jobs=1", "--jobs=1"]]:
        done = partsim("run", *words, path, cwd=tmp, code=2)
        contains(done.stderr.decode(), "more than once")


@test
def seeds_and_counts_are_plain_whole_numbers_within_their_limits(tmp):
    path = scenario(tmp)
    bad = ["abc", "-1", "1e3", "18446744073709551616", "+1", " 1", "1 ", "0x10", "1.0",
           "99999999999999999999999"]
    for text in bad:
        partsim("validate", "--seed", text, path, code=2)
        partsim("validate", f"--seed={text}", path, code=2)
    for text in ["0", "1", "18446744073709551615"]:
        partsim("validate", "--seed", text, path, code=0)
    for text in ["0", "1025", "-1", "many"]:
        partsim("run", "--jobs", text, path, cwd=tmp, code=2)
    for text in ["1", "1024"]:
        partsim("validate", "--jobs", text, path, code=0)
    for text in ["0", "1048577"]:
        partsim("route", "--partitions", text, "x", code=2)
    partsim("route", "--partitions", "1048576", "x", code=0)


# ---- scenario files -----------------------------------------------------------------------------


@test
def a_missing_file_ends_with_3_and_is_named(tmp):
    for command in ["run", "validate", "explain"]:
        done = partsim(command, "nowhere.yaml", cwd=tmp, code=3)
        contains(done.stderr.decode(), "nowhere.yaml")
        equal(done.stdout, b"", "stdout")
    equal(files_in(tmp), [], "files")


@test
def a_pipe_nobody_writes_to_and_a_folder_are_refused_at_once(tmp):
    os.mkfifo(tmp / "pipe.yaml")
    (tmp / "folder.yaml").mkdir()
    for name in ["pipe.yaml", "folder.yaml", "/dev/zero", "/dev/stdin"]:
        for command in ["run", "validate", "explain"]:
            done = partsim(command, name, cwd=tmp, code=3, timeout=5)
            contains(done.stderr.decode(), name)


@test
def an_unreadable_file_ends_with_3(tmp):
    if os.geteuid() == 0:
        raise Skipped("root reads everything")
    path = scenario(tmp)
    os.chmod(path, 0)
    partsim("run", path, cwd=tmp, code=3)


@test
def every_mistake_of_every_file_is_told_with_its_place_and_nothing_is_written(tmp):
    one = scenario(tmp, SMALL.replace("throughput:", "troughput:"), "one.yaml")
    two = scenario(tmp, SMALL.replace("4s", "4 parsecs").replace("seed: 7", "seed: -7"), "two.yaml")
    good = scenario(tmp, SMALL, "good.yaml")
    for command in ["run", "validate"]:
        done = partsim(command, good, one, two, cwd=tmp, code=2)
        text = done.stderr.decode()
        for place in ["one.yaml:8:3: error:", "two.yaml:4:7: error:", "two.yaml:5:11: error:"]:
            contains(text, place)
        contains(text, "did you mean 'throughput'?")
    equal(files_in(tmp), ["good.yaml", "one.yaml", "two.yaml"], "files")


@test
def a_missing_file_does_not_hide_the_mistakes_of_another(tmp):
    one = scenario(tmp, SMALL.replace("throughput:", "troughput:"), "one.yaml")
    text = partsim("run", "nowhere.yaml", one, cwd=tmp, code=3).stderr.decode()
    contains(text, "nowhere.yaml")
    contains(text, "troughput")


@test
def at_most_20_mistakes_of_a_file_are_shown_and_the_rest_counted(tmp):
    for extra, more in [(20, None), (21, "and 1 more"), (57, "and 37 more")]:
        text = SMALL + "".join(f"nonsense_{i}: 1\n" for i in range(extra))
        done = partsim("validate", scenario(tmp, text), code=2).stderr.decode()
        equal(done.count(": error:"), 20, "mistakes shown")
        rest = [line for line in done.splitlines() if line.endswith("more") and "hint" not in line]
        equal(bool(rest), more is not None, "a count of the rest")
        if more:
            contains(done, more)


@test
def a_file_over_1_mib_ends_with_4_and_one_below_is_read(tmp):
    filler = "# " + "x" * 97 + "\n"
    below = SMALL + filler * ((1 << 20) // 100 - 20)
    partsim("validate", scenario(tmp, below), code=0)
    done = partsim("run", scenario(tmp, below + filler * 40), cwd=tmp, code=4)
    contains(done.stderr.decode(), "small.yaml")
    equal(files_in(tmp), ["small.yaml"], "files")


@test
def more_estimated_requests_than_allowed_end_with_4_before_anything_is_written(tmp):
    path = scenario(tmp)
    # three variants, four seconds, 500 a second: 6000 requests by estimate
    done = partsim("run", "--max-events", "5000", path, cwd=tmp, code=4)
    contains(done.stderr.decode(), "requests")
    equal(files_in(tmp), ["small.yaml"], "files")
    partsim("run", "--charts=none", "--max-events", "7000", path, cwd=tmp, code=0)
    for text in ["0", "-1", "x"]:
        partsim("run", "--max-events", text, path, cwd=tmp, code=2)


@test
def a_run_far_too_long_is_refused_without_asking(tmp):
    path = scenario(tmp, SMALL.replace("4s", "3000d").replace("500/s", "1000000/s"))
    done = partsim("run", path, cwd=tmp, code=4, timeout=10)
    contains(done.stderr.decode(), "max-events")
    equal(files_in(tmp), ["small.yaml"], "files")


# ---- run ----------------------------------------------------------------------------------------


@test
def a_run_writes_its_folder_and_prints_only_data_on_stdout(tmp):
    path = scenario(tmp)
    done = partsim("run", "--charts=none", path, cwd=tmp, code=0)
    folder = tmp / "partsim-out" / "small"
    equal(files_in(folder), [".partsim", *FILES], "files")
    equal(files_in(tmp / "partsim-out"), ["small"], "folders")
    equal(done.stderr.decode(), "wrote partsim-out/small/ (report.html, results.json, 4 csv)\n",
          "stderr")
    text = done.stdout.decode()
    contains(text, "seed 7, model 1")
    assert "\x1b" not in text and "\r" not in text and "wrote" not in text
    equal([line for line in text.splitlines() if len(line) > 80], [], "wide lines")
    results = json.loads((folder / "results.json").read_text())
    equal([run["variant"] for run in results["runs"]], ["user", "date", "both"], "variants")
    equal(results["scenario"]["seed"], 7, "seed")
    again = partsim("run", "--charts=none", "--quiet", path, cwd=tmp, code=0)
    equal(again.stderr, b"", "stderr")
    equal(again.stdout, done.stdout, "stdout of a second run")


@test
def json_on_stdout_is_results_json_byte_for_byte(tmp):
    path = scenario(tmp)
    done = partsim("run", "--charts=none", "--format", "json", path, "-o", "out", cwd=tmp, code=0)
    equal(done.stdout, (tmp / "out" / "results.json").read_bytes(), "stdout")


@test
def results_do_not_depend_on_jobs_locale_time_zone_or_folder(tmp):
    path = scenario(tmp)
    trees = []
    for i, (jobs, env) in enumerate([("1", {}), ("2", {"LC_ALL": "de_DE.UTF-8"}),
                                     ("3", {"LC_ALL": "tr_TR.UTF-8", "TZ": "Asia/Tokyo"}),
                                     ("1024", {"LANG": "C"})]):
        done = partsim("run", "--charts=none", "--jobs", jobs, "-o", f"out{i}", path, cwd=tmp,
                       code=0, env=environment(**env))
        trees.append((done.stdout, tree(tmp / f"out{i}")))
    for other in trees[1:]:
        equal(other, trees[0], "results")


@test
def seed_set_and_variant_change_what_is_run(tmp):
    path = scenario(tmp)

    def run(*flags):
        done = partsim("run", "--charts=none", "--format", "json", *flags, path, cwd=tmp, code=0)
        return json.loads(done.stdout)["runs"]

    plain = run()
    seeded = run("--seed", "8")
    equal([r["seed"] for r in seeded], [8, 8, 8], "seeds")
    assert seeded[0]["digest"] != plain[0]["digest"]
    equal(run("--seed", "7")[0]["digest"], plain[0]["digest"], "digest with the file's own seed")
    picked = run("--variant", "both", "--variant", "user")
    equal(sorted(r["variant"] for r in picked), ["both", "user"], "variants")
    slower = run("--set", "clients.app.rate=50/s", "--set", "duration=2s")
    assert slower[0]["attempts"] < plain[0]["attempts"] / 10
    equal(slower[0]["simulated_s"], 2, "simulated_s")
    partsim("run", "--variant", "nobody", path, cwd=tmp, code=2)
    partsim("run", "--set", "clients.app.rat=5/s", path, cwd=tmp, code=2)
    partsim("run", "--set", "clients.app.rate=5", path, cwd=tmp, code=2)


@test
def a_failed_expectation_ends_with_1_and_keeps_the_results(tmp):
    path = scenario(tmp, SMALL + "  - date.throttled_share < 0.01%\n")
    done = partsim("run", "--charts=none", path, cwd=tmp, code=1)
    assert done.stdout
    results = json.loads((tmp / "partsim-out" / "small" / "results.json").read_text())
    equal([e["passed"] for e in results["expectations"]], [True, True, True, False], "verdicts")


@test
def several_files_get_a_folder_each_and_the_worst_exit_code(tmp):
    one = scenario(tmp, SMALL.replace("name: small", "name: one") + "  - attempts < 1\n", "1.yaml")
    two = scenario(tmp, SMALL.replace("name: small", "name: two"), "2.yaml")
    partsim("run", "--charts=none", one, two, cwd=tmp, code=1)
    equal(files_in(tmp / "partsim-out"), ["one", "two"], "folders")
    partsim("run", "--charts=none", two, one, "-o", "deep/er", cwd=tmp, code=1)
    equal(files_in(tmp / "deep" / "er"), ["one", "two"], "folders")
    done = partsim("run", "--charts=none", two, two, cwd=tmp, code=2)
    contains(done.stderr.decode(), "'two'")


@test
def color_comes_only_when_asked_for_or_on_a_terminal(tmp):
    path = scenario(tmp)
    flags = ["run", "--charts=none", "--quiet", path]
    plain = partsim(*flags, cwd=tmp, code=0).stdout
    assert b"\x1b" not in plain
    equal(partsim(*flags, "--color", "never", cwd=tmp, code=0).stdout, plain, "stdout")
    colored = partsim(*flags, "--color", "always", cwd=tmp, code=0).stdout
    assert b"\x1b[" in colored


@test
def a_terminal_gets_colors_progress_and_its_own_width(tmp):
    path = scenario(tmp, SMALL.replace("4s", "60s").replace("500/s", "5000/s"))

    def on_terminal(env):
        main, child = os.openpty()
        process = subprocess.Popen([PARTSIM, "run", "--charts=none", path], cwd=tmp, env=env,
                                   stdin=child, stdout=child, stderr=child)
        os.close(child)
        text = b""
        while True:
            try:
                got = os.read(main, 65536)
            except OSError:
                break
            if not got:
                break
            text += got
        os.close(main)
        equal(process.wait(30), 0, "exit code")
        return text

    shown = on_terminal(environment(LC_ALL="C.UTF-8", TERM="xterm", COLUMNS="60"))
    contains(shown, b" %")
    contains(shown, b"\r\x1b[K")
    plain = re.sub(rb"\x1b\[[0-9;]*[A-Za-z]", b"", shown).decode()
    body = [line for line in plain.replace("\r\n", "\n").split("\n") if "\r" not in line]
    wide = [line for line in body if len(line) > 60 and "wrote" not in line]
    equal(wide, [], "lines over 60 columns")
    assert b"\x1b[3" in shown or b"\x1b[1" in shown, "no colour"
    bare = on_terminal(environment(LC_ALL="C.UTF-8", TERM="xterm", NO_COLOR="1"))
    assert not re.search(rb"\x1b\[[0-9;]*m", bare), "colour in spite of NO_COLOR"


# ---- the output folder --------------------------------------------------------------------------


@test
def a_folder_partsim_did_not_make_is_left_untouched(tmp):
    path = scenario(tmp)
    mine = tmp / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("years of work")
    before = tree(tmp)
    done = partsim("run", "--charts=none", "-o", "mine", path, cwd=tmp, code=3)
    contains(done.stderr.decode(), "mine")
    equal(tree(tmp), before, "files")
    equal(done.stdout, b"", "stdout")
    partsim("run", "--charts=none", "-o", "mine", "--force", path, cwd=tmp, code=0)
    equal(files_in(mine), [".partsim", *FILES], "files")
    equal(files_in(tmp), ["mine", "small.yaml"], "files beside it")


@test
def a_folder_partsim_made_is_replaced_unless_somebody_added_a_file(tmp):
    path = scenario(tmp)
    partsim("run", "--charts=none", "-o", "out", path, cwd=tmp, code=0)
    first = tree(tmp / "out")
    partsim("run", "--charts=none", "-o", "out/", "--seed", "8", path, cwd=tmp, code=0)
    assert tree(tmp / "out") != first
    (tmp / "out" / "notes.md").write_text("what I learnt")
    before = tree(tmp)
    done = partsim("run", "--charts=none", "-o", "out", path, cwd=tmp, code=3)
    contains(done.stderr.decode(), "notes.md")
    equal(tree(tmp), before, "files")
    partsim("run", "--charts=none", "-o", "out", "--force", path, cwd=tmp, code=0)
    equal(tree(tmp / "out"), first, "files")


@test
def an_empty_folder_may_be_used_and_a_file_never(tmp):
    path = scenario(tmp)
    (tmp / "empty").mkdir()
    partsim("run", "--charts=none", "-o", "empty", path, cwd=tmp, code=0)
    (tmp / "file").write_text("mine")
    for flags in [[], ["--force"]]:
        partsim("run", "--charts=none", "-o", "file", *flags, path, cwd=tmp, code=3)
        equal((tmp / "file").read_text(), "mine", "content")
    partsim("run", "--charts=none", "-o", "file/below", path, cwd=tmp, code=3)


@test
def a_link_is_not_followed(tmp):
    path = scenario(tmp)
    target = tmp / "target"
    target.mkdir()
    (target / "precious").write_text("keep")
    (tmp / "link").symlink_to(target)
    for name in ["link", "link/"]:
        partsim("run", "--charts=none", "-o", name, path, cwd=tmp, code=3)
    partsim("run", "--charts=none", "-o", "link", "--force", path, cwd=tmp, code=0)
    assert not (tmp / "link").is_symlink()
    equal(files_in(target), ["precious"], "files behind the link")
    equal(files_in(tmp), ["link", "small.yaml", "target"], "files")


@test
def not_even_force_removes_the_scenario_or_the_current_folder(tmp):
    work = tmp / "work"
    work.mkdir()
    path = scenario(work)
    before = tree(tmp)
    for words in [["-o", str(work)], ["-o", "."], ["-o", ".."], ["-o", str(tmp)], ["-o", "/"]]:
        partsim("run", "--charts=none", "--force", *words, path, cwd=work, code=3)
    partsim("run", "--charts=none", "--force", "-o", "work", "work/small.yaml", cwd=tmp, code=3)
    equal(tree(tmp), before, "files")


@test
def a_folder_that_cannot_be_written_is_found_before_the_run(tmp):
    path = scenario(tmp, LONG)
    begin = time.monotonic()
    partsim("run", "-o", "/proc/nowhere/out", path, cwd=tmp, code=3)
    assert time.monotonic() - begin < 5 * PATIENCE
    if os.geteuid() != 0:
        (tmp / "closed").mkdir(mode=0o500)
        partsim("run", "-o", "closed/out", path, cwd=tmp, code=3)
        assert time.monotonic() - begin < 5 * PATIENCE


@test
def files_get_the_modes_that_the_umask_asks_for(tmp):
    path = scenario(tmp)
    for mask in [0o022, 0o077]:
        partsim("run", "--charts=none", "-o", "out", path, cwd=tmp, code=0,
                setup=lambda mask=mask: os.umask(mask))
        equal(stat.S_IMODE(os.stat(tmp / "out").st_mode), 0o777 & ~mask, "mode of the folder")
        equal(stat.S_IMODE(os.stat(tmp / "out/results.json").st_mode), 0o666 & ~mask, "mode")


def failing_library(tmp):
    if SANITIZED:
        raise Skipped("a sanitizer must be loaded first")
    library = tmp / "fail_nth.so"
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-o", str(library),
                    str(HERE / "fail_nth.c"), "-ldl"], check=True)
    return str(library)


def check_no_half_results(parent):
    for name in files_in(parent):
        assert not name.startswith("."), f"left over: {name}"
        equal(files_in(parent / name), [".partsim", *FILES], f"files of {name}")
        json.loads((parent / name / "results.json").read_text())


def fail_every_call(tmp, library, replaces, **env):
    path = scenario(tmp)
    log = tmp / "log"
    work = tmp / "work"
    for n in range(1, 1000):
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        before = None
        if replaces:
            partsim("run", "--charts=none", "-o", "out", path, cwd=work, code=0)
            before = tree(work / "out")
        log.unlink(missing_ok=True)
        done = partsim("run", "--charts=none", "-o", "out", "--seed", "8", path, cwd=work,
                       env=environment(LD_PRELOAD=library, FAIL_AT=str(n), FAIL_LOG=str(log),
                                       **env))
        if not log.exists():
            equal(done.returncode, 0, "exit code without a failure")
            assert before != tree(work / "out")
            assert n > 20, f"only {n} calls were seen"
            return
        equal(done.returncode, 3, f"exit code when call {n} fails")
        contains(done.stderr.decode(), "partsim: cannot")
        check_no_half_results(work)
        # Only what fails after the folder is in place (standard output) may leave the new one.
        if b"standard output" not in done.stderr:
            equal(tree(work / "out") if replaces else files_in(work), before or [], "files")
    raise AssertionError("the program never stopped calling")


@test
def any_failing_call_ends_with_3_and_leaves_no_trace(tmp):
    fail_every_call(tmp, failing_library(tmp), replaces=False)


@test
def any_failing_call_leaves_the_earlier_results_as_they_were(tmp):
    library = failing_library(tmp)
    fail_every_call(tmp, library, replaces=True)
    fail_every_call(tmp, library, replaces=True, NO_EXCHANGE="1")


@test
def a_disk_that_stays_full_ends_with_3_and_leaves_no_trace(tmp):
    library = failing_library(tmp)
    path = scenario(tmp)
    for n in range(1, 20):
        work = tmp / f"work{n}"
        work.mkdir()
        done = partsim("run", "--charts=none", path, cwd=work, code=3,
                       env=environment(LD_PRELOAD=library, FAIL_FROM=str(n),
                                       FAIL_LOG=str(tmp / "log")))
        contains(done.stderr.decode(), "partsim: cannot")
        assert not (work / "partsim-out").exists() or b"standard output" in done.stderr


@test
def a_file_size_limit_ends_with_3_and_leaves_no_trace(tmp):
    path = scenario(tmp)
    done = partsim("run", "--charts=none", path, cwd=tmp, code=3,
                   setup=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)))
    contains(done.stderr.decode(), "results.json")
    equal(files_in(tmp), ["small.yaml"], "files")


# ---- streams ------------------------------------------------------------------------------------


@test
def a_full_standard_output_ends_with_3(tmp):
    path = scenario(tmp)
    for words in [["run", "--charts=none", path], ["run", "--charts=none", "--format=json", path],
                  ["validate", path], ["explain", path], ["schema"], ["list"], ["init", "-"],
                  ["--help"], ["--version"], ["run", "--help"], ["route", "x"]]:
        with open("/dev/full", "wb") as full:
            done = partsim(*words, cwd=tmp, code=3, stdout=full, stderr=subprocess.PIPE,
                           capture_output=False)
        contains(done.stderr.decode(), "partsim: ")


@test
def a_reader_that_goes_away_ends_with_3_and_no_signal(tmp):
    path = scenario(tmp)
    for words in [["schema"], ["run", "--charts=none", path]]:
        read, write = os.pipe()
        os.close(read)
        partsim(*words, cwd=tmp, code=3, stdout=write, stderr=subprocess.PIPE,
                capture_output=False)
        os.close(write)


@test
def closed_standard_streams_never_become_a_data_file(tmp):
    path = scenario(tmp)
    partsim("run", "--charts=none", "-o", "wanted", path, cwd=tmp, code=0)
    for closed in [[0], [1], [2], [1, 2], [0, 1, 2]]:
        def close_all(closed=closed):
            for fd in closed:
                os.close(fd)

        process = subprocess.Popen([PARTSIM, "run", "--charts=none", "-o", "out", path], cwd=tmp,
                                   env=environment(), preexec_fn=close_all,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        equal(process.wait(30), 0, f"exit code with {closed} closed")
        equal(tree(tmp / "out"), tree(tmp / "wanted"), "files")


# ---- signals ------------------------------------------------------------------------------------


def interrupt(tmp, number, after):
    path = scenario(tmp, LONG)
    process = start("run", "--format", "json", "--jobs", "2", path, cwd=tmp)
    time.sleep(after)
    process.send_signal(number)
    begin = time.monotonic()
    stdout, stderr = process.communicate(timeout=30)
    took = time.monotonic() - begin
    equal(process.returncode, 128 + number, "exit code")
    assert took < PATIENCE, f"took {took:.2f} s to stop"
    folder = tmp / "partsim-out" / "long"
    equal(files_in(folder), [".partsim", *FILES], "files")
    equal((folder / "results.json").read_bytes(), stdout, "results.json")
    contains(stderr.decode(), "partial")
    equal(files_in(tmp / "partsim-out"), ["long"], "folders")
    return json.loads(stdout)


@test
def an_interrupt_keeps_a_valid_marked_partial_result_and_ends_with_130(tmp):
    results = interrupt(tmp, signal.SIGINT, 0.7 * PATIENCE)
    equal(results.get("partial"), True, "partial")
    assert results["runs"], "no run at all"
    for run in results["runs"]:
        assert 0 < run["simulated_s"] < 20000
        equal(run.get("partial"), True, "partial of a run")
        counts = run["operations"]
        equal(counts["offered"], counts["succeeded"] + counts["failed"] + counts["in_flight"],
              "operations offered")
    equal(results["expectations"], [], "expectations")


@test
def termination_does_the_same_and_ends_with_143(tmp):
    equal(interrupt(tmp, signal.SIGTERM, 0.3 * PATIENCE).get("partial"), True, "partial")


@test
def an_interrupted_run_starts_no_further_file(tmp):
    long = scenario(tmp, LONG, "long.yaml")
    small = scenario(tmp)
    process = start("run", "--charts=none", long, small, cwd=tmp)
    time.sleep(0.5 * PATIENCE)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    equal(process.returncode, 130, "exit code")
    equal(files_in(tmp / "partsim-out"), ["long"], "folders")


def fake_gnuplot(tmp, script):
    folder = tmp / "bin"
    folder.mkdir()
    (folder / "gnuplot").write_text("#!/bin/sh\n" + script)
    (folder / "gnuplot").chmod(0o755)
    return f"{folder}:/usr/bin:/bin"


@test
def a_second_signal_ends_the_program_at_once(tmp):
    path = scenario(tmp)
    pid_file = tmp / "gnuplot.pid"
    search = fake_gnuplot(tmp, f"echo $$ > {pid_file}\nexec sleep 60\n")
    process = start("run", path, cwd=tmp, env=environment(PATH=search))
    deadline = time.monotonic() + 20
    while not (pid_file.exists() and pid_file.read_text().strip()):
        assert time.monotonic() < deadline, "gnuplot was never started"
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    begin = time.monotonic()
    try:
        process.wait(10)
        took = time.monotonic() - begin
    finally:
        os.kill(int(pid_file.read_text()), signal.SIGKILL)
    equal(process.returncode, 130, "exit code")
    assert took < PATIENCE, f"took {took:.2f} s"
    assert not (tmp / "partsim-out" / "small").exists()


@test
def a_failed_assertion_ends_with_70(tmp):
    process = start("run", scenario(tmp, LONG), cwd=tmp)
    time.sleep(0.3 * PATIENCE)
    process.send_signal(signal.SIGABRT)
    process.communicate(timeout=30)
    equal(process.returncode, 70, "exit code")


# ---- charts -------------------------------------------------------------------------------------


@test
def charts_are_part_of_the_folder(tmp):
    if not shutil.which("gnuplot"):
        raise Skipped("no gnuplot")
    done = partsim("run", scenario(tmp), cwd=tmp, code=0)
    charts = files_in(tmp / "partsim-out" / "small" / "charts")
    assert charts and all(name.endswith((".svg", ".png")) for name in charts), charts
    contains(done.stderr.decode(), f"(report.html, results.json, 4 csv, {len(charts)} charts)")
    partsim("run", scenario(tmp), cwd=tmp, code=0)
    equal(files_in(tmp / "partsim-out" / "small" / "charts"), charts, "charts of a second run")


@test
def a_chart_backend_that_is_not_built_in_is_refused_before_the_run(tmp):
    done = partsim("run", "--charts", "matplot", scenario(tmp), cwd=tmp)
    if done.returncode == 0:  # built with Matplot++
        drawn = files_in(tmp / "partsim-out/small/charts")
        partsim("run", scenario(tmp), cwd=tmp, code=0)
        equal(drawn, files_in(tmp / "partsim-out/small/charts"), "charts of both backends")
        return
    equal(done.returncode, 2, "exit code")
    contains(done.stderr.decode(), "built without Matplot++")
    equal(files_in(tmp), ["small.yaml"], "files")


@test
def without_a_working_gnuplot_the_results_are_kept_and_a_warning_is_told(tmp):
    path = scenario(tmp)
    (tmp / "nothing").mkdir()
    broken = fake_gnuplot(tmp, "echo broken >&2\nexit 1\n")
    for search in [str(tmp / "nothing"), broken]:
        done = partsim("run", path, cwd=tmp, code=0, env=environment(PATH=search))
        contains(done.stderr.decode(), "warning")
        equal(files_in(tmp / "partsim-out" / "small"), [".partsim", *FILES], "files")
        assert done.stdout


# ---- limits of the machine ----------------------------------------------------------------------


@test
def little_stack_and_few_descriptors_are_enough(tmp):
    if SANITIZED:
        raise Skipped("sanitizers need more")
    path = scenario(tmp)

    def limits():
        resource.setrlimit(resource.RLIMIT_STACK, (256 * 1024, 256 * 1024))
        resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))

    partsim("run", "--charts=none", "--jobs", "3", path, cwd=tmp, code=0, setup=limits)


@test
def too_little_memory_ends_with_4_and_no_signal(tmp):
    if SANITIZED:
        raise Skipped("sanitizers reserve address space")
    wide = SMALL.replace("partitions: 4", "partitions: 1000").replace("4000 RU/s", "400000 RU/s") \
        .replace("duration: 4s", "duration: 4000s").replace("500/s", "1/s")
    path = scenario(tmp, wide)
    codes = set()
    for megabytes in [30, 60, 120, 200]:
        size = megabytes << 20
        done = partsim("run", "--charts=none", "--jobs", "1", path, cwd=tmp,
                       setup=lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size)))
        assert done.returncode in (0, 4), (megabytes, done.returncode, done.stderr)
        codes.add(done.returncode)
        equal(done.returncode == 0, (tmp / "partsim-out").exists(), "a folder was written")
    assert 4 in codes, "no limit was too small"


# ---- the other commands -------------------------------------------------------------------------


@test
def validate_says_ok_with_the_size_of_the_study(tmp):
    done = partsim("validate", scenario(tmp), code=0)
    assert re.fullmatch(r".*small\.yaml: ok \(3 variants, 1 client, about 6\.0 k requests\)\n",
                        done.stdout.decode()), done.stdout
    equal(done.stderr, b"", "stderr")


@test
def validate_writes_its_findings_as_json(tmp):
    good = scenario(tmp, SMALL, "good.yaml")
    bad = scenario(tmp, SMALL.replace("throughput:", "troughput:"), "bad.yaml")
    done = partsim("validate", "--format", "json", good, bad, "nowhere", code=3, cwd=tmp)
    files = json.loads(done.stdout)["files"]
    equal([f["ok"] for f in files], [True, False, False], "ok")
    equal(files[0]["variants"], 3, "variants")
    equal(files[0]["diagnostics"], [], "diagnostics")
    first = files[1]["diagnostics"][0]
    equal((first["line"], first["column"]), (8, 3), "place")
    contains(first["message"], "troughput")
    contains(files[2]["diagnostics"][0]["message"], "nowhere")


@test
def explain_prints_every_value_and_marks_the_defaults(tmp):
    path = scenario(tmp)
    done = partsim("explain", path, code=0)
    text = done.stdout.decode()
    contains(text, "# default")
    contains(text, "throughput: 4000 RU/s")
    contains(partsim("explain", "--set", "container.throughput=8000 RU/s", path,
                     code=0).stdout.decode(), "8000 RU/s")
    partsim("explain", scenario(tmp, SMALL + "x: 1\n"), code=2)


@test
def schema_is_json_and_describes_the_sections(tmp):
    schema = json.loads(partsim("schema", code=0).stdout)
    for key in ["name", "duration", "clients", "variants", "expect"]:
        assert key in schema["properties"], key


@test
def list_prints_all_names_or_one_kind(tmp):
    everything = partsim("list", code=0).stdout.decode()
    equal([line for line in everything.splitlines() if len(line) > 80], [], "wide lines")
    metrics = partsim("list", "metrics", code=0).stdout.decode()
    for name in ["throttled_share", "latency_ms.p99", "imbalance"]:
        contains(metrics, f"\n  {name} ")
    contains(everything, metrics)
    contains(partsim("list", "metrcs", code=2).stderr.decode(), "did you mean 'metrics'?")
    kinds = json.loads(partsim("list", "--format", "json", code=0).stdout)
    assert "metrics" in kinds and len(kinds) > 1
    for kind in kinds:
        partsim("list", kind, code=0)


LESSONS = {"b.yaml": ("planning", "how much to buy before the rush"),
           "a.yml": ("planning", "what a wide lesson does to a narrow terminal: it is broken into lines"),
           "c.yaml": ("teaching", "a date is no key for many writes"),
           "d.json": (None, None)}


def library(tmp):
    folder = tmp / "scenarios"
    folder.mkdir()
    (folder / "notes.txt").write_text("no scenario")
    for name, (group, lesson) in LESSONS.items():
        text = SMALL.replace("name: small", f"name: {name.split('.')[0]}")
        if name.endswith(".json"):
            text = ('{"partsim":1,"name":"d","title":"No lesson","duration":"1s","container":'
                    '{"throughput":"400 RU/s","partition_key":"k"},'
                    '"clients":{"a":{"rate":"1/s","operations":[{"create":"100%"}]}}}')
        if group:
            text += f"group: {group}\nlesson: \"{lesson}\"\n"
        (folder / name).write_text(text)
    return folder


@test
def list_scenarios_prints_every_lesson_by_group_at_80_columns(tmp):
    library(tmp)
    text = partsim("list", "scenarios", cwd=tmp, code=0).stdout.decode()
    equal([line for line in text.splitlines() if len(line) > 80], [], "wide lines")
    heads = [line for line in text.splitlines() if line and not line.startswith(" ")]
    equal(heads, ["teaching", "planning", "other"], "groups")
    names = re.findall(r"^  (\w)  ", text, re.MULTILINE)
    equal(names, ["c", "a", "b", "d"], "names")
    flat = " ".join(text.split())
    for group, lesson in LESSONS.values():
        contains(flat, lesson or "No lesson")


@test
def list_scenarios_takes_folders_and_files_and_writes_json(tmp):
    folder = library(tmp)
    groups = json.loads(partsim("list", "scenarios", str(folder), "--format", "json",
                                code=0).stdout)
    equal(list(groups), ["teaching", "planning", "other"], "groups")
    equal(groups["teaching"], [{"name": "c", "lesson": LESSONS["c.yaml"][1],
                                "title": "A small study", "file": f"{folder}/c.yaml"}], "lesson")
    one = partsim("list", "scenarios", str(folder / "b.yaml"), code=0).stdout.decode()
    equal(one, f"planning\n  b  {LESSONS['b.yaml'][1]}\n", "one file")


@test
def list_scenarios_tells_of_what_it_cannot_read_and_lists_the_rest(tmp):
    folder = library(tmp)
    (folder / "bad.yaml").write_text(SMALL + "lessn: x\n")
    done = partsim("list", "scenarios", cwd=tmp, code=2)
    contains(done.stderr.decode(), "did you mean 'lesson'?")
    contains(done.stdout.decode(), LESSONS["b.yaml"][1])
    contains(partsim("list", "scenarios", "nowhere", cwd=tmp, code=3).stderr.decode(), "nowhere")
    (tmp / "empty").mkdir()
    contains(partsim("list", "scenarios", "empty", cwd=tmp, code=3).stderr.decode(),
             "no scenarios in 'empty'")
    contains(partsim("list", "scenaros", code=2).stderr.decode(), "did you mean 'scenarios'?")
    contains(partsim("list", "metrics", "x", code=2).stderr.decode(), "does not take 'x'")


@test
def init_writes_a_scenario_that_runs_at_once_and_meets_its_expectations(tmp):
    done = partsim("init", cwd=tmp, code=0)
    contains(done.stderr.decode(), "partsim run scenario.yaml")
    text = (tmp / "scenario.yaml").read_bytes()
    assert all(len(line) <= 100 for line in text.splitlines())
    run = partsim("run", "--charts=none", "scenario.yaml", cwd=tmp, code=0)
    assert run.stdout
    equal(partsim("init", "-", cwd=tmp, code=0).stdout, text, "init to stdout")
    (tmp / "scenario.yaml").write_text("mine")
    done = partsim("init", cwd=tmp, code=3)
    contains(done.stderr.decode(), "scenario.yaml")
    equal((tmp / "scenario.yaml").read_text(), "mine", "content")
    partsim("init", "--force", cwd=tmp, code=0)
    equal((tmp / "scenario.yaml").read_bytes(), text, "content")
    partsim("init", "no/such/folder.yaml", cwd=tmp, code=3)
    (tmp / "dangling").symlink_to(tmp / "elsewhere")
    partsim("init", "dangling", cwd=tmp, code=3)
    equal(files_in(tmp), ["dangling", "partsim-out", "scenario.yaml"], "files")


@test
def route_answers_the_published_vectors(tmp):
    vectors = SOURCE / "tests" / "unit" / "keys" / "epk_vectors.jsonl"
    by_hash = {}
    for line in vectors.read_text().splitlines():
        vector = json.loads(line)
        by_hash.setdefault(vector["version"].lower(), []).append(vector)
    assert {"v1", "v2"} <= set(by_hash), set(by_hash)
    for version, rows in by_hash.items():
        lines = "".join(json.dumps(row["components"]) + "\n" for row in rows)
        done = partsim("route", "--hash", version, "--jsonl", stdin=lines.encode(), code=0)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        equal(len(answers), len(rows), f"answers for {version}")
        for row, answer in zip(rows, answers):
            equal(answer["epk"], row["epk"], str(row["components"])[:60])
            equal(answer["partition"], 0, "partition")


@test
def route_takes_keys_as_words_and_numbers_its_partitions_from_zero(tmp):
    done = partsim("route", "--partitions", "10", "2018-08-09", '["2018-08-09"]', "--", "-5",
                   code=0)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    equal(len(answers), 3, "answers")
    equal(answers[0], answers[1], "the same key twice")
    assert all(0 <= answer["partition"] < 10 for answer in answers)
    partsim("route", code=2)
    partsim("route", "--jsonl", "x", code=2)
    partsim("route", "--hash", "v3", "x", code=2)
    bad = partsim("route", "--jsonl", stdin=b'["a"]\n["b"\n', code=2)
    contains(bad.stderr.decode(), "2:")
    equal(len(bad.stdout.splitlines()), 1, "answers before the mistake")


# ---- traces -------------------------------------------------------------------------------------

TRACE = """\
partsim: 1
name: replay
duration: 10s
container: {throughput: 4000 RU/s, partitions: 4}
clients:
  app:
    trace: rows.csv
    operations: [{create: 100%}]
"""


def replay(tmp, rows, *flags, code, text=TRACE, name="rows.csv"):
    (tmp / name).write_bytes(rows)
    done = partsim("run", scenario(tmp, text, "replay.yaml"), "--charts", "none", "-o",
                   str(tmp / "out"), *flags, cwd=tmp.parent, code=code)
    results = tmp / "out" / "results.json"
    return done, json.loads(results.read_text())["runs"][0] if results.exists() else None


@test
def a_trace_beside_its_scenario_is_replayed_and_its_keys_go_where_route_says(tmp):
    rows = b"time,key,ru\n" + b"".join(b"%d,key-%d,3\n" % (i, i) for i in range(8))
    done, run = replay(tmp, rows, code=0)
    contains(done.stdout.decode(), "Replayed 8 rows of the trace.")
    equal(run["clients"]["app"]["trace"],
          {"rows": 8, "rows_throttled": 0, "rows_bad": 0, "complete": True}, "trace")
    answers = partsim("route", "--partitions", "4", *(f"key-{i}" for i in range(8)), code=0)
    owners = [json.loads(line)["partition"] for line in answers.stdout.splitlines()]
    consumed = [partition["ru_consumed"] for partition in run["partitions"]]
    equal(consumed, [3 * owners.count(i) for i in range(4)], "RU by partition")
    equal(sorted(key["key"] for key in run["hot_keys"]), [f"key-{i}" for i in range(8)], "hot keys")


@test
def a_gzipped_trace_gives_the_same_results_as_a_plain_one(tmp):
    rows = b"time,key\n" + b"".join(b"%.3f,k%d\n" % (i / 100, i % 13) for i in range(500))
    _, plain = replay(tmp, rows, code=0)
    _, packed = replay(tmp, gzip.compress(rows), code=0)
    equal(packed, plain, "results")


@test
def a_key_can_be_rebuilt_from_the_columns_of_a_trace(tmp):
    rows = b"time,VehicleId,day\n" + b"".join(b"%d,car%d,monday\n" % (i, i) for i in range(8))
    text = TRACE.replace(
        "{throughput: 4000 RU/s, partitions: 4}",
        '{throughput: 4000 RU/s, partitions: 4, partition_key: "{day}", items: {fields: '
        '{day: {column: Day}}}}')
    _, run = replay(tmp, rows, code=0, text=text)
    equal([key["key"] for key in run["hot_keys"]], ["monday"], "hot keys")


@test
def a_bad_row_ends_with_2_its_place_and_no_results_unless_it_may_be_skipped(tmp):
    rows = b"time,key\n1,a\nsoon,b\n3,c\n"
    done, run = replay(tmp, rows, code=2)
    equal(done.stdout, b"", "stdout")
    contains(done.stderr.decode(), "rows.csv:3: error: the time is 'soon', expected")
    equal(run, None, "results")
    assert not (tmp / "out").exists()
    done, run = replay(tmp, rows, "--skip-bad-rows", code=0)
    equal(run["clients"]["app"]["trace"]["rows_bad"], 1, "bad rows")
    contains(done.stdout.decode(), "skipped 1 bad")


@test
def counters_beside_a_scenario_become_its_rate_and_explain_says_how(tmp):
    text = SMALL.replace("rate: 500/s", "rate_counters: metrics.csv").replace("duration: 4s", "duration: 2min")
    path = scenario(tmp, text, "counted.yaml")
    rows = "TimeGenerated,TotalRequestUnits\n2024-01-31T16:05:00Z,34500\n2024-01-31T16:06:00Z,17250\n"
    (tmp / "metrics.csv").write_text(rows)
    view = partsim("explain", path, code=0).stdout.decode()
    contains(view, "rate_counters: metrics.csv  # 5.75 RU an operation")
    contains(view, "burstiness: 1  # default")
    partsim("run", path, "--charts", "none", "-o", str(tmp / "out"), "--variant", "user", cwd=tmp, code=0)
    run = json.loads((tmp / "out" / "results.json").read_text())["runs"][0]
    offered = run["operations"]["offered"]
    assert abs(offered - 8900) < 400, offered   # 9,000, and 100 of them in the second of warm-up
    (tmp / "metrics.csv").write_text(rows + "2024-01-31T16:07:00Z,many\n")
    done = partsim("validate", path, code=2)
    contains(done.stderr.decode(), "metrics.csv:4:22: error: the amount is 'many', expected RU")


@test
def keys_of_several_levels_in_a_trace_are_hashed_level_by_level(tmp):
    keys = [["contoso", f"user-{i}"] for i in range(6)] + [["contoso", "user-1", i] for i in range(6)]
    rows = b"time,ru,PartitionKey\n" + b"".join(
        b'%d,3,"%s"\n' % (i, json.dumps(key).replace('"', '""').encode())
        for i, key in enumerate(keys))
    _, run = replay(tmp, rows, code=0, text=TRACE.replace("10s", "20s"))
    lines = "".join(json.dumps(key) + "\n" for key in keys).encode()
    answers = partsim("route", "--hash", "multihash", "--partitions", "4", "--jsonl", stdin=lines,
                      code=0)
    owners = [json.loads(line)["partition"] for line in answers.stdout.splitlines()]
    consumed = [partition["ru_consumed"] for partition in run["partitions"]]
    equal(consumed, [3 * owners.count(i) for i in range(4)], "RU by partition")


@test
def validate_reads_the_traces_too(tmp):
    path = scenario(tmp, TRACE, "replay.yaml")
    (tmp / "rows.csv").write_bytes(b"time,key\n1,a\n2,b\n")
    contains(partsim("validate", path, code=0).stdout.decode(), "ok (1 variant")
    (tmp / "rows.csv").write_bytes(b"time,key\n1,a\n2,b\nsoon,c\n")
    done = partsim("validate", path, code=2)
    contains(done.stderr.decode(), "rows.csv:4: error: the time is 'soon', expected")
    equal(done.stdout, b"", "stdout")
    partsim("validate", path, "--skip-bad-rows", code=0)
    done = partsim("validate", path, "--format", "json", code=2)
    finding = json.loads(done.stdout)["files"][0]["diagnostics"][0]
    equal(finding["line"], 4, "line")
    contains(finding["message"], "the time is 'soon'")
    (tmp / "rows.csv").write_bytes(b"when,key\n1,a\n")
    contains(partsim("validate", path, code=2).stderr.decode(), "rows.csv:1: error: no column 'time'")
    (tmp / "rows.csv").unlink()
    contains(partsim("validate", path, code=3).stderr.decode(), "there is no such file")


@test
def a_trace_that_is_missing_or_cut_off_ends_with_3_and_no_results(tmp):
    packed = gzip.compress(b"time,key\n" + os.urandom(50_000).hex().encode() + b"\n")
    done, run = replay(tmp, packed[:-20_000], code=3)
    contains(done.stderr.decode(), "the compressed data end too soon")
    equal(run, None, "results")
    done, run = replay(tmp, b"", code=3, text=TRACE.replace("rows.csv", "none.csv"))
    contains(done.stderr.decode(), "there is no such file")
    equal(run, None, "results")


# ---- speed, roughly -----------------------------------------------------------------------------


@test
def a_command_starts_and_routes_100000_keys_without_a_wait(tmp):
    begin = time.monotonic()
    partsim("--version", code=0)
    assert time.monotonic() - begin < PATIENCE
    keys = "".join(f'["device-{i}"]\n' for i in range(100_000)).encode()
    begin = time.monotonic()
    done = partsim("route", "--partitions", "100", "--jsonl", stdin=keys, code=0)
    took = time.monotonic() - begin
    equal(done.stdout.count(b"\n"), 100_000, "answers")
    assert took < 3 * PATIENCE, f"took {took:.2f} s"


@test
def two_hundred_thousand_rows_of_a_trace_are_replayed_without_a_wait(tmp):
    rows = b"time,operation,key,ru\n" + b"".join(
        b"%.6f,Create,device-%d,1\n" % (i / 25_000, i * 7919 % 5_000) for i in range(200_000))
    (tmp / "rows.csv").write_bytes(rows)
    text = TRACE.replace("4000 RU/s, partitions: 4", "400000 RU/s, partitions: 40")
    path = scenario(tmp, text, "replay.yaml")
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    partsim("run", path, "--charts", "none", "--jobs", "1", cwd=tmp, code=0)
    took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    # a million rows a second and the start of the program, twice that for a busy machine
    assert took < 0.5 * PATIENCE, f"took {took:.2f} s"


if __name__ == "__main__":
    sys.exit(main())
