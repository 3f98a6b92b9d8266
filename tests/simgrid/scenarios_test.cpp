// Both engines on what is shipped, by way of the command that users' runs take.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "scenarios/listing.hpp"
#include "tests/simgrid/reference_process.hpp"
#include "tests/simgrid/scenario_runs.hpp"

namespace forksim {
namespace {

/// Children are put into a tree, an idr and a list by their parent, which takes them out when they have ended.
constexpr const char* reaped_children =
    R"(scenario: handles
platform: {uniform: 4}
lines: {sig: {}}
objects:
  {tree: {kind: rbtree, resident: 20}, ids: {kind: idr, resident: 5}, tasks: {kind: list, line: sig, head: store}}
functions:
  put_in: [{work: 50ns, touch: [ids: alloc embryo, tree: insert embryo, tasks: add_tail embryo]}, {start: child}]
  child: [{work: 700ns}, {signal: done}]
workload:
  - tasks: t
    count: {per: cpu}
    affinity: core
    forever:
      - {spawn: {via: put_in, run: child, as: kid}}
      - {await: {done: kid}}
      - {work: {exponential: {mean: 300ns}}}
      - {work: 20ns, touch: [tree: erase @kid, tasks: del @kid, ids: remove @kid]}
      - {count: lives}
measure: {warmup: 100us, duration: 2ms}
)";

TEST_CASE("every shipped scenario gives equal numbers, or is refused by name") {
    std::size_t equal = 0;
    for (const ListedFile& scenario : list_scenarios()) {
        CAPTURE(scenario.name);
        const Request request = shortened(scenario.name);
        const ReferenceRun reference = run_helper(words_for(request));
        if (reference.status == 2) {
            CHECK(reference.output.find("the reference engine does not model ") != std::string::npos);
            continue;
        }
        CHECK(reference.status == 0);
        CHECK(numbers_of(reference.output) == numbers_of(simulate(request, 0)));
        ++equal;
    }
    MESSAGE(equal << " of " << list_scenarios().size() << " shipped scenarios compared");
    CHECK(equal >= 7);
}

TEST_CASE("threadspawn1-20c runs, with its patches too: lifecycles, waits and holds are equal") {
    for (const std::vector<std::string>& patches :
         {std::vector<std::string>{}, {"pidmap-once"}, {"pidmap-once", "pidfs-rhashtable"}}) {
        Request request = shortened("threadspawn1-20c");
        request.duration = "4ms";
        request.patches = patches;
        request.seed = 5;
        // Both replay pids and lists; the tree too, unless it is a hash table.
        CHECK(compile(request).model.objects.size() == (patches.size() == 2 ? 3 : 4));
        std::vector<std::string> words = words_for(request);
        words.insert(words.end(), {"--seed", "5", "--replication", "3"});
        const ReferenceRun reference = run_helper(words);
        const Record record = simulate(request, 3);
        CHECK(reference.status == 0);
        CHECK(numbers_of(reference.output) == numbers_of(record));
        CHECK(record.counts[0] > 500);
    }
}

TEST_CASE("elements of children that have ended: equal numbers, whoever touches the object in between") {
    const ScenarioFile file(reaped_children);
    Request request = shortened(file.path());
    const ReferenceRun reference = run_helper(words_for(request));
    const Record record = simulate(request, 0);
    CHECK(reference.status == 0);
    CHECK(numbers_of(reference.output) == numbers_of(record));
    CHECK(record.counts[0] > 500);
}

TEST_CASE("a closed network at distance 0, where whole hand-offs take no time") {
    for (const std::uint32_t cpus : {1u, 3u, 20u}) {
        Request request = shortened("one-lock");
        request.cpus = cpus;
        const ReferenceRun reference = run_helper(words_for(request));
        CHECK(reference.status == 0);
        CHECK(numbers_of(reference.output) == numbers_of(simulate(request, 0)));
    }
}

/// Processes that fork, are waited for and released, with locks, lines and lists of each, and all that is drawn.
const char* const forks = R"(scenario: forks
platform: xeon-1s-20c
config: {wake_cost: 1.2us, context_switch: 500ns, cv: 0.3}
locks:
  tasklist: {kind: rwlock, irq: off}
  siglock: {kind: spinlock, irq: off, per: process}
  alloc_lock: {kind: spinlock, per: task}
lines: {signal: {per: process}, task: {per: task}, hot: {}}
objects:
  tasks: {kind: list, resident: 10}
  children: {kind: list, per: process, line: signal}
functions:
  fork:
    - {section: siglock, name: recalc, body: [{work: 30ns}]}
    - {section: alloc_lock@embryo, name: of_child, hold: 20ns}
    - section: tasklist
      mode: write
      name: link
      body:
        - section: siglock
          name: nested
          body: [{work: 100ns, touch: [hot: write, signal: store, signal: read @embryo, tasks: add_tail embryo,
                                       children: add_tail embryo]}]
    - {start: child}
  child:
    - {work: 5us, touch: [task: write, signal: read]}
    - {section: siglock, name: exiting, hold: 25ns}
    - section: tasklist
      mode: write
      name: notify
      body:
        - section: siglock@parent
          name: tell
          body: [{work: 80ns, touch: {signal: write @parent}}, {signal: zombie}]
    - exit
  wait4:
    - {await: {zombie: victim, poll: [{section: tasklist, mode: read, name: scan, body: [{work: 60ns}]}]}}
    - section: tasklist
      mode: write
      name: release
      body:
        - section: siglock@victim
          name: unhash
          body: [{work: 90ns, touch: [hot: store, signal: store @victim, tasks: del @victim, children: del @victim]}]
workload:
  - tasks: t
    count: {per: cpu}
    process: each
    affinity: core
    forever:
      - {spawn: {via: fork, run: child, as: kid, process: new}}
      - {work: 1us, touch: {task: write @kid}}
      - {section: alloc_lock, name: own, hold: 20ns}
      - {call: wait4, victim: kid}
      - count: processes
  - tasks: others
    count: 4
    process: one
    forever:
      - {spawn: {via: fork, run: child, as: kid, process: new, affinity: {cpus: [0-1]}}}
      - {call: wait4, victim: kid}
      - count: processes
)";

TEST_CASE("processes with locks, lines and lists of their own, and their parents' and children's") {
    const ScenarioFile file(forks);
    for (const std::uint32_t cpus : {2u, 3u, 20u}) {
        CAPTURE(cpus);
        Request request = shortened(file.path());
        request.cpus = cpus;
        const Record record = simulate(request, 0);
        const ReferenceRun reference = run_helper(words_for(request));
        CHECK(reference.status == 0);
        CHECK(numbers_of(reference.output) == numbers_of(record));
        CHECK(record.counts[0] > 20);
    }
}

}  // namespace
}  // namespace forksim
