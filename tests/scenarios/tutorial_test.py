#!/usr/bin/env python3
"""The tutorial in scenarios/README.md: its YAML is the file beside it, and what it says of its runs is so.

usage: tutorial_test.py FORKSIM SOURCE_ROOT
"""
import json
import re
import subprocess
import sys
from pathlib import Path

FORKSIM, ROOT = (Path(argument).resolve() for argument in sys.argv[1:])
CACHE = "scenarios/tutorial/cache.yaml"
PATCHED = ("--patch", "copy-outside")


def run(*options):
    done = subprocess.run([FORKSIM, "run", CACHE, *options, "--format", "json"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit("Bail out! " + done.stderr)
    return json.loads(done.stdout)


def throughput(result):
    return result["throughput"]["mean"]


def lock(result, name):
    return next(lock for lock in result["locks"] if lock["lock"] == name)


def hold(result, name):
    return lock(result, name)["hold_ns"]["mean"]


def leading(result):
    return max(result["locks"], key=lambda lock: lock["serial_ns_per_op"])["lock"]


def checks():
    readme = (ROOT / "scenarios" / "README.md").read_text(encoding="utf-8")
    tutorial = re.search(r"^## Tutorial.*?(?=^## )", readme, re.MULTILINE | re.DOTALL)[0]
    yaml = re.findall(r"^```yaml\n(.*?)^```$", tutorial, re.MULTILINE | re.DOTALL)
    written = (ROOT / CACHE).read_text(encoding="utf-8")
    yield "the blocks of YAML are the documents of the file", "---\n".join(yaml) == written

    base = run()
    lookups = next(site for site in base["sites"] if site["site"] == "lookup/find")
    refills = next(site for site in base["sites"] if site["site"] == "refill/insert")
    ideal = 16 / 2.38e-6
    yield "sixteen readers do less than half of what they could", 0.38 < throughput(base) / ideal < 0.48
    yield "index_lock leads", leading(base) == "index_lock"
    yield "readers share it, refills do not", lookups["serial_ns_per_op"] == 0 and refills["serial_ns_per_op"] > 100
    yield "one acquisition in twenty is a refill's", 0.04 < refills["per_op"] / lock(base, "index_lock")["per_op"] < 0.06
    yield "who waits for it waits for about 5 us", 4500 < lock(base, "index_lock")["wait_ns"]["mean"] < 5500
    yield "a refill holds it for 0.2 us", 150 < refills["hold_ns"]["mean"] < 250
    path = base["critical_path"]
    kernel = [length for part, length in path.items() if part != "user"]
    yield "hand-offs are the largest part of the critical path in the kernel", path["handoff"] == max(kernel)

    patched = run(*PATCHED)
    yield "the patch brings two fifths more", 1.33 < throughput(patched) / throughput(base) < 1.47
    less = [hold(base, name) - hold(patched, name) for name in ("index_lock", "shard_lock")]
    yield "both locks are held for less", min(less) > 250
    meet = [lock(r, "shard_lock")["contended"] / lock(r, "shard_lock")["acquisitions"] for r in (base, patched)]
    yield "four CPUs hardly meet at shard_lock any more", meet[0] > 0.3 and meet[1] < 0.12
    wait = lock(patched, "index_lock")["wait_ns"]
    yield "index_lock still leads, and who waits waits for 4 to 8 us", (
        leading(patched) == "index_lock" and 4000 < wait["p50"] < wait["p99"] < 8192)

    per_cpu = run(*PATCHED, "--set", "shard_lock.per=cpu")
    yield "a shard for each CPU brings another tenth", 1.07 < throughput(per_cpu) / throughput(patched) < 1.13
    rare = run(*PATCHED, "--set", "refiller/fetch.sleep=200us")
    yield "a tenth of the refills brings twice what it was", 1.85 < throughput(rare) / throughput(base) < 2.15
    yield "and shard_lock leads", leading(rare) == "shard_lock"
    waited = [sum(lock["wait_ns"]["sum"] for lock in r["locks"]) / r["throughput"]["count"] for r in (base, rare)]
    yield "nobody waits for long", waited[1] < 0.1 * waited[0]


def main():
    results = []
    for name, holds in checks():
        results.append(holds)
        print("ok" if holds else "not ok", len(results), "-", name, flush=True)
    print(f"1..{len(results)}")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
