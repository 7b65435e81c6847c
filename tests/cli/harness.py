"""What the tests of the program share: a scenario, ways to start the program, ways to judge it.

A test file imports * from here, marks its tests with @test and ends in sys.exit(main()). It is
called as FILE PARTSIM SOURCE_DIR [TEXT]; with TEXT only tests run whose name contains it.
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

PARTSIM = os.path.abspath(sys.argv[1])
SOURCE = pathlib.Path(sys.argv[2]).resolve()
ONLY = sys.argv[3] if len(sys.argv) > 3 else ""
HERE = pathlib.Path(__file__).resolve().parent

# Sanitizers slow the program down, reserve address space and must be loaded first.
BINARY = pathlib.Path(PARTSIM).read_bytes()
SANITIZED = b"__asan_init" in BINARY or b"__tsan_init" in BINARY
PATIENCE = 10.0 if SANITIZED else 1.0

SMALL = """\
partsim: 1
name: small
title: A small study
seed: 7
duration: 4s
warm_up: 1s
container:
  throughput: 4000 RU/s
  partitions: 4
  partition_key: "{user}"
  items:
    size: 1 KB
    fields:
      user: {choose: 500, zipf: 0.9}
      date: {time: "%Y-%m-%d"}
clients:
  app:
    rate: 500/s
    operations: [{create: 100%}]
variants:
  user: {container: {partition_key: "{user}"}}
  date: {container: {partition_key: "{date}"}}
  both: {container: {partition_key: "{date}.{random 1..20}"}}
expect:
  - attempts > 0
"""

# About 10^9 requests: minutes of work, and below the limit of what is run without asking.
LONG = SMALL.replace("name: small", "name: long").replace("duration: 4s", "duration: 20000s") \
    .replace("rate: 500/s", "rate: 20000/s").replace("4000 RU/s", "400000 RU/s") \
    .replace("partitions: 4", "partitions: 40")

FILES = ["latency.csv", "latency_time.csv", "partitions.csv", "report.html", "results.json",
         "timeseries.csv"]

TESTS = []


def test(function):
    TESTS.append(function)
    return function


class Skipped(Exception):
    pass


def equal(got, wanted, what="value"):
    assert got == wanted, f"{what} is {got!r}, expected {wanted!r}"


def contains(text, part):
    assert part in text, f"{part!r} is not in {text!r}"


def environment(**extra):
    base = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C"}
    for name in ("ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"):
        if name in os.environ:
            base[name] = os.environ[name]
    return base | extra


def default_signals():
    """A test run started in the background hands an ignored SIGINT down to its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def partsim(*words, cwd=None, code=None, stdin=b"", env=None, setup=None, timeout=60, **more):
    def prepare():
        default_signals()
        if setup:
            setup()

    done = subprocess.run([PARTSIM, *words], cwd=cwd, input=stdin, env=env or environment(),
                          timeout=timeout, preexec_fn=prepare,
                          **({"capture_output": True} | more))
    if code is not None:
        assert done.returncode == code, (
            f"{words} ended with {done.returncode}, expected {code}; "
            f"stderr: {(done.stderr or b'').decode(errors='replace')}")
    return done


def start(*words, cwd, env=None):
    return subprocess.Popen([PARTSIM, *words], cwd=cwd, env=env or environment(),
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, preexec_fn=default_signals)


def scenario(folder, text=SMALL, name="small.yaml"):
    path = folder / name
    path.write_text(text)
    return str(path)


def tree(folder):
    """Every file below a folder with its bytes, links as their targets."""
    found = {}
    for path in sorted(folder.rglob("*")):
        key = str(path.relative_to(folder))
        if path.is_symlink():
            found[key] = os.readlink(path)
        elif path.is_dir():
            found[key] = None
        else:
            found[key] = path.read_bytes()
    return found


def files_in(folder):
    return sorted(p.name for p in folder.iterdir())


def main():
    passed = failed = skipped = 0
    for function in TESTS:
        name = function.__name__.replace("_", " ")
        if ONLY not in name:
            continue
        folder = pathlib.Path(tempfile.mkdtemp(prefix="partsim-cli-"))
        begin = time.monotonic()
        try:
            function(folder)
            passed += 1
            print(f"ok      {name} ({time.monotonic() - begin:.2f} s)")
        except Skipped as reason:
            skipped += 1
            print(f"skipped {name}: {reason}")
        except Exception:  # a test may fail in any way
            failed += 1
            print(f"FAILED  {name}")
            traceback.print_exc(file=sys.stdout, limit=-2)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0
