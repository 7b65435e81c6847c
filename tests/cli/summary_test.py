#!/usr/bin/env python3
"""What a run says on the terminal: the short summary, the full one, none; colours; progress.

usage: summary_test.py PARTSIM SOURCE_DIR [TEXT]   (TEXT: only tests whose name contains it)
"""
import json
import os
import re
import subprocess
import sys

from harness import *

RUN = ["run", "--charts=none"]
QUIET = RUN + ["--quiet"]


@test
def every_shipped_scenario_is_told_in_40_lines_of_80_columns(tmp):
    for path in sorted((SOURCE / "scenarios").glob("*.yaml")):
        done = partsim(*RUN, str(path), "-o", "out", cwd=tmp, code=0,
                       env=environment(COLUMNS="80"))
        lines = (done.stdout + done.stderr).decode().splitlines()
        assert len(lines) <= 40, f"{path.name}: {len(lines)} lines"
        wide = [line for line in lines if len(line) > 80 and not line.startswith("wrote ")]
        equal(wide, [], f"wide lines of {path.name}")
        text = done.stdout.decode()
        for part in ("Verdict  ", "% to █ 100 % of its share", "\nNext: ", "$/month"):
            contains(text, part)
        study = json.loads((tmp / "out" / "results.json").read_text())
        for variant in study["runs"]:
            contains(text, variant["variant"][:8])
        count = len(study["expectations"])
        contains(text, f"✓ {count} of {count} expectation" if count else "Next: ")


@test
def short_is_the_default_and_full_has_the_clients_and_the_digests(tmp):
    path = scenario(tmp)
    default = partsim(*QUIET, path, cwd=tmp, code=0).stdout
    equal(partsim(*QUIET, path, "--summary", "short", cwd=tmp, code=0).stdout, default, "stdout")
    full = partsim(*QUIET, path, "--summary=full", cwd=tmp, code=0).stdout.decode()
    assert len(full.splitlines()) > 40
    for part in ("\nClients", "digest=", "What the service saw"):
        contains(full, part)
        assert part not in default.decode(), part


@test
def none_prints_nothing_and_still_writes_the_results_and_judges_them(tmp):
    path = scenario(tmp)
    equal(partsim(*QUIET, path, "--summary=none", cwd=tmp, code=0).stdout, b"", "stdout")
    equal(files_in(tmp / "partsim-out" / "small"), [".partsim"] + FILES, "files")
    failing = scenario(tmp, SMALL + "  - attempts < 1\n", "failing.yaml")
    done = partsim(*QUIET, failing, "--summary=none", "-o", "failed", cwd=tmp, code=1)
    equal(done.stdout + done.stderr, b"", "output")
    equal(files_in(tmp / "failed"), [".partsim"] + FILES, "files")


@test
def a_wrong_word_and_a_summary_of_json_are_refused(tmp):
    path = scenario(tmp)
    done = partsim(*RUN, path, "--summary", "ful", cwd=tmp, code=2)
    contains(done.stderr.decode(), "expected one of short, full, none")
    contains(done.stderr.decode(), "did you mean 'full'?")
    done = partsim(*RUN, path, "--summary=none", "--format=json", cwd=tmp, code=2)
    contains(done.stderr.decode(), "--summary is for text")
    assert not (tmp / "partsim-out").exists()


@test
def a_failed_expectation_is_shown_and_is_the_target_of_the_next_step(tmp):
    text = SMALL + "  - attempts < 1\n  - user.throttled_share < 1%\n"
    path = scenario(tmp, text.replace("4000 RU/s", "400 RU/s"), "it's mine.yaml")
    shown = partsim(*QUIET, "it's mine.yaml", "--variant", "user", cwd=tmp, code=1,
                    env=environment(COLUMNS="120")).stdout.decode()
    assert shown.index("✗ attempts < 1") < shown.index("✗ 1 of 3 expectations met"), shown
    contains(shown, "'it'\\''s mine.yaml'")


@test
def no_color_turns_colors_off_unless_they_are_asked_for(tmp):
    path = scenario(tmp)
    for env in ({}, {"NO_COLOR": ""}, {"NO_COLOR": "1"}):
        done = partsim(*QUIET, path, "--color=always", cwd=tmp, code=0, env=environment(**env))
        contains(done.stdout, b"\x1b[")
        for mode in ("auto", "never"):  # a pipe is no terminal
            done = partsim(*QUIET, path, "--color", mode, cwd=tmp, code=0, env=environment(**env))
            assert b"\x1b" not in done.stdout, (mode, env)


def on_terminal(tmp, *words, **env):
    main, child = os.openpty()
    process = subprocess.Popen([PARTSIM, *words], cwd=tmp, stdin=child, stdout=child, stderr=child,
                               env=environment(LC_ALL="C.UTF-8", TERM="xterm", **env))
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
    equal(process.wait(60), 0, "exit code")
    return text


@test
def a_terminal_has_colors_unless_no_color_says_otherwise_and_it_may_be_empty(tmp):
    path = scenario(tmp)
    colored = re.compile(rb"\x1b\[[0-9;]*m")
    assert colored.search(on_terminal(tmp, *QUIET, path))
    assert colored.search(on_terminal(tmp, *QUIET, path, NO_COLOR=""))
    assert not colored.search(on_terminal(tmp, *QUIET, path, NO_COLOR="0"))
    assert not colored.search(on_terminal(tmp, *QUIET, path, "--color=never"))
    assert colored.search(on_terminal(tmp, *QUIET, path, "--color=always", NO_COLOR="1"))


@test
def progress_tells_simulated_time_speed_and_what_is_left_and_stays_on_its_line(tmp):
    text = SMALL.replace("4s", "1500s").replace("500/s", "5000/s").replace("4000", "40000")
    shown = on_terminal(tmp, *RUN, scenario(tmp, text), "--variant=user", COLUMNS="70")
    steps = [step.split("\r")[0] for step in shown.decode().split("\r\x1b[K")][1:]
    shares = [re.match(r"small  (\d+) %  .* of 25 min simulated", step) for step in steps[:-1]]
    assert len(shares) > 1 and all(shares), steps
    numbers = [int(each.group(1)) for each in shares]
    equal(numbers, sorted(numbers), "shares")
    wide = [step for step in steps[:-1] if len(step) > 69]
    equal(wide, [], "progress that would wrap")
    assert any(re.search(r"  [\d.,]+[kM]? requests/s  .*\d s left$", step) for step in steps), steps
    quiet = on_terminal(tmp, *QUIET, scenario(tmp))
    assert b"requests/s" not in quiet and b"\r\x1b[K" not in quiet


if __name__ == "__main__":
    sys.exit(main())
