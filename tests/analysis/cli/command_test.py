#!/usr/bin/env python3
"""What the command promises: exit statuses, streams, files, messages. Prints the Test Anything Protocol.

usage: command_test.py FORKSIM
"""
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

FORKSIM = Path(sys.argv[1]).resolve()
TREE = Path(__file__).resolve().parents[3]
QUICK = ["--duration", "200us", "--warmup", "100us"]

SCENARIO = """\
scenario: small
kernel: bare
platform: uniform-4
locks:
  a: {kind: spinlock}
  b: {kind: spinlock}
workload:
  - tasks: one
    count: {per: cpu}
    forever:
      - {work: {exponential: 1us}, name: think}
      - {section: a, name: first, body: [{work: 500ns}]}
      - {section: b, name: second, body: [{work: 100ns}]}
      - count: turns
"""

DEADLOCK = """\
scenario: dead
kernel: bare
platform: uniform-2
locks:
  left: {kind: spinlock}
  right: {kind: spinlock}
workload:
  - tasks: one
    forever:
      - {section: left, name: outer, body: [{work: 1us}, {section: right, name: inner, body: [{work: 1us}]}]}
      - count: turns
  - tasks: two
    forever:
      - {section: right, name: outer, body: [{work: 1us}, {section: left, name: inner, body: [{work: 1us}]}]}
      - count: turns
"""


def forksim(*arguments, command=FORKSIM, **more):
    return subprocess.run([command, *map(str, arguments)], capture_output=True, text=True, timeout=300, **more)


def equal(got, wanted):
    assert got == wanted, f"{got!r} instead of {wanted!r}"


def inside(part, whole):
    assert part in whole, f"{part!r} is not in {whole!r}"


def refused(run, *parts):
    """Exit 2, nothing on standard output, one line with all parts for each fault."""
    equal(run.returncode, 2)
    equal(run.stdout, "")
    for part in parts:
        inside(part, run.stderr)


