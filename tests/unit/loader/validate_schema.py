#!/usr/bin/env python3
"""The JSON Schema as an editor would use it: every shipped scenario is valid, broken ones are not.

usage: validate_schema.py PARTSIM SOURCE_DIR
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import jsonschema
import yaml

PARTSIM, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
passed, failures = 0, []


class Loader(yaml.SafeLoader):
    """Scalars as YAML 1.2 and JSON read them: no dates, no `yes`, no sexagesimal numbers."""


Loader.yaml_implicit_resolvers = {}
for tag, pattern, first in [("bool", r"true|false", "tf"), ("null", r"null|~|", ["n", "~", ""]),
                            ("int", r"-?(0|[1-9][0-9]*)", "-0123456789"),
                            ("float", r"-?(0|[1-9][0-9]*)\.[0-9]+", "-0123456789")]:
    Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^({pattern})$"), list(first))


def with_text_keys(node):
    """Keys as JSON has them: `{1: 20%}` is `{"1": "20%"}`."""
    if isinstance(node, dict):
        return {str(key): with_text_keys(value) for key, value in node.items()}
    return [with_text_keys(item) for item in node] if isinstance(node, list) else node


def judge(ok, message):
    global passed
    if ok:
        passed += 1
    else:
        failures.append(message)


def properties(node, path):
    """Every property of every object of the schema, with the place it stands at."""
    if isinstance(node, dict):
        for name, value in node.get("properties", {}).items():
            yield f"{path}/properties/{name}", value
        for key, value in node.items():
            yield from properties(value, f"{path}/{key}")
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from properties(value, f"{path}/{index}")


def errors(text):
    return [f"{'/'.join(map(str, e.absolute_path))}: {e.message}"
            for e in VALIDATOR.iter_errors(with_text_keys(yaml.load(text, Loader=Loader)))]


SMALLEST = """\
partsim: 1
name: small
duration: 10s
container:
  throughput: 400 RU/s
  partition_key: "{k}"
  items: {fields: {k: {choose: 10}}}
clients:
  app: {rate: 10/s, operations: [{create: 100%}]}
