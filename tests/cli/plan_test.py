"""`partsim plan` as users meet it; every answer is run just below and just above."""
import json

from harness import *

# 700 creates of 5.8 RU a second over 500 keys on four partitions.
STEADY = SMALL.replace("zipf: 0.9", "zipf: 0.2").replace("duration: 4s", "duration: 6s") \
    .replace("rate: 500/s", "rate: 700/s")
TARGET = "throttled_share < 1%, latency_ms.p99 < 40ms"


def plan(tmp, *words, code=0, target=TARGET):
    rules = ["--target", target] if target else []
    return partsim("plan", "small.yaml", *rules, *words, cwd=tmp, code=code)


def answers(tmp, *words, code=0, target=TARGET):
    done = plan(tmp, *words, "--format", "json", code=code, target=target)
    return {a["variant"]: a for a in json.loads(done.stdout)["answers"]}


def holds(tmp, variant, settings, rules, seed):
    """By `run`, which knows nothing of plans."""
    text = (tmp / "small.yaml").read_text()
    (tmp / "proof.yaml").write_text(
        text.split("expect:")[0] + "expect:\n" + "".join(f"  - {rule}\n" for rule in rules))
    flags = [word for setting in settings for word in ("--set", setting)]
    done = partsim("run", "proof.yaml", *flags, "--variant", variant, "--seed", str(seed),
                   "--charts", "none", "--quiet", "--force", cwd=tmp)
    assert done.returncode in (0, 1), done.stderr
    return done.returncode == 0


@test
def each_answer_holds_and_a_step_less_does_not(tmp):
    scenario(tmp, STEADY)
    rules = [rule.strip() for rule in TARGET.split(",")]
    # seeds 7 and what the sweep makes of it
    partsim("sweep", "small.yaml", "--seeds", "5", "-o", "s", "--charts", "none", "--quiet",
            cwd=tmp)
    rows = (tmp / "s" / "runs.csv").read_text().splitlines()
    header = rows[0].split(",")
    seeds = [int(row.split(",")[header.index("seed")]) for row in rows[1:6]]
    equal(seeds[0], 7)
    found = answers(tmp)
    equal(sorted(found), ["both", "date", "user"])
    for variant in ("user", "both"):
        amount = found[variant]["answer"]["amount"]
        equal(amount % 100, 0)

        def all_hold(ru):
            return all(holds(tmp, variant, [f"container.throughput={ru} RU/s"], rules, seed)
                       for seed in seeds)

        assert all_hold(amount), (variant, amount)
        assert not all_hold(amount - 100), (variant, amount)
        equal(found[variant]["below"]["amount"], amount - 100)
        equal(found[variant]["below"]["holds"], False)


@test
def the_text_has_the_answers_their_price_and_a_next_step(tmp):
    scenario(tmp, STEADY)
    text = plan(tmp).stdout.decode()
    lines = text.splitlines()
    assert len(lines) <= 40 and all(len(line) <= 80 for line in lines), text
    for part in ("Target throttled_share < 1%", "in steps of 100 RU/s", "each of 5 seeds",
                 "cost/month", "is not enough", "cannot go below 400 RU/s", "Next: see it run partsim run small.yaml"):
        contains(" ".join(text.split()), part)


@test
def the_next_step_can_be_pasted_and_keeps_what_the_flags_changed(tmp):
    folder = tmp / "my dir"
    folder.mkdir()
    (folder / "it's.yaml").write_text(STEADY)
    words = ["my dir/it's.yaml", "--set", "clients.app.rate=900/s", "--seed", "7", "--target",
             "throttled_share < 1%", "--variant", "user", "--jobs", "1"]
    text = partsim("plan", *words, cwd=tmp, code=0).stdout.decode()
    command = text[text.index("\nNext: "):].split("\n", 2)[2]
    for part in ("--set clients.app.rate=900/s", "--seed 7", "--variant user", "throughput="):
        contains(command, part)
    path = os.path.dirname(PARTSIM) + ":" + os.environ["PATH"]
    done = subprocess.run(["sh", "-c", command.rstrip() + " --charts none --format json"], cwd=tmp,
                          capture_output=True, env=environment(PATH=path))
    run = json.loads(done.stdout)["runs"][0]
    assert run["throttled_share"] < 0.01 and run["seed"] == 7, done.stderr


@test
def rules_that_no_throughput_is_needed_for_are_left_out(tmp):
    text = STEADY[:STEADY.index("expect:")] if "expect:" in STEADY else STEADY
    scenario(tmp, text + "expect: [throttled_share > 50%, throttled_share < 1%]\n")
    done = partsim("plan", "small.yaml", "--seeds", "2", cwd=tmp, code=0)
    contains(done.stderr.decode(), "left out 'throttled_share > 50%'")
    assert " 400 RU/s  " not in done.stdout.decode(), done.stdout
    scenario(tmp, text + "expect: [throttled_share > 50%]\n")
    done = partsim("plan", "small.yaml", cwd=tmp, code=2)
    contains(done.stderr.decode(), "more throughput helps none of those in expect:")


@test
def one_key_is_told_as_the_limit_with_what_would_help(tmp):
    scenario(tmp, STEADY.replace("rate: 700/s", "rate: 9000/s"))
    done = plan(tmp, "--variant", "date", code=1)
    text = " ".join(done.stdout.decode().split())
    for part in ("none", "one key is the limit", "\"2024-01-01\" alone asks for",
                 "never has more than 10,000 RU/s", "More partitions do not help",
                 "a suffix that makes at least 6 keys", "partsim advise small.yaml"):
        contains(text, part)
    found = answers(tmp, "--variant", "date", code=1)["date"]
    equal((found["answer"], found["limit"]), (None, "one_key"))
    assert found["hot_key"]["ru_per_s"] > found["hot_key"]["ceiling_ru_per_s"] == 10000


