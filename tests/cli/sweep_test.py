"""`partsim sweep` and `partsim merge` as users meet them."""
import csv
import io
import json
import resource
import subprocess

from harness import *

VARY = ["--vary", "container.throughput=3000..5000/1000 RU/s"]
# 3 points, 3 variants, 20 seeds: 180 runs of a few milliseconds.
KILLED = ["--vary", "container.throughput=3000..5000/1000 RU/s", "--seeds", "20", "--jobs", "2",
          "--quiet"]


def sweep(tmp, *words, code=0, file="small.yaml", **more):
    return partsim("sweep", file, "--charts", "none", *words, cwd=tmp, code=code, **more)


def varied(tmp, values, code=0):
    done = sweep(tmp, "--vary", values, "--format", "json", "--quiet", "--force",
                 "--variant", "user", code=code)
    return json.loads(done.stdout)["varied"][0]["values"] if code == 0 else done.stderr.decode()


@test
def writes_json_and_csv_and_a_table_with_the_best_choice(tmp):
    scenario(tmp)
    done = sweep(tmp, *VARY, "--seeds", "5", "-o", "out")
    text = done.stdout.decode()
    assert all(len(line) <= 80 for line in text.splitlines()), text
    for part in ("Best  both at throughput 4000 RU/s", "45 runs: 3 points, 3 variants, 5 seeds",
                 "◆ best", "Against user", "date: worse at 3 of 3 points",
                 "--set 'container.throughput=4000 RU/s'"):
        contains(text, part)
    result = json.loads((tmp / "out" / "sweep.json").read_text())
    equal(result["format_version"], "1.0")
    equal(len(result["points"]), 3)
    equal(result["best"], {"point": 1, "variant": "both"})
    cell = result["points"][1]["variants"][2]
    equal((cell["variant"], cell["replications"], cell["frontier"]), ("both", 5, True))
    rows = list(csv.DictReader(io.StringIO((tmp / "out" / "sweep.csv").read_text())))
    row = next(r for r in rows if (r["point"], r["variant"], r["metric"]) ==
               ("1", "both", "latency_ms.p99"))
    metric = cell["metrics"]["latency_ms.p99"]
    equal([float(row[k]) for k in ("mean", "low", "high")],
          [metric[k] for k in ("mean", "low", "high")])
    equal(len((tmp / "out" / "runs.csv").read_text().splitlines()), 46)


@test
def intervals_are_those_of_student_over_the_runs(tmp):
    scenario(tmp)
    sweep(tmp, "--seeds", "5", "-o", "out", "--quiet")
    runs = list(csv.DictReader(io.StringIO((tmp / "out" / "runs.csv").read_text())))
    values = [float(r["attempts"]) for r in runs if r["variant"] == "user"]
    mean = sum(values) / 5
    half = 2.776445 * (sum((v - mean) ** 2 for v in values) / 4 / 5) ** 0.5
    found = json.loads((tmp / "out" / "sweep.json").read_text())["points"][0]["variants"][0]
    got = found["metrics"]["attempts"]
    assert abs(got["mean"] - mean) < 1e-5 and abs(got["high"] - mean - half) < 1e-3, got
    # paired: the same seeds on both sides
    other = [float(r["attempts"]) for r in runs if r["variant"] == "date"]
    gaps = [b - a for a, b in zip(values, other)]
    gap = json.loads((tmp / "out" / "sweep.json").read_text())["points"][0]["differences"][0]
    equal((gap["variant"], gap["against"]), ("date", "user"))
    assert abs(gap["metrics"]["attempts"]["mean"] - sum(gaps) / 5) < 1e-5, gap["metrics"]
    equal(gap["metrics"]["throttled_share"]["verdict"], "worse")


@test
def one_seed_is_what_run_shows(tmp):
    scenario(tmp)
    sweep(tmp, "--seeds", "1", "-o", "out", "--quiet")
    partsim("run", "small.yaml", "-o", "run", "--charts", "none", "--quiet", cwd=tmp)
    ran = json.loads((tmp / "run" / "results.json").read_text())["runs"]
    runs = list(csv.DictReader(io.StringIO((tmp / "out" / "runs.csv").read_text())))
    equal([r["digest"] for r in runs], [r["digest"] for r in ran])
    equal([r["seed"] for r in runs], ["7"] * 3)
    swept = json.loads((tmp / "out" / "sweep.json").read_text())["points"][0]["variants"]
    for mine, other in zip(swept, ran):
        equal(mine["metrics"]["latency_ms.p99"]["mean"], other["latency_ms"]["p99"])
        equal(mine["metrics"]["latency_ms.p99"]["low"], None)


