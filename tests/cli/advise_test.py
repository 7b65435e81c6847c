"""`partsim advise` as users meet it: its ranking, its samples, what it says when something is wrong."""
import gzip
import json

from harness import *

FLAGSHIP = SOURCE / "scenarios" / "vehicle-telemetry.yaml"

HOT_DEVICE = """\
partsim: 1
name: hot-device
duration: 4s
container:
  throughput: 12000 RU/s
  partitions: 4
  partition_key: "{device}"
  items:
    size: 1 KB
    fields:
      device: {choose: 1000, hot: {share: 90%, of: 0.1%}}
      day: {time: "%Y-%m-%d"}
      id: {unique: true}
clients:
  ingest: {rate: 1000/s, operations: [{create: 100%}]}
"""


def advice(*words, **more):
    return json.loads(partsim("advise", *words, "--format", "json", code=0, **more).stdout)


def by_key(answer):
    return {each["key"]: each for each in answer["keys"]}


def place(answer, key):
    return [each["key"] for each in answer["keys"]].index(key)


def refused(code, *words, **more):
    done = partsim("advise", *words, code=code, **more)
    equal(done.stdout, b"", "stdout")
    return done.stderr.decode()


@test
def the_flagship_prefers_a_computed_suffix_to_a_random_one_and_to_the_date(tmp):
    path = scenario(tmp, FLAGSHIP.read_text().replace("duration: 60s", "duration: 8s"), "f.yaml")
    keys = ["{date}.{random 1..400}", "{date}.{hash vin 1..400}", "{date}"]
    flags = [word for key in keys for word in ("--key", key)]
    answer = advice(path, *flags)
    equal([each["key"] for each in answer["keys"]],
          ["{date}.{hash vin 1..400}", "{date}.{random 1..400}", "{date}"], "ranking")
    found = by_key(answer)
    equal(found["{date}"]["grade"], "F")
    equal(found["{date}"]["current"], True)
    assert found["{date}"]["simulated"]["throttled_share"] > 0.5
    equal(found["{date}.{hash vin 1..400}"]["simulated"]["throttled_share"], 0, "throttled")
    # the usable share of 2018-08-09 that V2 has for even suffixes
    usable = found["{date}.{random 1..400}"]["load"]["usable"]
    assert abs(usable - 0.784) < 0.001, usable
    reads = found["{date}.{random 1..400}"]["operations"]
    equal([each["partitions"] for each in reads if each["operation"] == "read"], [10], "visits")
    assert answer["suffixes"]["key"] == "{date}.{hash vin 1..S}"
    assert answer["suffixes"]["recommended"] in (400, 1000)


@test
def the_text_has_a_verdict_first_and_a_command_last_within_80_columns_and_40_lines(tmp):
    path = scenario(tmp, FLAGSHIP.read_text().replace("duration: 60s", "duration: 6s"), "f.yaml")
    text = partsim("advise", path, cwd=tmp, code=0).stdout.decode()
    lines = text.splitlines()
    assert lines[0].startswith("use "), lines[0]
    contains(lines[0], "usable, reads stay on one partition")
    contains(lines[1], "now {date}, grade F: ")
    assert max(len(line) for line in lines) <= 80, text
    assert len(lines) <= 40, f"{len(lines)} lines"
    contains(text, "How many suffixes for {date}.{hash vin 1..S}")
    contains(text, "\nNext: see it run\n  partsim run ")
    assert "\x1b" not in text


@test
def the_next_step_is_a_command_that_works(tmp):
    scenario(tmp, HOT_DEVICE, "hot.yaml")
    answer = advice("hot.yaml", cwd=tmp)
    step = answer["next_step"]
    contains(step, "partsim run hot.yaml")
    done = subprocess.run(step.replace("partsim", PARTSIM + " ", 1) + " --charts none", shell=True,
                          cwd=tmp, capture_output=True)
    equal(done.returncode, 0, done.stderr.decode())


@test
def a_hot_device_gets_an_f_and_a_suffix_by_the_id_cures_it(tmp):
    path = scenario(tmp, HOT_DEVICE)
    answer = advice(path, "--key", "{device}.{hash id 1..50}", "--suffixes", "id")
    found = by_key(answer)
    hot = found["{device}"]
    equal(hot["grade"], "F")
    equal(hot["load"]["top"][0]["key"], "0")
    equal(hot["load"]["top"][0]["share"], 0.9)
    # 90 % of 1000 creates of 5.8 RU on one partition of 3000 RU/s
    assert hot["hottest_partition"] > 0.9 * 1000 * 5.8 / 3000
    cured = found["{device}.{hash id 1..50}"]
    assert cured["simulated"]["throttled_share"] < 0.01
    equal(place(answer, "{device}.{hash id 1..50}"), 0, "place")
    equal(answer["suffixes"]["key"], "{device}.{hash id 1..S}")


