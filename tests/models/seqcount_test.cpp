// Sequence counts stepped by hand. A line takes 50 ns between any two CPUs.
#include <doctest/doctest.h>

#include "sim/error.hpp"
#include "tests/models/lock_script.hpp"

namespace forksim::test {
namespace {

constexpr std::uint32_t guard = 0;
constexpr std::uint32_t seq = 1;

LockProgram program(Cpu cpus) {
    LockProgram p(uniform(cpus, 50_ns), {LockKind::spinlock, LockKind::seqcount});
    p.spec.locks[seq].guard = guard;
    return p;
}

/// Takes the guard at `at` and keeps the number odd for `odd`.
Steps writer(LockProgram& p, Time at, Time odd) {
    return p.at(at).then(p.section(guard, p.seq_write(seq, p.steps().work(odd))));
}

TEST_CASE("readers among themselves fetch the line once each and never wait") {
    LockProgram p = program(3);
    for (Cpu cpu = 0; cpu < 3; ++cpu) {
        Steps s = p.seq_read(seq, p.steps().work(20_ns));
        p.task(s.count(0).forever(), cpu);
    }
    const LockRun run = p.run();
    const SiteRecord& site = run.record.sites[p.site_of(seq)];
    CHECK(site.acquisitions > 100'000);
    CHECK(site.contended == 0);
    CHECK(site.retries == 0);
    CHECK(run.record.transfers == 2);  // the first of them found it nobody's
}

TEST_CASE("a reader spins while the number is odd, and a finished write is no reason to begin anew") {
    LockProgram p = program(2);
    p.task(writer(p, 100_ns, 300_ns), 0);
    const Task reader = p.task(p.at(200_ns).then(p.seq_read(seq, p.steps().work(100_ns))).mark("done"), 1);
    // 200 load, has the line at 250, odd. 400 even: an upgrade, 450; the reader sees it at 500.
    const LockRun run = p.run();
    CHECK(run.at(reader) == 500_ns);
    CHECK(run.of(reader).size() == 1);
    CHECK(run.of(reader)[0].since == 200_ns);
    CHECK(run.record.sites[p.site_of(seq)].contended == 1);
    CHECK(run.record.sites[p.site_of(seq)].retries == 0);
}

TEST_CASE("a reader begins anew when a writer came in between, and pays for the line each time") {
    LockProgram p = program(2);
    p.task(writer(p, 150_ns, 100_ns), 0);
    const Task reader = p.task(p.at(100_ns).then(p.seq_read(seq, p.steps().work(200_ns))), 1);
    // 100 begins; 150 odd, the line goes to the writer: 200. 250 even. 300 looks again: a transfer, 350; changed.
    // 350 begins again, the line is there; 550 unchanged.
    const LockRun run = p.run();
    const std::vector<Grant> sections = run.of(reader);
    REQUIRE(sections.size() == 2);
    CHECK(sections[0].at == 100_ns);
    CHECK(sections[0].released == 300_ns);
    CHECK(sections[1].at == 350_ns);
    CHECK(sections[1].released == 550_ns);
    CHECK(run.record.sites[p.site_of(seq)].retries == 1);
}

TEST_CASE("a reader that began in an odd moment and one that began before it both end behind the write") {
    LockProgram p = program(3);
    p.task(writer(p, 1000_ns, 1000_ns), 0);
    const Task before = p.task(p.at(900_ns).then(p.seq_read(seq, p.steps().work(300_ns))), 1);
    const Task inside = p.task(p.at(1500_ns).then(p.seq_read(seq, p.steps().work(10_ns))), 2);
    const LockRun run = p.run();
    CHECK(run.of(before).size() == 2);
    CHECK(run.of(before)[1].at > 2000_ns);
    CHECK(run.of(inside).size() == 1);
    CHECK(run.at(inside) > 2000_ns);
}

TEST_CASE("a writer without its lock is an error of the kernel description") {
    LockProgram p = program(1);
    p.task(p.seq_write(seq, p.steps().work(10_ns)), 0);
    CHECK_THROWS_AS(p.run(), InternalError);
}

TEST_CASE("a writer is not preempted in its section, a reader is") {
    LockProgram p = program(1);
    p.spec.locks[seq].guard = no_lock;
    p.config.slice = 10_us;
    Steps w = p.seq_write(seq, p.steps().work(15_us));
    const Task writes = p.task(w, 0);
    const Task reads = p.task(p.seq_read(seq, p.steps().work(15_us)), 0);
    const LockRun run = p.run();
    CHECK(run.of(writes)[0].released == 15_us);
    p.task(p.at(15_us), 0);  // now somebody waits when the reader's slice ends
    const LockRun shared = p.run();
    CHECK(shared.of(reads)[0].released - shared.of(reads)[0].at > 15_us);
}

}  // namespace
}  // namespace forksim::test