@test
def one_answer_is_enough_for_success(tmp):
    scenario(tmp, STEADY.replace("rate: 700/s", "rate: 9000/s"))
    text = plan(tmp, "--seeds", "1").stdout.decode()
    contains(text, "date: no throughput up to 1,000,000 RU/s helps")
    contains(text, "both: ")


@test
def growth_beyond_the_partitions_names_the_even_target_and_the_floor(tmp):
    scenario(tmp, STEADY.replace("rate: 700/s", "rate: 5000/s"))
    words = ["--variant", "both", "--set", "container.partitions=2"]
    found = answers(tmp, *words)["both"]
    assert 20000 < found["answer"]["amount"] <= 80000, found["answer"]
    partitions = found["answer"]["partitions"]
    equal(found["even_split_target"], 10000 * partitions)
    equal(found["grows_from_partitions"], 2)
    equal(found["floor_afterwards"], max(400, 100 * partitions))
    contains(" ".join(plan(tmp, *words).stdout.decode().split()),
             f"2 partitions cannot have that: raise to {10000 * partitions:,} RU/s first")


@test
def suffixes_show_balance_and_fan_out(tmp):
    scenario(tmp, STEADY)
    done = plan(tmp, "--find", "suffixes", "--set", "container.throughput=6000 RU/s",
                target="throttled_share < 1%")
    contains(done.stderr.decode(), "left out variant 'user'")
    text = done.stdout.decode()
    for part in ("number of suffixes", "imbalance", "RU/op", "fan-out"):
        contains(text, part)
    found = answers(tmp, "--find", "suffixes", "--set", "container.throughput=6000 RU/s",
                    "--quiet", target="throttled_share < 1%")
    equal(list(found), ["both"])
    amount = found["both"]["answer"]["amount"]

    def with_suffixes(count):
        return holds(tmp, "both", ["container.throughput=6000 RU/s",
                                   'container.partition_key="{date}.{random 1..%d}"' % count],
                     ["throttled_share < 1%"], 7)

    assert with_suffixes(amount)
    assert found["both"]["below"]["amount"] == amount - 1 and not found["both"]["below"]["holds"]


@test
def a_range_and_the_levers_bound_the_search(tmp):
    scenario(tmp, STEADY)
    rule = "throttled_share < 1%"
    found = answers(tmp, "--range", "6000..8000 RU/s", "--variant", "both", target=rule)["both"]
    equal(found["answer"]["amount"], 6000)
    equal(found["below"], None)
    found = answers(tmp, "--range", "400..1000 RU/s", "--variant", "both", target=rule, code=1)
    equal(found["both"]["answer"], None)
    found = answers(tmp, "--find", "autoscale", "--variant", "both", target=rule)["both"]
    equal(found["answer"]["amount"] % 1000, 0)
    found = answers(tmp, "--find", "partitions", "--variant", "date", "--set",
                    "container.throughput=6000 RU/s", target=rule)["date"]
    equal(found["answer"]["amount"], 1)


@test
def without_a_target_the_rules_of_the_file_count(tmp):
    scenario(tmp, STEADY.replace("- attempts > 0", "- both.throttled_share < 1%"))
    equal(list(answers(tmp, target=None)), ["both"])
    scenario(tmp, STEADY.split("expect:")[0])
    contains(plan(tmp, target=None, code=2).stderr.decode(), "no rules to meet")


@test
def threads_change_no_byte(tmp):
    scenario(tmp, STEADY)
    equal(plan(tmp, "--format", "json", "--jobs", "4").stdout,
          plan(tmp, "--format", "json", "--jobs", "1").stdout)


@test
def bad_flags_and_files_are_told(tmp):
    scenario(tmp, STEADY)
    for words, part in [(["--find", "throughputs"], "did you mean 'throughput'?"),
                        (["--range", "5"], "expected LO..HI"),
                        (["--range", "5..1 RU/s"], "expected LO..HI"),
                        (["--range", "1..5 GB"], "expected LO..HI"),
                        (["--find", "suffixes", "--variant", "user"], "{random a..b}"),
                        (["--seeds", "0"], "expected a whole number")]:
        contains(plan(tmp, *words, code=2).stderr.decode(), part)
    contains(plan(tmp, code=2, target="throtled_share < 1%").stderr.decode(),
             "did you mean 'throttled_share'?")
    other = plan(tmp, code=2, target="user.attempts < date.attempts / 2").stderr.decode()
    contains(other, "cannot plan for 'user.attempts < date.attempts / 2'")
    partsim("plan", "nowhere.yaml", "--target", "attempts > 0", cwd=tmp, code=3)
    plan(tmp, "--max-events", "10", code=4)
    equal(files_in(tmp), ["small.yaml"])


@test
def an_interrupted_plan_has_no_answer(tmp):
    scenario(tmp, LONG, "long.yaml")
    process = start("plan", "long.yaml", "--target", "throttled_share < 1%", cwd=tmp)
    time.sleep(0.5 * PATIENCE)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30 * PATIENCE)
    equal((process.returncode, out), (130, b""), "ending")
    contains(err.decode(), "interrupted")


sys.exit(main())