class Command:
    def __init__(self, scratch):
        self.scratch = scratch
        self.small = self.write("small.yaml", SCENARIO)

    def write(self, name, text):
        path = self.scratch / name
        path.write_text(text)
        return path

    @staticmethod
    def shipped():
        """The names of the scenarios in the library."""
        lines = forksim("list", "scenarios").stdout.splitlines()
        return [line.split()[0] for line in lines if not line.startswith(" ")]

    def help_comes_at_once_and_names_every_option(self):
        overview = forksim("--help")
        equal(overview.returncode, 0)
        for name in ("run", "check", "show", "list"):
            inside(f"  {name} ", overview.stdout)
            equal(forksim(name, "--help").returncode, 0)
        text = forksim("run", "--help").stdout
        for option in ("platform", "cpus", "patch", "set", "seed", "replications", "duration", "warmup", "engine",
                       "jobs", "format", "output", "reproducible", "histogram", "tie-break", "verbose", "quiet"):
            inside(f"--{option}", text)

    def version_is_printed(self):
        equal(forksim("--version").returncode, 0)
        assert forksim("--version").stdout.startswith("forksim 0.")

    def unknown_words_are_refused_with_the_nearest_known_one(self):
        refused(forksim(), "no subcommand")
        refused(forksim("rnu"), "did you mean 'run'?")
        refused(forksim("run", self.small, "--platfrom", "x"), "did you mean '--platform'?")
        refused(forksim("run"), "required")
        refused(forksim("run", self.small, "--engine", "other"), "native", "simgrid")
        refused(forksim("run", self.small, "--jobs", "0"), "--jobs")
        refused(forksim("run", self.small, "--seed", "-3"), "--seed", "-3")
        refused(forksim("run", self.small, "--cpus", "many"), "--cpus")
        refused(forksim("list", "kernel"), "kernels")

    def faults_in_a_file_bear_their_place_also_when_they_move(self):
        for blank in (0, 3):
            text = "# comment\n" * blank + SCENARIO.replace("kind: spinlock}\nworkload", "kidn: spinlock}\nworkload")
            broken = self.write("broken.yaml", text)
            for subcommand in ("run", "check"):
                refused(forksim(subcommand, broken), f"{broken}:{6 + blank}:7: ", "kidn", "kind")

    def all_faults_of_a_file_come_at_once_one_per_line(self):
        text = SCENARIO.replace("work: 500ns", "wrok: 500ns").replace("work: 100ns", "work: 100")
        run = forksim("run", self.write("broken.yaml", text))
        refused(run, "broken.yaml:12:", "broken.yaml:13:")
        assert all(line.split(":")[1] in ("12", "13") for line in run.stderr.splitlines()), run.stderr

    def input_that_is_no_scenario_is_refused(self):
        refused(forksim("run", "no-such-scenario"), "no-such-scenario")
        refused(forksim("run", self.scratch), str(self.scratch))
        refused(forksim("run", self.write("empty.yaml", "")), "empty.yaml")
        junk = self.scratch / "junk.yaml"
        junk.write_bytes(bytes(range(256)))
        refused(forksim("run", junk), "junk.yaml")
        refused(forksim("run", self.small, "--cpus", "5"), "4")

    def check_says_ok_for_each_good_file_and_faults_of_all_others(self):
        good = forksim("check", self.small)
        equal((good.returncode, good.stdout, good.stderr), (0, f"{self.small}: ok\n", ""))
        first = self.write("first.yaml", SCENARIO.replace("kernel: bare", "kernel: bore"))
        second = self.write("second.yaml", SCENARIO.replace("uniform-4", "uniform-0"))
        run = forksim("check", first, self.small, second)
        equal((run.returncode, run.stdout), (2, f"{self.small}: ok\n"))
        inside("first.yaml:2:", run.stderr)
        inside("second.yaml", run.stderr)

    def check_says_ok_for_every_shipped_scenario(self):
        names = self.shipped()
        assert "one-lock" in names, names
        run = forksim("check", *names)
        equal(run.stdout.splitlines(), [f"{name}: ok" for name in names])
        equal((run.returncode, run.stderr), (0, ""))

    def a_deadlock_ends_with_status_3_and_names_tasks_locks_and_sites(self):
        run = forksim("run", self.write("dead.yaml", DEADLOCK))
        equal((run.returncode, run.stdout), (3, ""))
        equal(len(run.stderr.splitlines()), 1)
        for part in ("deadlock", "left", "right", "one/inner", "two/inner"):
            inside(part, run.stderr)

    def a_cycle_in_the_lock_order_ends_with_status_3_and_names_both_ways(self):
        dead = self.write("abba.yaml", DEADLOCK)
        run = forksim("check", "--lock-order", dead)
        equal((run.returncode, run.stderr), (3, ""))
        for part in ("1 cycle", "left -> right -> left", "one/outer", "one/inner", "two/outer", "two/inner"):
            inside(part, run.stdout)
        run = forksim("check", "--lock-order", dead, "--format", "json")
        equal(run.returncode, 3)
        document = json.loads(run.stdout)
        equal(document["schema"], "forksim-lock-order/1")
        equal(document["scenarios"][0]["cycles"], [{"locks": ["left", "right"], "edges": [[0], [1]]}])
        equal([edge["weight"] for edge in document["scenarios"][0]["edges"]], [None, None])
        graph = self.scratch / "abba.dot"
        run = forksim("check", "--lock-order", dead, "--dot", graph)
        equal(run.returncode, 3)
        inside("deadlock", run.stderr)
        equal(graph.read_text().count("color=red"), 2)

    def the_lock_order_of_every_shipped_scenario_is_free_of_cycles_and_can_be_drawn(self):
        names = self.shipped()
        run = forksim("check", "--lock-order", *names)
        equal((run.returncode, run.stderr), (0, ""))
        equal(run.stdout.count("no cycle"), len(names))
        equal([line for line in run.stdout.splitlines() if len(line) > 72], [])
        for name in names:
            graph = self.scratch / f"{name}.dot"
            run = forksim("check", "--lock-order", name, "--dot", graph, "--format", "json")
            equal((run.returncode, run.stderr), (0, ""))
            edges = json.loads(run.stdout)["scenarios"][0]["edges"]
            assert all(edge["weight"]["per_op"] >= 0 for edge in edges), edges
            drawn = subprocess.run(["dot", "-Tsvg", graph], capture_output=True, text=True, timeout=60)
            equal((drawn.returncode, drawn.stderr), (0, ""))
            equal(drawn.stdout.count('class="edge"'), len({(edge["outer"], edge["inner"]) for edge in edges}))

    def options_of_the_lock_order_are_refused_where_they_mean_nothing(self):
        refused(forksim("check", self.small, "--dot", self.scratch / "x.dot"), "--dot goes with --lock-order")
        refused(forksim("check", self.small, "--format", "json"), "--format goes with --lock-order")
        refused(forksim("check", "--lock-order", self.small, "one-lock", "--dot", self.scratch / "x.dot"), "--dot")
        refused(forksim("check", "--lock-order", self.small, "--dot", self.scratch), "--dot", "directory")
        refused(forksim("check", "--lock-order", "linux-6.19"), "no scenario")
        graph = forksim("check", "--lock-order", "threadspawn1-20c", "--dot", "-")
        assert graph.stdout.startswith("//"), graph.stdout
        patched = forksim("check", "--lock-order", "threadspawn1-20c", "--patch", "css-set-rwlock").stdout
        inside("css-set-rwlock", patched)
        bad = self.write("bad.yaml", SCENARIO.replace("kernel: bare", "kernel: bore"))
        run = forksim("check", "--lock-order", bad, self.write("abba.yaml", DEADLOCK))
        equal(run.returncode, 2)
        inside("1 cycle", run.stdout)
        inside("bad.yaml:2:", run.stderr)

    def every_shipped_scenario_prints_at_most_72_columns(self):
        for name in self.shipped():
            run = forksim("run", name, "--replications", 2, *QUICK)
            equal(run.returncode, 0)
            assert run.stdout.startswith("seed "), run.stdout[:80]
            wide = [line for line in run.stdout.splitlines() if len(line) > 72]
            equal(wide, [])

    def any_number_of_jobs_prints_the_same_bytes(self):
        runs = [forksim("run", self.small, *QUICK, "--format", "json", "--reproducible", "--jobs", jobs).stdout
                for jobs in (1, 2, 3)]
        equal(json.loads(runs[0])["schema"], "forksim-result/1")
        equal(runs[1], runs[0])
        equal(runs[2], runs[0])

    def the_seed_decides_and_host_is_left_out_on_demand(self):
        def result(*options):
            return json.loads(forksim("run", self.small, *QUICK, "--replications", 2, "--format", "json", *options).stdout)
        one, again, two = result("--seed", 1), result(), result("--seed", 2)
        inside("host", one)
        assert "host" not in result("--reproducible")
        equal(one["throughput"], again["throughput"])
        assert one["throughput"]["mean"] != two["throughput"]["mean"]
        equal(two["scenario"]["seed"], 2)

    def csv_has_one_number_per_line(self):
        run = forksim("run", self.small, *QUICK, "--replications", 2, "--format", "csv")
        lines = run.stdout.splitlines()
        equal(lines[0], "table,name,caller,metric,value")
        assert any(line.startswith("locks,a,,per_op,1") for line in lines), run.stdout
        refused(forksim("run", self.small, "--format", "csv", "--histogram", "a"), "--histogram")

    def histograms_are_drawn_for_locks_and_sites_and_their_names_checked_first(self):
        run = forksim("run", self.small, *QUICK, "--replications", 2, "--histogram", "a", "--histogram", "one/second")
        inside("@a wait, ns:\n", run.stdout)
        inside("@one/second hold, ns:\n[64, 128) ", run.stdout)
        refused(forksim("run", self.small, "--histogram", "one/secnd", "--duration", "1000s"),
                "did you mean 'one/second'?")

    def an_output_file_is_whole_and_replaced_at_the_end(self):
        out = self.scratch / "results" / "out.json"
        out.parent.mkdir()
        link = self.scratch / "results" / "link.json"
        link.symlink_to("out.json")
        options = [*QUICK, "--replications", 2, "--format", "json", "--reproducible"]
        printed = forksim("run", self.small, *options).stdout
        for name in (out, link):
            run = forksim("run", self.small, *options, "-o", name)
            equal((run.returncode, run.stdout, run.stderr), (0, "", ""))
            equal(out.read_text(), printed)
        assert link.is_symlink()
        equal(sorted(p.name for p in out.parent.iterdir()), ["link.json", "out.json"])
        fresh = out.with_name("fresh.json")
        forksim("run", self.small, *options, "-o", fresh, umask=0o027)
        equal(stat.S_IMODE(fresh.stat().st_mode), 0o640)

    def an_output_that_cannot_be_written_is_refused_before_the_run(self):
        slow = ["--duration", "1000s"]
        refused(forksim("run", self.small, *slow, "-o", self.scratch), "directory")
        refused(forksim("run", self.small, *slow, "-o", self.scratch / "none" / "x"), "No such file")
        equal(forksim("run", self.small, *QUICK, "-o", "/dev/null").returncode, 0)
        assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
        with open("/dev/full", "w") as full:
            run = subprocess.run([FORKSIM, "run", self.small, *QUICK], stdout=full, stderr=subprocess.PIPE, text=True)
        equal(run.returncode, 2)
        inside("No space", run.stderr)

    def start(self, wanted, *options, **more):
        """A run under way, which has written a line with `wanted` to standard error (-v)."""
        run = subprocess.Popen([FORKSIM, "run", self.small, "-v", *map(str, options)], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
        for line in run.stderr:
            if wanted in line:
                return run
        raise AssertionError(f"no {wanted!r} on standard error")

    def an_interrupt_before_the_first_result_leaves_nothing_behind(self):
        out = self.scratch / "interrupted" / "out.json"
        out.parent.mkdir()
        run = self.start("compiled", "--duration", "1000s", "-o", out)
        run.send_signal(signal.SIGINT)
        output, errors = run.communicate(timeout=20)
        equal((run.returncode, output), (130, ""))
        inside("interrupted before the first replication ended", errors)
        equal(list(out.parent.iterdir()), [])

    def an_interrupt_ends_a_run_with_what_it_has(self):
        options = ["--duration", "10ms", "--format", "json", "--reproducible"]
        run = self.start("replication 3:", *options, "--replications", 100000)
        run.send_signal(signal.SIGINT)
        output, _ = run.communicate(timeout=60)
        equal(run.returncode, 130)
        result = json.loads(output)
        n = result["throughput"]["n"]
        assert 3 <= n < 100000, n
        equal(result["throughput"]["stopped"], "interrupted")
        inside(f"interrupted after {n} of 100000 replications", result["warnings"])
        whole = json.loads(forksim("run", self.small, *options, "--replications", n).stdout)
        for key in ("locks", "sites", "paths", "cpu"):
            equal(result[key], whole[key])
        equal(result["throughput"]["mean"], whole["throughput"]["mean"])
        out = self.scratch / "interrupted.txt"
        run = self.start("replication 2:", "--duration", "10ms", "--replications", 100000, "-o", out)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=60)
        equal(run.returncode, 130)
        text = " ".join(out.read_text().split())
        inside("interrupted before the end", text)
        inside("of 100000 replications", text)

    def a_second_interrupt_ends_a_run_at_once(self):
        for seconds in (1, 2, 4, 8, 16):  # simulated: until a replication lasts long enough for both signals
            run = self.start("replication 1:", "--duration", f"{seconds}s", "--replications", 100, "--jobs", 1)
            time.sleep(0.1)
            run.send_signal(signal.SIGINT)
            time.sleep(0.1)
            run.send_signal(signal.SIGINT)
            output, _ = run.communicate(timeout=120)
            if run.returncode == -signal.SIGINT:
                break
            equal(run.returncode, 130)
        equal((run.returncode, output), (-signal.SIGINT, ""))

    def an_interrupt_that_is_ignored_stays_ignored(self):
        run = self.start("replication 1:", "--duration", "10ms", "--replications", 10,
                         preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        run.send_signal(signal.SIGINT)
        output, _ = run.communicate(timeout=60)
        equal(run.returncode, 0)
        assert "interrupted" not in output

    def results_go_to_standard_output_and_explanations_to_standard_error(self):
        plain = forksim("run", self.small, *QUICK, "--replications", 2, "--reproducible")
        loud = forksim("run", self.small, *QUICK, "--replications", 2, "--reproducible", "-v")
        equal(plain.stderr, "")
        equal(loud.stdout, plain.stdout)
        inside("replication 2", loud.stderr)

    def show_prints_functions_by_context_and_sites_with_sources(self):
        run = forksim("show", self.small)
        equal((run.returncode, run.stderr), (0, ""))
        for part in ("in the context of: task\n", "section first: a\n", "500ns\n", "  one/second  b\n"):
            inside(part, run.stdout)
        assert all(len(line) <= 72 for line in run.stdout.splitlines())
        inside("work think: exponential 1us", run.stdout)
        refused(forksim("show"), "--schema")

    def the_schema_is_json(self):
        run = forksim("show", "--schema")
        equal(run.returncode, 0)
        inside("$schema", json.loads(run.stdout))

    def list_prints_one_name_per_line(self):
        inside("xeon-1s-20c\n", forksim("list", "platforms").stdout)
        equal(forksim("list", "sites", self.small).stdout, "one/first\none/second\n")
        overview = forksim("list").stdout
        for shelf in ("kernels", "patches", "platforms", "scenarios"):
            inside(f"{shelf}\n", overview)

    def installed(self, helper):
        """A copy of the command whose helper is this script."""
        place = Path(tempfile.mkdtemp(dir=self.scratch))
        (place / "bin").mkdir()
        shutil.copy(FORKSIM, place / "bin")
        path = place / "libexec" / "forksim" / "forksim-simgrid"
        path.parent.mkdir(parents=True)
        path.write_text("#!/bin/sh\n" + helper)
        path.chmod(0o755)
        return place / "bin" / "forksim"

    def reference(self, helper, *options):
        return forksim("run", self.small, "--engine", "simgrid", "--replications", 2, *QUICK, *options,
                       command=self.installed(helper), env={**os.environ, "FORKSIM_LIBRARY": str(TREE)})

    def the_reference_engine_is_asked_with_the_same_options_and_its_numbers_are_printed(self):
        asked = self.scratch / "asked"
        helper = (f'echo "$@" >> {asked}\n'
                  "printf 'forksim-reference/1\\nwindow_ps 200000000\\nevents 9\\nties 0\\ncount 0 40\\n"
                  "site 1 40 10 5000000 20000000\\nsite 2 40 0 0 4000000\\nend\\n'\n")
        run = self.reference(helper, "--cpus", 2, "--seed", 7, "--set", "one/think.work=2us", "--jobs", 1,
                             "--format", "json")
        equal((run.returncode, run.stderr), (0, ""))
        equal(asked.read_text().splitlines(),
              [f"run {self.small} --cpus 2 --set one/think.work=2us --duration 200us --warmup 100us --seed 7 "
               f"--replication {i}" for i in (0, 1)])
        result = json.loads(run.stdout)
        equal(result["throughput"]["mean"], 200000)
        equal(result["scenario"]["engine"], "simgrid")
        lock = result["locks"][0]
        equal((lock["acquisitions"], lock["contended"], lock["wait_ns"]["sum"]), (80, 20, 10000))
        equal(lock["hold_ns"]["mean"], 500)
        equal((lock["wait_ns"]["p99"], lock["utilization"]), (None, None))
        equal(self.reference(helper).returncode, 0)

    def the_reference_engines_failures_are_those_of_the_command(self):
        refusal = self.reference("echo 'rwsem: not in this engine' >&2\nexit 2\n")
        refused(refusal, "rwsem: not in this engine")
        stuck = self.reference("echo 'deadlock at 5 ns' >&2\nexit 3\n")
        equal((stuck.returncode, stuck.stdout, stuck.stderr), (3, "", "deadlock at 5 ns\n"))
        for fault in ("echo nonsense\n", "kill -ABRT $$\n", "exit 1\n"):
            broken = self.reference(fault)
            equal((broken.returncode, broken.stdout), (70, ""))
            inside("internal error", broken.stderr)


def main():
    failures = 0
    cases = [name for name, value in vars(Command).items()
             if callable(value) and name not in ("__init__", "shipped", "write", "start", "installed", "reference")]
    for number, name in enumerate(cases, 1):
        with tempfile.TemporaryDirectory() as scratch:
            try:
                getattr(Command(Path(scratch).resolve()), name)()
                print("ok", number, "-", name.replace("_", " "), flush=True)
            except Exception:
                failures += 1
                print("not ok", number, "-", name.replace("_", " "))
                print("# " + traceback.format_exc().replace("\n", "\n# "), flush=True)
    print(f"1..{len(cases)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