@test
def threads_and_order_of_parts_change_no_byte(tmp):
    scenario(tmp)
    words = [*VARY, "--seeds", "8", "--precision", "5%", "--quiet"]
    sweep(tmp, *words, "--jobs", "1", "-o", "one")
    sweep(tmp, *words, "--jobs", "4", "-o", "four")
    equal(tree(tmp / "four"), tree(tmp / "one"), "folder")
    for part in ("2", "3", "1"):
        sweep(tmp, *words, "--shard", f"{part}/3", "-o", f"part{part}")
    partsim("merge", "part3", "part1", "part2", "-o", "all", "--quiet", "--charts", "none",
            cwd=tmp, code=0)
    equal(tree(tmp / "all"), tree(tmp / "one"), "merged folder")


@test
def values_are_lists_ranges_factors_and_yaml_lists(tmp):
    scenario(tmp)
    path = "container.throughput="
    equal(varied(tmp, path + "4000 RU/s, 5000 RU/s"), ["4000 RU/s", "5000 RU/s"])
    wanted = ["4000 RU/s", "5000 RU/s", "6000 RU/s"]
    for text in ("4000..6000/1000 RU/s", "4000 RU/s..6000 RU/s/1000 RU/s", "4000 RU/s..6000/1000"):
        equal(varied(tmp, path + text), wanted, text)
    equal(varied(tmp, path + "4000..6900/1000 RU/s"), wanted)
    equal(varied(tmp, path + "1000..9000/x2 RU/s"),
          ["1000 RU/s", "2000 RU/s", "4000 RU/s", "8000 RU/s"])
    equal(varied(tmp, "clients.app.rate=0.5..2/0.75/s")[:2], ["0.5/s", "1.25/s"])
    equal(varied(tmp, 'container.partition_key=["{user}", "{date}.{random 1..5}"]'),
          ['"{user}"', '"{date}.{random 1..5}"'])


@test
def bad_values_name_the_flag_and_what_is_meant(tmp):
    scenario(tmp)
    for text, part in [
            ("container.throughput", "expected PATH=VALUES"),
            ("=1,2", "expected PATH=VALUES"),
            ("container.throughput=", "expected PATH=VALUES"),
            ("container.throughput=1..5 RU/s", "the range has no step"),
            ("container.throughput=5000..4000/100 RU/s", "ends below its beginning"),
            ("container.throughput=4000..5000/0 RU/s", "the step must be above 0"),
            ("container.throughput=4000..5000/x1 RU/s", "the factor must be above 1"),
            ("container.throughput=1s..5 RU/s/1", "have one unit"),
            ("container.throughput=4000 RU/s,", "a value is missing"),
            ("container.throughput=4000 RU/s,4000 RU/s", "is there twice"),
            ("container.partition_key=['{user}", "is not closed"),
            ("seed=1,2", "--seeds N"),
            ("container.throughput=400 RU/x,500 RU/s", "--vary container.throughput=400 RU/x"),
            ("container.throughputs=400 RU/s", "did you mean 'throughput'?")]:
        contains(varied(tmp, text, code=2), part)
    before = files_in(tmp)
    for words, part in [
            ([], "nothing is varied or repeated"),
            ([*VARY, *VARY], "more than once"),
            ([*VARY, "--set", "container.throughput=400 RU/s"], "both set and varied"),
            (["--seeds", "0"], "expected a whole number from 1 to 100000"),
            (["--seeds", "3", "--precision", "1%"], "--seeds of at least 5"),
            (["--seeds", "9", "--precision", "150%"], "expected a share of the mean"),
            (["--seeds", "2", "--metric", "throtled_share"], "did you mean 'throttled_share'?"),
            (["--seeds", "2", "--shard", "3/2"], "expected a whole number from 1 to 2"),
            (["--seeds", "2", "--shard", "3"], "expected K/N")]:
        contains(sweep(tmp, *words, code=2).stderr.decode(), part)
    equal(files_in(tmp), before, "files")


