// Both engines on scenarios that turn on one kind of lock each.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/simgrid/reference_process.hpp"
#include "tests/simgrid/scenario_runs.hpp"

namespace forksim {
namespace {

/// Runs it in both engines, which must agree; returns what the simulator recorded.
Record agreed(const Request& request) {
    const ReferenceRun reference = run_helper(words_for(request));
    const Record record = simulate(request, 0);
    CHECK(reference.status == 0);
    CHECK(numbers_of(reference.output) == numbers_of(record));
    return record;
}

/// A cgroup is killed again and again while everybody in it clones: the clones read its state under a sequence count
/// and take their reference back when a kill came between.
const char* const kills = R"(scenario: kills
platform: xeon-1s-20c
config: {wake_cost: 1.2us, context_switch: 500ns, cv: 0.3}
locks:
  css_set_lock: {kind: spinlock, irq: off}
  kill_seq: {kind: seqcount, under: css_set_lock}
lines: {refs: {}, kill: {}}
functions:
  fork:
    - seqread: kill_seq
      name: look
      body: [{work: 60ns, touch: [refs: write, kill: read]}]
      on_retry: [{atomic: refs, name: put}]
    - {section: css_set_lock, name: post_fork, hold: 40ns}
    - {start: child}
  child:
    - {work: 3us}
    - {section: css_set_lock, name: leave, hold: 40ns}
    - {signal: gone}
workload:
  - tasks: cloner
    count: {per: cpu}
    affinity: core
    forever:
      - {spawn: {via: fork, run: child, as: kid}}
      - {await: {gone: kid}}
      - count: lives
  - tasks: killer
    count: 2
    affinity: {cpus: [0-1]}
    forever:
      - section: css_set_lock
        name: kill
        body: [{seqwrite: kill_seq, name: bump, body: [{work: 300ns, touch: [kill: write]}]}]
      - {sleep: {exponential: {mean: 2us}}}
      - count: kills
)";

TEST_CASE("clones that read a seqcount while others write it: waits, holds and sections begun anew are equal") {
    const ScenarioFile file(kills);
    std::uint64_t retries = 0;
    std::uint64_t waited = 0;
    for (const std::uint32_t cpus : {2u, 5u, 20u}) {
        CAPTURE(cpus);
        Request request = shortened(file.path());
        request.cpus = cpus;
        const Record record = agreed(request);
        CHECK(record.counts[0] > 100);
        for (const SiteRecord& site : record.sites) {
            retries += site.retries;
            if (site.retries > 0) waited += site.contended;
        }
    }
    CHECK(retries > 50);
    CHECK(waited > 20);
}

TEST_CASE("threadspawn1-20c with its css_set under a seqcount: equal numbers") {
    Request request = shortened("threadspawn1-20c");
    request.patches = {"css-set-seqcount"};
    CHECK(agreed(request).counts[0] > 100);
}

TEST_CASE("ticket-vs-queue with its ticket lock: hand-offs that grow with the waiters are equal") {
    std::vector<Time> serial;
    for (const std::uint32_t cpus : {2u, 8u, 24u, 48u}) {
        CAPTURE(cpus);
        Request request = shortened("ticket-vs-queue");
        request.cpus = cpus;
        request.patches = {"ticket"};
        const Record record = agreed(request);
        serial.push_back(record.window / static_cast<std::int64_t>(record.counts[0]));
    }
    CHECK(serial[3] > 2 * serial[1]);  // per section; not so with a queue lock
}

TEST_CASE("test-and-set locks, with a polling loop that takes time and one that takes none: equal numbers") {
    for (const std::uint32_t cpus : {2u, 8u, 24u}) {  // across sockets whoever has it keeps it: no draw matters
        CAPTURE(cpus);
        Request request = shortened("ticket-vs-queue");
        request.cpus = cpus;
        request.sets = {"L.kind=test_and_set"};
        const std::string drawn = numbers_of(agreed(request));
        request.sets.push_back("spin.turn=0ns");
        CHECK(numbers_of(agreed(request)) != drawn);
    }
}

/// Processes that create threads in batches while they hold what each of them must take, then signal and join them all.
const char* const batches = R"(scenario: batches
platform: xeon-1s-20c
config: {wake_cost: 1.2us, context_switch: 500ns, cv: 0.3}
locks:
  batch: {kind: futex_pi, per: process}
  siglock: {kind: spinlock, irq: off, per: process}
functions:
  fork: [{work: 400ns}, {start: child}]
  worker:
    - {work: 2us}
    - {section: batch, name: wait, body: [{work: 200ns}]}
    - {await: {go: self}, name: sigwait}
    - {work: 300ns}
    - {signal: gone}
workload:
  - tasks: t
    count: {per: cpu}
    process: each
    affinity: any
    forever:
      - {lock: batch, name: hold}
      - repeat: {n: 5, do: [{spawn: {via: fork, run: worker, into: kids}}, count: threads]}
      - {unlock: batch}
      - repeat: {each: kids, do: [{section: siglock, name: tell, body: [{work: 100ns}, {signal: go, of: kids}]}]}
      - repeat: {take: kids, do: [{await: {gone: kids}}]}
)";

TEST_CASE("batches of threads behind a futex or a mutex, signalled and joined: equal numbers") {
    const ScenarioFile file(batches);
    for (const char* const kind : {"futex_pi", "mutex"}) {
        for (const std::uint32_t cpus : {2u, 12u, 20u}) {
            CAPTURE(kind);
            CAPTURE(cpus);
            Request request = shortened(file.path());
            request.cpus = cpus;
            request.sets = {std::string("batch.kind=") + kind};
            const Record record = agreed(request);
            CHECK(record.counts[0] > 100);
            std::uint64_t contended = 0;
            for (const SiteRecord& site : record.sites) contended += site.contended;
            CHECK(contended > (cpus == 2 ? 2 : 50));
        }
    }
}

TEST_CASE("cgroup-kill-under-fork for longer: what a percpu_rwsem does for its writers is equal") {
    Request request = shortened("cgroup-kill-under-fork");
    request.duration = "20ms";
    CHECK(agreed(request).counts[0] > 100);
}

}  // namespace
}  // namespace forksim