@test
def the_worst_criterion_is_the_grade_and_all_are_shown(tmp):
    answer = advice(scenario(tmp))
    for each in answer["keys"]:
        equal(each["grade"], max(criterion["grade"] for criterion in each["criteria"]), each["key"])
        assert all(criterion["text"] for criterion in each["criteria"])
    simulated = [each["key"] for each in answer["keys"] if each["simulated"]]
    assert "{user}" in simulated and len(simulated) >= 4, simulated


@test
def answers_do_not_depend_on_threads_nor_on_repetition(tmp):
    path = scenario(tmp)
    one = partsim("advise", path, "--jobs", "1", "--format", "json", code=0).stdout
    equal(partsim("advise", path, "--jobs", "4", "--format", "json", code=0).stdout, one, "json")
    equal(partsim("advise", path, "--jobs", "4", code=0).stdout,
          partsim("advise", path, "--jobs", "1", code=0).stdout, "text")


@test
def a_variant_can_be_asked_about_and_keys_of_all_are_candidates(tmp):
    answer = advice(scenario(tmp), "--variant", "date", "--simulate", "0")
    equal([each["key"] for each in answer["keys"] if each["current"]], ["{date}"], "current")
    assert {"{user}", "{date}.{random 1..20}"} <= set(by_key(answer))
    assert all(each["simulated"] is None for each in answer["keys"])


@test
def a_sample_is_judged_by_its_rows_and_zipping_changes_nothing(tmp):
    rows = "".join(f"u{i % 40 if i % 2 else 0},g{i % 40 % 5 if i % 2 else 0},{800 + i % 400}\n"
                   for i in range(2000))
    (tmp / "items.csv").write_text("user,group,size\n" + rows)
    (tmp / "items.csv.gz").write_bytes(gzip.compress((tmp / "items.csv").read_bytes()))
    path = scenario(tmp)
    words = ["--key", "{user}", "--key", "{group}/{user}", "--key", "{date}"]
    plain = advice(path, *words, "--sample", str(tmp / "items.csv"))
    zipped = advice(path, *words, "--sample", str(tmp / "items.csv.gz"))
    found = by_key(plain)
    equal(found["{user}"]["load"]["basis"], "rows")
    equal(found["{user}"]["load"]["distinct"], 21, "users 0 and the odd ones")
    equal(found["{user}"]["load"]["top"][0], {"key": "u0", "share": 0.5}, "top")
    # columns of one row stay together: each user has one group
    equal(found["{group}/{user}"]["load"]["distinct"], 21, "pairs")
    equal(found["{date}"]["load"]["distinct"], 1, "the clock goes on")
    equal(plain["sample"]["rows"], 2000)
    equal(plain["sample"]["mean_bytes"], 999.5)
    plain.pop("sample"), zipped.pop("sample")
    equal(zipped, plain, "zipped")


@test
def without_keys_a_sample_makes_them_of_its_columns(tmp):
    (tmp / "items.csv").write_text("shop,order\n" + "".join(
        f"s{i % 7},o{i % 900}\n" for i in range(1800)))
    answer = advice(scenario(tmp), "--sample", str(tmp / "items.csv"), "--simulate", "1")
    keys = set(by_key(answer))
    assert {"{shop}", "{order}", "{date}/{order}", "{shop}/{order}"} <= keys, keys
    assert "{user}" not in keys
    contains(answer["next_step"], "--set 'container.partition_key=")


@test
def hostile_samples_are_told_with_file_and_line(tmp):
    path = scenario(tmp)
    file = tmp / "bad.csv"

    def complaint(text, code=2):
        file.write_bytes(text)
        return refused(code, path, "--sample", str(file))

    contains(complaint(b""), "bad.csv:1: error: the file is empty")
    contains(complaint(b"user\n"), "bad.csv:1: error: the sample has no rows")
    for line, shown in [(b"user;size", "';'"), (b"user\tsize", "tabs")]:
        contains(complaint(line + b"\nu1;5\n"),
                 f"bad.csv:1: error: the first line has {shown}, expected columns separated by "
                 "commas")
    contains(complaint(b"user,size\nu1,5\nu2\n"), "bad.csv:3: error: 1 fields, expected 2")
    contains(complaint(b"user\n\xff\xfe\n"), "is not UTF-8 text")
    contains(complaint(b"user,size\nu,-1\n"), "the size is '-1'")
    contains(complaint(b"1,2\n3,4\n"), "no column is named like a field")
    contains(complaint(b'user\n"u\n'), "closing quote")
    contains(complaint(b"user\n" + b"x" * 3_000_000 + b"\n"), "a row of more than 1 MiB")
    contains(complaint(b"\x1f\x8b\x08\x00broken", code=3), "the compressed data ")
    hostile = "\x1b[31m\u202e"
    file.write_text(f"user\n{hostile}\n{hostile}\n")
    text = partsim("advise", path, "--sample", str(file), "--key", "{user}", code=0).stdout.decode()
    assert "\x1b" not in text and "\u202e" not in text


