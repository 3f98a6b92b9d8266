// What a window counts.
#include "sim/record.hpp"

#include <doctest/doctest.h>

#include "sim/error.hpp"
#include "tests/sim/tiny_model.hpp"

namespace forksim::test {
namespace {

ProgramBuilder one_site() {
    ProgramBuilder b(uniform(2, 50_ns));
    b.site("function/lock", 0);
    return b;
}

TEST_CASE("queue integral, waits and holds of one lock, by hand") {
    RecordProbe probe(one_site().program, 1);
    probe.open(0_ns);
    probe.acquired(0, 1, 10_ns, 10_ns, false, true, {}, false);
    probe.queue(0, 20_ns, 25_ns);  // tried at 20, found waiting at 25
    probe.queue(0, 30_ns, 30_ns);
    probe.released(0, 1, 10_ns, 60_ns, true);
    probe.acquired(0, 1, 20_ns, 70_ns, true, true, 10_ns, false);
    probe.released(0, 1, 70_ns, 80_ns, true);
    probe.acquired(0, 1, 30_ns, 90_ns, true, true, 10_ns, false);
    probe.released(0, 1, 90_ns, 100_ns, true);
    probe.close(200_ns);
    const Record& record = probe.record();
    CHECK(record.resources[0].queue_integral == (50_ns + 60_ns).ps);
    CHECK(record.resources[0].wait_sum == (50_ns + 60_ns).ps);
    CHECK(record.resources[0].hold_integral == (50_ns + 10_ns + 10_ns).ps);
    CHECK(record.resources[0].hold_sum == record.resources[0].hold_integral);
    CHECK(record.resources[0].busy_integral == record.resources[0].hold_integral);
    CHECK(record.resources[0].longest_queue == 2);
    CHECK(record.sites[1].acquisitions == 3);
    CHECK(record.sites[1].contended == 2);
    CHECK(record.sites[1].releases == 3);
    CHECK(record.sites[1].handoff_ps == (20_ns).ps);
    CHECK(record.sites[1].wait.sum_ps() == (110_ns).ps);
    CHECK(record.sites[1].hold.sum_ps() == (70_ns).ps);
    CHECK(record.window == 200_ns);
}

TEST_CASE("waits and holds are clipped to the window, on both ends") {
    RecordProbe probe(one_site().program, 1);
    probe.acquired(0, 1, 10_ns, 10_ns, false, true, {}, false);
    probe.queue(0, 20_ns, 20_ns);
    probe.open(50_ns);
    probe.queue(0, 30_ns, 55_ns);  // tried before the window opened
    probe.released(0, 1, 10_ns, 60_ns, true);
    probe.acquired(0, 1, 20_ns, 60_ns, true, true, 0_ns, false);
    probe.close(100_ns);
    const Record& record = probe.record();
    CHECK(record.resources[0].wait_sum == (10_ns + 50_ns).ps);
    CHECK(record.resources[0].queue_integral == (10_ns + 50_ns).ps);
    CHECK(record.resources[0].hold_sum == (10_ns + 40_ns).ps);
    CHECK(record.sites[1].acquisitions == 1);
    CHECK(record.sites[1].wait.sum_ps() == (40_ns).ps);  // histograms count whole waits, where they end
}

TEST_CASE("readers that share a lock are counted one by one, and the lock as busy once") {
    RecordProbe probe(one_site().program, 1);
    probe.open(0_ns);
    probe.acquired(0, 1, 0_ns, 0_ns, false, true, {}, false);
    probe.acquired(0, 1, 10_ns, 10_ns, false, false, {}, false);
    probe.released(0, 1, 0_ns, 30_ns, false);
    probe.released(0, 1, 10_ns, 40_ns, true);
    probe.close(50_ns);
    CHECK(probe.record().resources[0].hold_integral == (60_ns).ps);
    CHECK(probe.record().resources[0].busy_integral == (40_ns).ps);
}

TEST_CASE("a wait that is not the time for which the queue was longer breaks Little's law") {
    RecordProbe probe(one_site().program, 1);
    probe.open(0_ns);
    probe.queue(0, 20_ns, 20_ns);
    CHECK_THROWS_AS(probe.acquired(0, 1, 21_ns, 70_ns, true, true, 0_ns, false), InternalError);
}

TEST_CASE("a hold that is not the time for which the lock was held breaks the law of utilisation") {
    RecordProbe probe(one_site().program, 1);
    probe.open(0_ns);
    probe.acquired(0, 1, 20_ns, 20_ns, false, true, 0_ns, false);
    CHECK_THROWS_AS(probe.released(0, 1, 19_ns, 70_ns, true), InternalError);
}

TEST_CASE("the first counter over time: two hundred spans from the start of the warm-up to the end of the window") {
    ProgramBuilder b(uniform(1, 50_ns));
    b.config.warmup = 100_us;
    b.config.duration = 50_us;
    b.task(b.steps().work(5_us).count().forever(), 0);
    Record record = run_tiny(b).record;
    // Spans of 750 ns; counts at 5, 10 .. 145 us. 15 us is the beginning of span 20; 150 us is behind the last.
    REQUIRE(record.count_over_time.size() == 200);
    std::uint64_t sum = 0;
    for (const std::uint64_t count : record.count_over_time) sum += count;
    CHECK(sum == 29);
    CHECK(record.count_over_time[6] == 1);
    CHECK(record.count_over_time[20] == 1);
    CHECK(record.count_over_time[19] == 0);
    CHECK(record.count_over_time[193] == 1);
    record.merge(Record{record});
    CHECK(record.count_over_time[20] == 2);
}

TEST_CASE("counts, paths and CPU time are those of the window; warm-up and what follows leave no trace") {
    ProgramBuilder b(uniform(1, 50_ns));
    b.config.warmup = 100_us;
    b.config.duration = 50_us;
    const auto path = b.path("turn");
    b.task(b.steps().measure_begin(path).work(4_us).user(1_us).count().measure_end(path).forever(), 0);
    const Record record = run_tiny(b).record;
    // Turns end at 105, 110 .. 145; the event at 150 belongs to what follows.
    CHECK(record.counts[0] == 10 - 1 + 1);
    CHECK(record.paths[path].count() == 10);
    CHECK(record.paths[path].min() == 5_us);
    CHECK(record.paths[path].max() == 5_us);
    CHECK(Time{record.cpu_use_ps[static_cast<std::size_t>(CpuUse::user)]} == 10_us);
    CHECK(Time{record.cpu_use_ps[static_cast<std::size_t>(CpuUse::kernel)]} == 40_us);
    CHECK(record.window == 50_us);
    CHECK(record.counts_by_replication == std::vector<std::vector<std::uint64_t>>{{10}});
}

TEST_CASE("the census counts whole turns that begin in the window, also when they end behind it") {
    ProgramBuilder b(uniform(1, 50_ns));
    b.config.warmup = 100_us;
    b.config.duration = 50_us;
    b.task(b.steps().work(4_us).count().work(3_us).forever(), 0);
    const Record record = run_tiny(b).record;
    // Turns begin at 105 (15 * 7), 112 .. 147: seven, and the last one counts at 151.
    CHECK(record.census_counts[0] == 7);
    CHECK(record.census_complete);
    CHECK(record.counts[0] == 7);  // 102, 109 .. 144
}

TEST_CASE("a turn that never ends leaves the census incomplete, and the run ends all the same") {
    ProgramBuilder b(uniform(2, 50_ns));
    b.config.warmup = 5_us;
    b.config.duration = 50_us;
    b.task(b.steps().sync(Tiny::block, 0).count().forever(), 0);
    // Wakes it once, inside the window: the turn that begins then never ends.
    b.task(b.steps().work(10_us).sync(Tiny::wake, 0).repeat(1'000'000, b.steps().work(1_us)), 1);
    const Record record = run_tiny(b).record;
    CHECK_FALSE(record.census_complete);
    CHECK(record.counts[0] == 1);
    CHECK(record.census_counts[0] == 0);
    CHECK(record.window == 50_us);
}

TEST_CASE("a child of a turn inside the window counts for the census until it has ended") {
    ProgramBuilder b(uniform(4, 50_ns));
    b.config.warmup = 100_us;
    b.config.duration = 50_us;
    const auto children = b.counter("child");
    const auto child = b.place(b.steps().work(25_us).count(children).exit());
    b.task(b.steps().work(10_us).spawn("clone", child).count().forever(), {0, 1, 2, 3});
    const Record record = run_tiny(b).record;
    // A turn takes 10 us; begun at 100, 110 .. 140: five, their children end up to 25 us after the spawn.
    CHECK(record.census_counts[0] == 5);
    CHECK(record.census_counts[children] == 5);
}

TEST_CASE("merging adds counters up, keeps the longest queue, and one row per replication") {
    ProgramBuilder b(uniform(1, 50_ns));
    b.config.duration = 50_us;
    b.task(b.steps().work(4_us).count().forever(), 0);
    Record sum = run_tiny(b).record;
    sum.resources.resize(1);
    Record other = sum;
    sum.resources[0].longest_queue = 3;
    other.resources[0].longest_queue = 2;
    other.resources[0].wait_sum = 7;
    sum.merge(other);
    CHECK(sum.replications == 2);
    CHECK(sum.window == 100_us);
    CHECK(sum.counts[0] == 24);
    CHECK(sum.resources[0].longest_queue == 3);
    CHECK(sum.resources[0].wait_sum == 7);
    CHECK(sum.counts_by_replication.size() == 2);
    CHECK(sum.critical_length_ps == 2 * (48_us).ps);
    Record stranger;
    CHECK_THROWS_AS(sum.merge(stranger), InternalError);
}

}  // namespace
}  // namespace forksim::test