@test
def a_mistake_that_all_points_share_is_told_once(tmp):
    scenario(tmp, SMALL.replace("rate: 500/s", "rat: 500/s"))
    text = sweep(tmp, *VARY, "--seeds", "2", code=2).stderr.decode()
    equal(text.count("unknown key 'rat'"), 1)


@test
def too_many_runs_are_refused_before_the_first(tmp):
    scenario(tmp)
    words = ["--vary", "clients.app.rate=1..20000/1/s", "--seeds", "10"]
    contains(sweep(tmp, *words, code=4).stderr.decode(), "limit 100000")
    contains(sweep(tmp, *VARY, "--seeds", "4", "--max-points", "35", code=4).stderr.decode(),
             "the sweep has 36 runs, limit 35")
    contains(sweep(tmp, "--seeds", "10", "--max-events", "10000", code=4).stderr.decode(),
             "requests estimated for all runs")
    sweep(tmp, *VARY, "--seeds", "4", "--max-points", "36", "--quiet")
    equal(files_in(tmp), ["partsim-out", "small.yaml"])


@test
def only_the_asked_metrics_and_what_the_table_needs_are_kept(tmp):
    scenario(tmp)
    done = sweep(tmp, "--seeds", "2", "--metric", "imbalance", "--metric", "clients.app.attempts",
                 "--metric", "partitions.2.ru_consumed", "--format", "json", "--quiet")
    result = json.loads(done.stdout)
    equal(result["metrics"][:3], ["imbalance", "clients.app.attempts", "partitions.2.ru_consumed"])
    equal(result["target"], "imbalance")
    equal(len(result["metrics"]), 9)


@test
def a_killed_sweep_resumes_to_the_same_bytes(tmp):
    scenario(tmp)
    sweep(tmp, *KILLED, "-o", "whole")
    kills = 0
    for delay in [0.002 * k for k in range(1, 51)]:
        process = start("sweep", "small.yaml", "--charts", "none", *KILLED, "-o", "killed", "--resume", cwd=tmp)
        time.sleep(delay * PATIENCE)
        finished = process.poll() is not None
        process.kill()
        process.communicate()
        kills += not finished
        assert finished or not (tmp / "killed").exists() or \
            tree(tmp / "killed") == tree(tmp / "whole"), "half a folder"
        if finished:
            break
    assert kills >= 2, f"only {kills} kills came in time"
    sweep(tmp, *KILLED, "-o", "killed", "--resume")
    equal(tree(tmp / "killed"), tree(tmp / "whole"), "resumed folder")
    assert not (tmp / "killed.partial").exists()


@test
def a_line_torn_by_a_crash_is_made_again(tmp):
    scenario(tmp)
    sweep(tmp, *VARY, "--seeds", "4", "-o", "whole", "--quiet")
    process = start("sweep", "small.yaml", "--charts", "none", *KILLED, "-o", "cut", cwd=tmp)
    runs = tmp / "cut.partial" / "runs"
    while process.poll() is None and not (runs.exists() and runs.read_bytes().count(b"\n") > 5):
        pass
    process.kill()
    process.communicate()
    if not runs.exists():
        raise Skipped("the sweep was faster than the kill")
    kept = runs.read_bytes()
    for cut in (len(kept) - 7, kept.rfind(b"\n", 0, -1) + 20, 10, 0):
        (tmp / "cut.partial").mkdir(exist_ok=True)
        runs.write_bytes(kept[:cut])
        sweep(tmp, *VARY, "--seeds", "4", "-o", "cut", "--quiet", "--resume")
        equal(tree(tmp / "cut"), tree(tmp / "whole"), f"folder after a cut at {cut}")
    damaged = bytearray(kept)
    damaged[kept.find(b"\n") + 40] ^= 1
    (tmp / "cut.partial").mkdir()
    runs.write_bytes(damaged)
    sweep(tmp, *VARY, "--seeds", "4", "-o", "cut", "--quiet", "--resume")
    equal(tree(tmp / "cut"), tree(tmp / "whole"), "folder after damage")


