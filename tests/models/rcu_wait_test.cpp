// Tasks that wait for grace periods.
#include <doctest/doctest.h>

#include "sim/error.hpp"
#include "tests/support/build_program.hpp"

namespace forksim::test {
namespace {

KernelBuilder with_grace_period(Cpu cpus, Time length) {
    KernelBuilder b(uniform(cpus, 50_ns));
    b.spec.rcu.grace_period = {length.ps, Sampler::constant};
    b.config.duration = 100 * length;
    return b;
}
Steps sync(KernelBuilder& b, SyncCode code, std::uint16_t site = 0) { return b.steps().sync(code, 0, 0, site); }

TEST_CASE("synchronize_rcu sleeps for exactly one grace period when none is running") {
    KernelBuilder b = with_grace_period(1, 300_us);
    b.task(b.at(100_us).then(sync(b, SyncCode::synchronize_rcu)).mark("back"), 0);
    CHECK(run_kernel(b).at("back") == 400_us);
}

TEST_CASE("whoever comes while one is running waits for its end and for the next, together with the others") {
    KernelBuilder b = with_grace_period(3, 300_us);
    b.task(b.at(100_us).then(sync(b, SyncCode::synchronize_rcu)).mark("first"), 0);
    b.task(b.at(150_us).then(sync(b, SyncCode::synchronize_rcu)).mark("second"), 1);
    b.task(b.at(350_us).then(sync(b, SyncCode::synchronize_rcu)).mark("third"), 2);
    const KernelRun run = run_kernel(b);
    CHECK(run.at("first") == 400_us);
    CHECK(run.at("second") == 700_us);
    CHECK(run.at("third") == 700_us);
}

TEST_CASE("drawn grace periods have the mean asked for, and a task back to back pays each one") {
    KernelBuilder b(uniform(1, 50_ns));
    b.spec.rcu.grace_period = b.program.tables.add(Exponential{100_us});
    b.config.duration = 200'000_us;
    b.counter("turns");
    b.task(sync(b, SyncCode::synchronize_rcu).count(0).forever(), 0);
    // 2000 draws: the mean is within 4 standard errors of 100 us.
    CHECK(static_cast<double>(run_kernel(b).record.counts[0]) == doctest::Approx(2000).epsilon(0.09));
}

TEST_CASE("an expedited grace period is its own, and takes a little from every other CPU") {
    KernelBuilder b = with_grace_period(3, 300_us);
    b.spec.rcu.expedited = {Time(20_us).ps, Sampler::constant};
    b.spec.rcu.expedited_interrupt = 2_us;
    b.task(b.at(10_us).then(sync(b, SyncCode::synchronize_rcu)).mark("normal"), 0);
    b.task(b.at(50_us).then(sync(b, SyncCode::synchronize_rcu_expedited)).mark("expedited"), 1);
    b.task(b.at(100_us).mark("interrupted"), 2);
    const KernelRun run = run_kernel(b);
    CHECK(run.at("normal") == 310_us);
    CHECK(run.at("expedited") == 70_us);
    CHECK(run.at("interrupted") == 102_us);
}

TEST_CASE("read sections are counted once however deep they nest, and lengthen no grace period") {
    KernelBuilder b = with_grace_period(2, 300_us);
    const std::uint16_t site = b.site("rcu");
    Steps s = b.steps();
    s.sync(SyncCode::rcu_read_lock, 0, std::uint64_t{0}, site).sync(SyncCode::rcu_read_lock, 0, std::uint64_t{0}, site);
    s.work(1000_us).sync(SyncCode::rcu_read_unlock).sync(SyncCode::rcu_read_unlock);
    b.task(s.then(s), 0);
    b.task(sync(b, SyncCode::synchronize_rcu).mark("back"), 1);
    const KernelRun run = run_kernel(b);
    CHECK(run.record.sites[site].acquisitions == 2);
    CHECK(run.at("back") == 300_us);
}

TEST_CASE("waiting for a grace period inside a read section is a deadlock, leaving one open an error") {
    KernelBuilder b = with_grace_period(1, 300_us);
    b.task(sync(b, SyncCode::rcu_read_lock).then(sync(b, SyncCode::synchronize_rcu)), 0);
    CHECK_THROWS_AS(run_kernel(b), ModelStuck);
    KernelBuilder open = with_grace_period(1, 300_us);
    open.task(sync(open, SyncCode::rcu_read_lock), 0);
    CHECK_THROWS_AS(run_kernel(open), InternalError);
}

TEST_CASE("each CPU with callbacks reports once per grace period, under the lock of its leaf") {
    KernelBuilder b = with_grace_period(2, 100_ns);  // both that are needed are over before the first tick
    b.config.duration = 5000_us;
    const std::uint32_t leaf = b.lock(LockKind::spinlock, "rcu_node");
    b.spec.locks[leaf].per = {Scope::cpus, 16};
    Steps report = b.hold(leaf, 100_ns);
    b.spec.rcu.report = b.place(report.end());
    Steps callback = b.steps();
    const std::uint32_t entry = b.place(callback.mark("callback").end());
    for (Cpu cpu = 0; cpu < 2; ++cpu) b.task(b.call_rcu(entry).then(b.call_rcu(entry)), cpu);
    const KernelRun run = run_kernel(b);
    CHECK(run.all("callback").size() == 4);
    CHECK(run.order(leaf).size() == 2);
    CHECK(run.granted(run.order(leaf)[0], leaf) < run.at("callback"));
}

}  // namespace
}  // namespace forksim::test