@test
def mistakes_on_the_command_line_end_with_2_and_a_hint(tmp):
    path = scenario(tmp)
    text = refused(2, path, "--key", "/user")
    contains(text, "--key is '/user': '/user' is text without a field")
    contains(text, 'hint: write "{user}"')
    text = refused(2, path, "--key", "{usr}")
    contains(text, "--key is '{usr}': unknown field 'usr'")
    contains(text, "did you mean 'user'?")
    contains(refused(2, path, "--key", "{user"), "expected '}'")
    contains(refused(2, path, "--key", "[a"), "expected a list such as")
    contains(refused(2, path, "--suffixes", "usr"), "did you mean 'user'?")
    contains(refused(2, path, "--suffixes", "date"), "--suffixes is 'date'")
    contains(refused(2, path, "--simulate", "25"), "from 0 to 24")
    contains(refused(2, path, "--variant", "usr"), "did you mean 'user'?")
    contains(refused(2, path, "--variant", "user", "--variant", "date"), "judges one variant")
    contains(refused(2, path, "--container", "mian"), "did you mean 'main'?")
    contains(refused(2, path, "--keys", "{user}"), "did you mean '--key'?")
    contains(refused(2), "needs a FILE")
    contains(refused(2, scenario(tmp, "partsim: 1\n", "broken.yaml")), "broken.yaml:1:1: error")
    (tmp / "items.csv").write_text("Usr\nu\n")
    text = refused(2, path, "--sample", str(tmp / "items.csv"), "--key", "{Usrr}")
    contains(text, "a column of ")
    contains(text, "did you mean 'Usr'?")


@test
def several_containers_need_a_name(tmp):
    text = SMALL.split("container:")[0] + """\
containers:
  left: {throughput: 4000 RU/s, partition_key: "{a}", items: {fields: {a: {choose: 50}}}}
  right: {throughput: 4000 RU/s, partition_key: "{b}", items: {fields: {b: {choose: 9}}}}
clients:
  app: {container: left, rate: 10/s, operations: [{create: 100%}]}
  web: {container: right, rate: 10/s, operations: [{create: 100%}]}
"""
    path = scenario(tmp, text)
    contains(refused(2, path), "expected --container with one of left, right")
    answer = advice(path, "--container", "right")
    equal([each["key"] for each in answer["keys"] if each["current"]], ["{b}"], "current")


@test
def a_replayed_trace_is_refused(tmp):
    (tmp / "t.csv").write_text("time,operation,key\n0,create,a\n")
    text = """\
partsim: 1
name: trace
duration: 4s
container: {throughput: 4000 RU/s}
clients: {app: {trace: t.csv, operations: [{create: 100%}]}}
"""
    contains(refused(2, scenario(tmp, text)), "replays a trace")


@test
def missing_files_end_with_3_and_too_much_work_with_4(tmp):
    path = scenario(tmp)
    contains(refused(3, str(tmp / "none.yaml")), "none.yaml")
    contains(refused(3, path, "--sample", str(tmp / "none.csv")), "there is no such file")
    contains(refused(3, path, "--sample", str(tmp)), "not a regular file")
    contains(refused(4, path, "--max-events", "10"), "10")


@test
def ctrl_c_ends_with_130_and_no_answer(tmp):
    path = scenario(tmp, LONG)
    process = start("advise", path, "--jobs", "1", cwd=tmp)
    time.sleep(1.5 * PATIENCE)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30 * PATIENCE)
    equal(process.returncode, 130, "exit code")
    equal(out, b"", "stdout")


@test
def it_writes_no_files(tmp):
    scenario(tmp)
    partsim("advise", "small.yaml", cwd=tmp, code=0)
    equal(files_in(tmp), ["small.yaml"], "files")


sys.exit(main())