"""

CONTAINER = SMALLEST[SMALLEST.index("container:"):SMALLEST.index("clients:")]
DATABASE = "database: {throughput: 400 RU/s}\n"

# What replaces what in the smallest scenario, and whether the schema should take it.
CASES = [
    ("duration: 10s", "duratoin: 10s", False),                      # unknown and missing key
    ("duration: 10s", "duration: 10", False),                       # no unit
    ("duration: 10s", "duration: 10 parsecs", False),
    ("duration: 10s", "duration: [10s]", False),                    # wrong type
    ("duration: 10s", "duration: 1.5 h\nwarm_up: 5min", True),
    ("partsim: 1", "partsim: 2", False),
    ("partsim: 1", "partsim: '1'", False),
    ("name: small", "name: ../../x", False),
    ("name: small", "name: small\nseed: 18446744073709551615", True),
    ("name: small", "name: small\nseed: -1", False),
    ("name: small", "name: small\nprovider: azure", False),
    ("name: small", "name: small\nstart: 2018-08-09T08:00:00Z", True),
    ("name: small", "name: small\nstart: 2018-08-09", False),
    ("400 RU/s", "400", False),
    ('"{k}"', '["{k}", x, y]', True),
    ('"{k}"', "[a, b, c, d]", False),
    ("{choose: 10}", "{choose: 10, zipf: 0.5, as: 'V{:06}'}", True),
    ("{choose: 10}", "{choose: 10, zipf: 0.5, hot: {share: 80%, of: 20%}}", False),
    ("{choose: 10}", "{choose: 10, unique: true}", False),
    ("{choose: 10}", "{time: '%Y', zipf: 1}", False),
    ("{choose: 10}", "{values: [a, 1, true, null]}", True),
    ("{choose: 10}", "{}", False),
    ("rate: 10/s", "rate: 10/0.5s", True),
    ("rate: 10/s", "rate: 10", False),
    ("rate: 10/s", "rate: 10/ s", False),
    ("rate: 10/s", "at_once: 5, at: 1s", True),
    ("rate: 10/s", "rate: 10/s, at_once: 5", False),
    ("rate: 10/s", "rate: 10/s, retry: none", True),
    ("rate: 10/s", "rate_counters: a.csv, burstiness: 2.5, full_throughput: 400 RU/s", True),
    ("rate: 10/s", "rate_counters: a.csv, changes: []", False),
    ("rate: 10/s", "rate: 10/s, burstiness: 2", False),
    ("rate: 10/s", "rate: 10/s, retry: {max_retries: 3, jitter: 20%}", True),
    ("rate: 10/s", "rate: 10/s, retry: {max_retries: 256}", False),
    ("{create: 100%}", "{create: 100%, given: [k]}", False),
    ("{create: 100%}", "{query: 100%, given: [k], matches: 5, charge: 2.5 RU}", True),
    ("{create: 100%}", "{query: 100%}", False),
    ("{create: 100%}", "create", False),
    ("clients:", "variants: {v: {container: {throughput: 800 RU/s}}}\nclients:", True),
    ("clients:", "variants: {v: {containr: {}}}\nclients:", False),
    ("clients:", "expect: [throttled_share < 1%]\nclients:", True),
    ("clients:", "expect: throttled_share < 1%\nclients:", False),
    ("clients:", "expect: [throttled_share]\nclients:", False),
    ("clients:", "parameters: {throttled_charge_counts: true, hours_per_month: 744}\nclients:", True),
    ("clients:", "parameters: {throttled_charge_counts: yes}\nclients:", False),
    ("clients:", "parameters: {hours_per_month: 1.5}\nclients:", False),
    ("name: small", "name: small\nprovider: dynamodb", True),
    ("name: small", "name: small\napi: mongodb\nburst: true", True),
    ("name: small", "name: small\napi: sql", False),
    ("name: small", "name: small\nregions: [west, east]\nmulti_region_writes: true", True),
    ("name: small", "name: small\nregions: [west, west]", False),
    ("name: small", "name: small\nregions: west", False),
    ("throughput: 400 RU/s", "autoscale: 4000 RU/s", True),
    ("throughput: 400 RU/s", "serverless: true", True),
    ("throughput: 400 RU/s", "serverless: false", False),
    ("throughput: 400 RU/s", "throughput: 400 RU/s\n  autoscale: 4000 RU/s", False),
    ("throughput: 400 RU/s", "partitions: 1", False),
    ("throughput: 400 RU/s", "throughput: 400 RU/s\n  storage: 10 GB\n  ttl: 10min", True),
    ("throughput: 400 RU/s", "throughput: 400 RU/s\n  throughput_buckets: {1: 20%, 5: 50%}", True),
    ("throughput: 400 RU/s", "throughput: 400 RU/s\n  throughput_buckets: {6: 20%}", False),
    ("throughput: 400 RU/s", "autoscale: 4000 RU/s\n  fixed: true", False),
    ("rate: 10/s", "rate: 10/s, priority: low", True),
    ("rate: 10/s", "rate: 10/s, priority: middle", False),
    ("rate: 10/s", "rate: 10/s, bucket: 6", False),
    ("rate: 10/s", "rate: 10/s, region: main, retry: aws", True),
    ("rate: 10/s", "rate: 10/s, retry: {backoff_base: 50ms, backoff_max: 1s}", True),
    ("{choose: 10}", "{choose: 2, weights: [3, 1]}", True),
    ("{choose: 10}", "{choose: 2, weights: [3, 1], zipf: 1}", False),
    ("{choose: 10}", "{choose: 2, weights: [3, 1], hot: {share: 80%, of: 20%}}", False),
    ("{choose: 10}", "{unique: true, weights: [1]}", False),
    ("{choose: 10}", "{values: [a, {undefined: true}]}", True),
    ("{choose: 10}", "{values: [a, {undefined: false}]}", False),
    ("{choose: 10}", "{values: [a, {}]}", False),
    ("{choose: 10}", "{sequence: true, as: 'o-{:08}'}", True),
    ("{choose: 10}", "{sequence: false}", False),
    ("{k: {choose: 10}}", "{k: {choose: 10, of: t}, t: {values: [a, b]}}", True),
    ("{choose: 10}", "{unique: true, of: t}", False),
    ("items: {", "items: {size: {min: 1 KB, max: 4 KB}, ", True),
    ("items: {", "items: {size: {p50: 1 KB, p99: 20 KB}, ", True),
    ("items: {", "items: {size: {min: 1 KB, p99: 20 KB}, ", False),
    ("items: {", "items: {size: {min: 1 KB}, ", False),
    ("rate: 10/s", "rate: 10/s, changes: [{at: 1s, rate: 5/s, over: 1s}]", True),
    ("rate: 10/s", "rate: 10/s, changes: [{at: 1s}]", False),
    ("rate: 10/s", "at_once: 10, changes: []", False),
    ("rate: 10/s", "rate: 10/s, changes: [], rate_file: a.csv", False),
    ("rate: 10/s", "rate: 10/s, spikes: [{at: 1s, for: 1s, times: 2.5}]", True),
    ("rate: 10/s", "rate: 10/s, spikes: [{at: 1s, for: 1s, times: 0}]", False),
    ("rate: 10/s", "rate: 10/s, bursts: {on: 1s, off: 9s}, daily: office", True),
    ("rate: 10/s", "rate: 10/s, bursts: {on: 1s}", False),
    ("rate: 10/s", "rate: 10/s, daily: noon", False),
    ("rate: 10/s", f"rate: 10/s, daily: [{', '.join(['50%'] * 24)}]", True),
    ("rate: 10/s", f"rate: 10/s, daily: [{', '.join(['50%'] * 23)}]", False),
    ("rate: 10/s", "at_once: 10, pace: 5/s", True),
    ("rate: 10/s", "users: 5, think: 10ms, start_over: 1s, total: 99", True),
    ("rate: 10/s", "users: 5, think: {exponential: 10ms}", True),
    ("rate: 10/s", "users: 5, think: {fixed: 1s, exponential: 10ms}", False),
    ("rate: 10/s", "users: 5, at: 1s", False),
    ("rate: 10/s", "bulk: 50, at: 1s, batch: 10, degrees: 5", True),
    ("rate: 10/s", "bulk: 50, concurrency: 5", False),
    ("rate: 10/s", "trace: requests.csv", True),
    ("rate: 10/s", "trace: {file: requests.csv, requests: more.csv, speed: 2, at: 1s}", True),
    ("rate: 10/s", "trace: {requests: more.csv}", False),
    ("rate: 10/s", "rate: 10/s, concurrency: 50, timeout: 6s", True),
    ("rate: 10/s", "rate: 10/s, timeout: 6", False),
    ("rate: 10/s", "rate: 10/s, retry: rust", True),
    ("rate: 10/s", "rate: 10/s, retry: {preset: aws, quota: 100, quota_cost: 10}", True),
    ("rate: 10/s", "rate: 10/s, retry: {preset: cobol}", False),
    ("rate: 10/s", "rate: 10/s, retry: {wait: 1s, longest_wait: 2s, overshoot: true}", True),
    ("{create: 100%}", "{upsert: 100%, existing: 20%, changed_terms: 3}", True),
    ("{create: 100%}", "{upsert: 100%, given: [k]}", False),
    ("{create: 100%}", "{replace: 50%}, {patch: 30%, patched: 3}, {delete: 20%, within: 1s}", True),
    ("{create: 100%}", "{delete: 100%, changed_terms: 3}", False),
    ("{create: 100%}", "{read_feed: 100%, returned: 50}", True),
    ("{create: 100%}", "{batch: 50%, given: [k], items: 100}, {script: 50%, given: [k], items: 1000}",
     True),
    ("{create: 100%}", "{batch: 100%, items: 5}", False),
    ("{create: 100%}", "{query: 100%, given: [k], keys: 5}", True),
    ("{create: 100%}", "{read: 100%, keys: 5}", False),
    ("clients:", "timeline: [{at: 1s, client: app, rate: 5/s, over: 1s}]\nclients:", True),
    ("clients:", "timeline: [{at: 1s, client: app}]\nclients:", False),
    ("clients:", "timeline: [{at: 1s, client: app, rate: 5/s, container: main}]\nclients:", False),
    ("clients:", "timeline: [{at: 1s, throughput: 900 RU/s}]\nclients:", True),
    ("clients:", "timeline: [{at: 1s, redistribute: {0: 300 RU/s}}]\nclients:", True),
    ("clients:", "timeline: [{at: 1s, redistribute: equal}]\nclients:", True),
    ("clients:", "timeline: [{at: 1s, redistribute: even}]\nclients:", False),
    ("clients:", "timeline: [{at: 1s, redistribute: {a: 300 RU/s}}]\nclients:", False),
    ("clients:", "timeline: [{throughput: 900 RU/s}]\nclients:", False),
    ("clients:", "timeline: [{at: 1s}]\nclients:", False),
    ("clients:", "containers: {}\nclients:", False),
    (CONTAINER, DATABASE + "containers: {a: {partition_key: x}}\n", True),
    (CONTAINER, DATABASE + "containers: {a: {partition_key: x, partitions: 2}}\n", False),
    (CONTAINER, "containers: {a: {partition_key: x, throughput: 400 RU/s, partitions: 2}}\n", True),
    (CONTAINER, DATABASE, False),
    ("clients:", "database: {throughput: 400 RU/s}\nclients:", False),
    ("clients:", "parameters: {split_storage_threshold_gb: 0.001, split_order: widest}\nclients:", True),
    ("clients:", "parameters: {split_duration_s: 0}\nclients:", False),
    ("clients:", "variants: {v: {container: {autoscale: 8000 RU/s}}}\nclients:", True),
    ("clients:", "variants: {v: {timeline: [], provider: dynamodb}}\nclients:", True),
]

path = SOURCE / "docs" / "scenario.schema.json"
shipped = path.read_bytes()
SCHEMA = json.loads(shipped)
jsonschema.Draft7Validator.check_schema(SCHEMA)
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)

printed = subprocess.run([PARTSIM, "schema"], capture_output=True, check=True).stdout
judge(shipped == printed, f"{path.name} is not what `partsim schema` prints; write it again")
judge(SCHEMA["$schema"] == "http://json-schema.org/draft-07/schema#", "not draft-07")

described = list(properties(SCHEMA, ""))
judge(len(described) > 60, f"only {len(described)} properties")
for where, value in described:
    judge(len(value.get("description", "")) > 3, f"{where}: no description")

scenarios = sorted((SOURCE / "scenarios").glob("*.yaml")) + sorted((SOURCE / "bench").glob("*.yaml"))
judge(len(scenarios) >= 2, "no scenarios found")
for scenario in scenarios:
    found = errors(scenario.read_text(encoding="utf-8"))
    judge(not found, f"{scenario.name}: {found[:3]}")

judge(not errors(SMALLEST), "the smallest scenario is refused")
with tempfile.TemporaryDirectory() as folder:
    # what the cases name beside themselves: the program reads it
    for name in ("requests.csv", "more.csv"):
        (pathlib.Path(folder) / name).write_text("time,key,ActivityId\n1,a,x\n", encoding="utf-8")
    (pathlib.Path(folder) / "a.csv").write_text("time,ru\n0,10\n", encoding="utf-8")
    for old, new, is_good in CASES:
        assert SMALLEST.count(old) == 1, old
        text = SMALLEST.replace(old, new)
        judge((not errors(text)) == is_good, f"{new!r}: {'refused' if is_good else 'taken'}")
        # The program is the judge: what the schema takes and refuses, it takes and refuses.
        file = pathlib.Path(folder) / "case.yaml"
        file.write_text(text, encoding="utf-8")
        done = subprocess.run([PARTSIM, "validate", str(file)], capture_output=True, check=False)
        judge(done.returncode == (0 if is_good else 2), f"{new!r}: partsim exits {done.returncode}")

for failure in failures:
    print(failure)
print(f"{passed} passed, {len(failures)} failed")
sys.exit(1 if failures else 0)
