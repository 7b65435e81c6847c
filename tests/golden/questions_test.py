#!/usr/bin/env python3
"""docs/QUESTIONS.md: every command in it is run, and prints what the page says it prints.

usage: questions_test.py PARTSIM SOURCE_DIR [--write]   (--write: put the real output in the page)
"""
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

PARTSIM, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
WRITE = "--write" in sys.argv[3:]
PAGE = SOURCE / "docs" / "QUESTIONS.md"
QUESTIONS = 25
BLOCK = re.compile(r"^```console\n\$ (partsim [^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LONGEST = 40  # lines of an answer

passed, failures = 0, []


def judge(ok, message):
    global passed
    if ok:
        passed += 1
    else:
        failures.append(message)


def answer(command):
    """Standard output and exit code, as somebody gets them who stands in the folder of the sources."""
    with tempfile.TemporaryDirectory(prefix="partsim-questions-") as folder:
        os.symlink(SOURCE / "scenarios", pathlib.Path(folder, "scenarios"))
        done = subprocess.run([PARTSIM, *shlex.split(command)[1:]], cwd=folder, text=True,
                              capture_output=True, stdin=subprocess.DEVNULL, timeout=120,
                              env={"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C"})
    return done.stdout, done.returncode, done.stderr


def main():
    text = PAGE.read_text()
    titles = re.findall(r"^## (\d+)\. (.+)$", text, re.MULTILINE)
    judge([int(number) for number, _ in titles] == list(range(1, QUESTIONS + 1)),
          f"not {QUESTIONS} questions in order")
    sections = re.split(r"^## \d+\. ", text, flags=re.MULTILINE)[1:]
    for (number, title), section in zip(titles, sections):
        judge(title.endswith("?"), f"question {number} does not ask")
        judge(len(BLOCK.findall(section)) == 1, f"question {number} has not one command")
    blocks = BLOCK.findall(text)
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        answers = list(pool.map(lambda block: answer(block[0]), blocks))
    for (command, shown), (output, code, errors) in zip(blocks, answers):
        judge(code in (0, 1), f"{command} ended with {code}: {errors[-500:]}")
        judge(0 < output.count("\n") <= LONGEST, f"{command} prints {output.count(chr(10))} lines")
        judge(max(map(len, output.splitlines()), default=0) <= 80, f"{command} prints wide lines")
        if not WRITE:
            judge(output == shown, f"{command} prints\n{output}\nthe page says\n{shown}")
    if WRITE:
        outputs = iter(answers)
        PAGE.write_text(BLOCK.sub(
            lambda block: f"```console\n$ {block.group(1)}\n{next(outputs)[0]}```", text))
    for failure in failures:
        print("FAILED ", failure)
    print(f"{passed} passed, {len(failures)} failed")
    return 1 if failures or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