def interrupted(tmp):
    """A folder of unfinished runs."""
    text = LONG.replace("duration: 20000s", "duration: 30s")
    path = scenario(tmp, text, "long.yaml")
    words = ["--seeds", "400", "--jobs", "2", "-o", "out"]
    process = start("sweep", path, *words, cwd=tmp)
    runs = tmp / "out.partial" / "runs"
    deadline = time.monotonic() + 20 * PATIENCE
    while time.monotonic() < deadline and not (
            runs.exists() and runs.read_bytes().count(b"\n") >= 3):
        time.sleep(0.01)
    return process, path, text, words


@test
def ctrl_c_keeps_the_runs_and_says_how_to_go_on(tmp):
    process, _, _, _ = interrupted(tmp)
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30 * PATIENCE)
    equal(process.returncode, 130, "exit code")
    assert time.monotonic() - began < 2 * PATIENCE
    equal(out, b"")
    contains(err.decode(), "--resume")
    assert (tmp / "out.partial" / "runs").exists() and not (tmp / "out").exists()


@test
def resuming_something_else_is_refused_with_what_differs(tmp):
    process, path, text, words = interrupted(tmp)
    process.terminate()
    process.communicate()
    equal(process.returncode, 143, "exit code")
    kept = tree(tmp / "out.partial")

    def refused(part, *more, code=3):
        contains(partsim("sweep", path, *words, *more, cwd=tmp, code=code).stderr.decode(), part)
        equal(tree(tmp / "out.partial"), kept, "kept runs")

    refused("unfinished runs are in 'out.partial'")
    refused("--vary names other paths", "--resume", "--vary", "clients.app.rate=1/s,2/s")
    refused("--metric names other", "--resume", "--metric", "imbalance")
    refused("the seed was 7, now it is 8", "--resume", "--seed", "8")
    refused("another --shard", "--resume", "--shard", "1/2")
    (tmp / "long.yaml").write_text(text.replace("rate: 20000/s", "rate: 20001/s"))
    refused("the digest of the scenario was ", "--resume")
    (tmp / "long.yaml").write_text(text)
    runs = tmp / "out.partial" / "runs"
    runs.write_bytes(runs.read_bytes().replace(b'"version":"', b'"version":"0.', 1))
    kept = tree(tmp / "out.partial")
    refused("the version of partsim was 0.", "--resume")
    # with --force the version does not matter; the few runs of a short sweep are soon done
    process = start("sweep", path, *words, "--resume", "--force", cwd=tmp)
    while process.poll() is None and len(runs.read_bytes()) <= len(kept["runs"]):
        time.sleep(0.01)
    process.terminate()
    _, err = process.communicate()
    equal(process.returncode, 143, "exit code")
    contains(err.decode(), "runs are done")


@test
def two_at_once_do_not_share_a_folder(tmp):
    process, path, _, words = interrupted(tmp)
    done = partsim("sweep", path, *words, "--resume", cwd=tmp, code=3)
    contains(done.stderr.decode(), "another partsim is at work there")
    process.terminate()
    process.communicate()


@test
def somebody_elses_partial_folder_is_left_alone(tmp):
    scenario(tmp)
    (tmp / "out.partial").mkdir()
    (tmp / "out.partial" / "runs").write_text("my notes\nof a run\n")
    kept = tree(tmp / "out.partial")
    for words in ([], ["--resume"], ["--force"]):
        sweep(tmp, "--seeds", "2", "-o", "out", *words, code=3)
        equal(tree(tmp / "out.partial"), kept, "kept notes")


@test
def files_that_a_scenario_names_belong_to_it(tmp):
    (tmp / "users.txt").write_text("ann\nbob\ncid\n")
    scenario(tmp, SMALL.replace("user: {choose: 500, zipf: 0.9}", "user: {values_file: users.txt}"))
    sweep(tmp, "--seeds", "2", "--shard", "1/2", "-o", "p1", *VARY, "--quiet")
    (tmp / "users.txt").write_text("ann\nbob\ndan\n")
    sweep(tmp, "--seeds", "2", "--shard", "2/2", "-o", "p2", *VARY, "--quiet")
    done = partsim("merge", "p1", "p2", "-o", "all", cwd=tmp, code=3)
    contains(done.stderr.decode(), "the digest of the scenario was ")


