// Signals between children and parents, and small caches of objects.
#include "models/completion.hpp"

#include <doctest/doctest.h>

#include "models/pool.hpp"
#include "sim/error.hpp"
#include "tests/support/build_program.hpp"

namespace forksim::test {
namespace {

KernelBuilder family(std::uint32_t handles = 1) {
    KernelBuilder b(uniform(4, 50_ns));
    b.spec.handles = handles;
    b.spec.signals = {"exited", "ready"};
    return b;
}
const std::vector<Cpu> anywhere{0, 1, 2, 3};

TEST_CASE("a parent that awaits first sleeps until its child signals, and the child pays for waking it") {
    KernelBuilder b = family();
    b.config.wake_cost = 1_us;
    const auto child = b.place(b.steps().work(10_us).then(b.signal()).mark("child goes on").exit());
    b.task(b.steps().spawn("clone", child).then(b.await(0)).mark("awaited"), anywhere);
    const KernelRun run = run_kernel(b);
    CHECK(run.at("awaited") == 10_us);
    CHECK(run.at("child goes on") == 11_us);
    CHECK(run.record.wakes == 1);
}

TEST_CASE("a signal that was given before is not waited for, and wakes nobody") {
    KernelBuilder b = family();
    b.config.wake_cost = 1_us;
    const auto child = b.place(b.steps().work(10_us).then(b.signal()).mark("child goes on").exit());
    b.task(b.steps().spawn("clone", child).work(50_us).then(b.await(0)).mark("awaited"), anywhere);
    const KernelRun run = run_kernel(b);
    CHECK(run.at("child goes on") == 10_us);
    CHECK(run.at("awaited") == 51_us);  // its own start of the child cost 1
    CHECK(run.record.wakes == 0);
}

TEST_CASE("a signal is kept when the child has ended, and other signals do not count as it") {
    KernelBuilder b = family();
    const auto child = b.place(b.steps().then(b.signal(1)).work(20_us).then(b.signal(0)).exit());
    b.task(b.steps().spawn("clone", child).then(b.await(0, 1)).mark("ready").then(b.await(0, 0)).mark("exited"),
           anywhere);
    b.task(b.steps().spawn("clone 2", child).work(100_us).then(b.await(0, 0)).then(b.await(0, 1)).mark("late"),
           anywhere);
    const KernelRun run = run_kernel(b);
    CHECK(run.at("ready") == 0_us);
    CHECK(run.at("exited") == 20_us);
    CHECK(run.at("late") == 100_us);
}

TEST_CASE("signalled skips the next op only if the signal was given, and never waits") {
    KernelBuilder b = family();
    const auto child = b.place(b.steps().work(10_us).then(b.signal()).exit());
    Steps poll = b.steps().work(4_us).sync(SyncCode::signalled, 0, 0);
    poll.either(b.steps().mark("yes"), b.steps().mark("no"));
    b.task(b.steps().spawn("clone", child).repeat(4, poll), anywhere);
    const KernelRun run = run_kernel(b);
    CHECK(run.all("no") == std::vector<Time>{4_us, 8_us});
    CHECK(run.all("yes") == std::vector<Time>{12_us, 16_us});
}

TEST_CASE("a variable names the child created last; two variables name two") {
    KernelBuilder b = family(2);
    const auto quick = b.place(b.steps().work(5_us).then(b.signal()).exit());
    const auto slow = b.place(b.steps().work(50_us).then(b.signal()).exit());
    Steps parent = b.steps().spawn("a", slow, 0, 0).spawn("b", quick, 0, 1).spawn("c", quick, 0, 0);
    b.task(parent.then(b.await(0)).mark("c").then(b.await(1)).mark("b"), anywhere);
    const KernelRun run = run_kernel(b);
    CHECK(run.at("c") == 5_us);
    CHECK(run.at("b") == 5_us);
}

TEST_CASE("handles are used again without their former signals") {
    KernelBuilder b = family();
    const auto child = b.place(b.steps().work(10_us).then(b.signal()).exit());
    b.task(b.steps().repeat(5, b.steps().spawn("clone", child).then(b.await(0)).mark("awaited")), anywhere);
    const std::vector<Time> times = run_kernel(b).all("awaited");
    REQUIRE(times.size() == 5);
    for (std::size_t i = 0; i < 5; ++i) CHECK(times[i] == static_cast<std::int64_t>(i + 1) * 10_us);
}

TEST_CASE("a child outlives its parent, and its number goes to the next one without harm") {
    KernelBuilder b = family();
    b.topology = uniform(8, 50_ns);
    const auto grandchild = b.place(b.steps().work(30_us).then(b.signal()).mark("grandchild").exit());
    const auto child = b.place(b.steps().work(5_us).spawn("grand", grandchild).then(b.signal()).exit());
    const Steps turn = b.steps().spawn("clone", child).then(b.await(0)).mark("awaited");
    b.task(b.steps().repeat(3, turn), {0, 1, 2, 3, 4, 5, 6, 7});
    const KernelRun run = run_kernel(b);
    CHECK(run.all("awaited") == std::vector<Time>{5_us, 10_us, 15_us});
    CHECK(run.all("grandchild") == std::vector<Time>{35_us, 40_us, 45_us});
}

TEST_CASE("awaiting a child that was never created breaks the run") {
    KernelBuilder b = family();
    b.task(b.await(0), 0);
    CHECK_THROWS_AS(run_kernel(b), InternalError);
}

TEST_CASE("pools begin empty, keep what fits, and are those of the CPU") {
    KernelBuilder b(uniform(2, 50_ns));
    PoolSpec pool;
    pool.name = "stacks";
    pool.per = {Scope::cpu};
    pool.size = 2;
    b.spec.pools = {pool};
    const auto get = [&] { return b.pool_get(0, b.steps().mark("hit"), b.steps().mark("miss").work(1_us)); };
    const auto put = [&] { return b.pool_put(0, b.steps().mark("kept"), b.steps().mark("full")); };
    Steps first = b.steps().then(get()).then(put()).then(put()).then(put());
    b.task(first.then(get()).then(get()).then(get()), 0);
    b.task(b.at(100_us).then(put()).then(get()).then(get()), 1);
    const KernelRun run = run_kernel(b);
    std::vector<std::string> labels;
    for (const Mark& mark : run.marks) labels.push_back(mark.label);
    CHECK(labels == std::vector<std::string>{"miss", "kept", "kept", "full", "hit", "hit", "miss",  // CPU 0
                                             "kept", "hit", "miss"});
}

}  // namespace
}  // namespace forksim::test
