// Both engines on programs, kernels and machines that nobody chose. They share the draws and the cache lines, and no
// code for time, queues, locks, wake-ups and programs: equal integers come from equal rules.
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "models/run.hpp"
#include "sim/random.hpp"
#include "tests/simgrid/random_case.hpp"
#include "tests/simgrid/reference_process.hpp"

namespace forksim {
namespace {

struct Tally {
    std::uint64_t cases = 0;
    std::uint64_t tied = 0;  // cases in which two CPUs asked for one line at the same picosecond
    std::uint64_t equal = 0;
    std::uint64_t acquisitions = 0;
    std::uint64_t contended = 0;
    std::uint64_t retries = 0;
    std::map<LockKind, std::uint64_t> contended_at;
};

Tally compare(std::uint64_t seeds, Times times) {
    Tally tally;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        CAPTURE(seed);
        const Case c = random_case(seed, times);
        const Record record = run_replication(c.program, c.model, c.topology, c.config, {seed, 0});
        const ReferenceRun reference = run_reference(c, mix(seed, 0));
        CHECK(reference.status == 0);
        CHECK(numbers_of(reference.output) == numbers_of(record));
        tally.cases += 1;
        tally.tied += static_cast<std::uint64_t>(ties_of(reference.output) > 0);
        tally.equal += static_cast<std::uint64_t>(numbers_of(reference.output) == numbers_of(record));
        for (std::size_t i = 0; i < record.sites.size(); ++i) {
            const SiteRecord& site = record.sites[i];
            tally.acquisitions += site.acquisitions;
            tally.contended += site.contended;
            tally.retries += site.retries;
            const std::int32_t lock = c.program.sites[i].resource;
            if (lock >= 0) tally.contended_at[c.model.locks[static_cast<std::size_t>(lock)].kind] += site.contended;
        }
    }
    MESSAGE(std::to_string(tally.cases) << " random cases, " << tally.equal << " equal, " << tally.tied
                                        << " of them with ties at a line; " << tally.acquisitions << " acquisitions, "
                                        << tally.contended << " contended, " << tally.contended_at[LockKind::seqcount]
                                        << " of them at a seqcount, " << tally.contended_at[LockKind::ticket]
                                        << " at a ticket lock, " << tally.contended_at[LockKind::test_and_set]
                                        << " at a test_and_set lock, " << tally.contended_at[LockKind::mutex]
                                        << " at a mutex, " << tally.contended_at[LockKind::futex_pi] << " at a futex, "
                                        << tally.contended_at[LockKind::rwsem] << " at an rwsem, "
                                        << tally.contended_at[LockKind::percpu_rwsem] << " at a percpu_rwsem, "
                                        << tally.retries << " retries");
    return tally;
}

TEST_CASE("200 random cases: acquisitions, contention, waits, holds and counts are equal to the picosecond") {
    const Tally tally = compare(200, Times::odd);
    CHECK(tally.equal == 200);
    CHECK(tally.contended > 20'000);
    CHECK(tally.contended_at.at(LockKind::seqcount) > 100);
    CHECK(tally.contended_at.at(LockKind::ticket) > 1'000);
    CHECK(tally.contended_at.at(LockKind::test_and_set) > 1'000);
    CHECK(tally.contended_at.at(LockKind::mutex) > 1'000);
    CHECK(tally.contended_at.at(LockKind::futex_pi) > 500);
    CHECK(tally.contended_at.at(LockKind::rwsem) > 1'000);
    CHECK(tally.contended_at.at(LockKind::percpu_rwsem) > 300);
    CHECK(tally.retries > 50);
    CHECK(tally.cases - tally.tied > 30);  // some of what agrees must not hang on the order within an instant
}

TEST_CASE("100 random cases in which many CPUs act at one instant: both engines keep the same order") {
    const Tally tally = compare(100, Times::coarse);
    CHECK(tally.equal == 100);
    CHECK(tally.contended > 5'000);
    CHECK(tally.tied > 50);
}

TEST_CASE("a spinner that began to poll behind the write by which an rwsem became free looks at once, not before now") {
    for (const std::uint64_t seed : {1760u, 3114u, 5257u}) {  // in which simulated time once ran backwards
        CAPTURE(seed);
        const Case c = random_case(seed, Times::coarse);
        const Record record = run_replication(c.program, c.model, c.topology, c.config, {seed, 0});
        CHECK(numbers_of(run_reference(c, mix(seed, 0)).output) == numbers_of(record));
    }
}

TEST_CASE("the comparison would notice: other draws give other numbers, and the same ones the same") {
    const Case c = random_case(3);
    const ReferenceRun one = run_reference(c, mix(3, 0));
    CHECK(one.output == run_reference(c, mix(3, 0)).output);
    CHECK(numbers_of(one.output) != numbers_of(run_reference(c, mix(3, 1)).output));
}

}  // namespace
}  // namespace forksim