@test
def merge_refuses_what_does_not_belong_together(tmp):
    scenario(tmp)
    for part in ("1", "2", "3"):
        sweep(tmp, *VARY, "--seeds", "2", "--shard", f"{part}/3", "-o", f"p{part}", "--quiet")
    sweep(tmp, *VARY, "--seeds", "3", "--shard", "3/3", "-o", "seeds", "--quiet")
    sweep(tmp, *VARY, "--seeds", "2", "--shard", "2/4", "-o", "of4", "--quiet")
    sweep(tmp, *VARY, "--seeds", "2", "-o", "whole", "--quiet")
    (tmp / "torn").mkdir()
    text = (tmp / "p3" / "shard.runs").read_bytes()
    (tmp / "torn" / "shard.runs").write_bytes(text[:-30])
    for parts, part in [(["p1"], "parts 2, 3 of 3 are missing"),
                        (["p1", "p3"], "part 2 of 3 is missing"),
                        (["p1", "p2", "p2"], "'p2' and 'p2' are both part 2 of 3"),
                        (["p1", "p2", "seeds"], "--seeds or --precision differ"),
                        (["p1", "p2", "of4"], "it is one of 4 parts, not of 3"),
                        (["p1", "p2", "whole"], "no part of a sweep made with --shard"),
                        (["p1", "p2", "torn"], "damaged or not whole"),
                        (["p1", "p2", "nowhere"], "cannot read")]:
        done = partsim("merge", *parts, "-o", "all", cwd=tmp, code=3)
        contains(done.stderr.decode(), part)
        assert not (tmp / "all").exists()
    partsim("merge", "p2", "p3", "p1", "-o", "all", "--quiet", "--charts", "none", cwd=tmp, code=0)
    equal(tree(tmp / "all"), tree(tmp / "whole"), "merged folder")
    partsim("merge", cwd=tmp, code=2)


@test
def a_folder_partsim_did_not_make_is_not_replaced(tmp):
    scenario(tmp)
    (tmp / "out").mkdir()
    (tmp / "out" / "notes.txt").write_text("mine")
    sweep(tmp, "--seeds", "2", "-o", "out", code=3)
    equal(files_in(tmp), ["out", "small.yaml"])


@test
def a_hundred_points_need_no_hundred_open_files(tmp):
    scenario(tmp)

    def few_files():
        resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))

    sweep(tmp, "--vary", "clients.app.rate=1..100/1/s", "--variant", "user", "--quiet",
          "-o", "out", setup=few_files)
    equal(len((tmp / "out" / "runs.csv").read_text().splitlines()), 101)


@test
def charts_show_the_target_and_the_price_against_p99(tmp):
    if not shutil.which("gnuplot", path=environment()["PATH"]):
        raise Skipped("no gnuplot")
    scenario(tmp)
    done = partsim("sweep", "small.yaml", *VARY, "--seeds", "3", "-o", "out", cwd=tmp, code=0)
    contains(done.stderr.decode(), "(sweep.json, 2 csv, 4 charts)")
    equal(files_in(tmp / "out" / "charts"), ["pareto.png", "pareto.svg", "sweep.png", "sweep.svg"])


@test
def more_than_forty_rows_show_the_best_and_say_so(tmp):
    scenario(tmp)
    text = sweep(tmp, "--vary", "clients.app.rate=1..50/1/s", "--variant", "user",
                 "--quiet").stdout.decode()
    contains(text, "the best 40 of 50; all are in sweep.csv")
    assert len(text.splitlines()) < 55


@test
def a_full_standard_output_leaves_nothing_to_resume_beside_the_finished_sweep(tmp):
    scenario(tmp)
    with open("/dev/full", "wb") as full:
        done = partsim("sweep", "small.yaml", "--seeds", "2", "--charts", "none", "-o", "out",
                       cwd=tmp, code=3, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    contains(done.stderr.decode(), "standard output")
    equal(files_in(tmp), ["out", "small.yaml"], "files")


sys.exit(main())
