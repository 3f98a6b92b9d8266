// Named lines that steps touch: what an access costs, whose line it is.
#include "models/line_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/build_program.hpp"

namespace forksim::test {
namespace {

/// How long a step that touches takes on CPU 1 after CPU 0 has written all lines, on a machine with 50 ns transfers.
Time cost_of(std::vector<Touch> touches, std::uint32_t overlap = 512, std::uint32_t lines = 1) {
    KernelBuilder b(uniform(3, 50_ns));
    b.spec.overlap = overlap;
    for (const char* name : {"a", "b"}) b.spec.lines[b.line(name)].lines = lines;
    b.task(b.touch({{.line = 0, .access = Access::write}, {.line = 1, .access = Access::write}}), 0);
    b.task(b.at(1_us).then(b.touch(std::move(touches))).mark("done"), 1);
    return run_kernel(b).at("done") - 1_us;
}

TEST_CASE("what the next step needs costs a full transfer, what overlaps its weight") {
    CHECK(cost_of({{.line = 0, .access = Access::read}}) == 50_ns);
    CHECK(cost_of({{.line = 0, .access = Access::write}}) == 50_ns);
    CHECK(cost_of({{.line = 0, .access = Access::peek}}) == 25_ns);
    CHECK(cost_of({{.line = 0, .access = Access::store}}) == 25_ns);
    CHECK(cost_of({{.line = 0, .access = Access::store}}, 256) == 12500_ps);
    CHECK(cost_of({{.line = 0, .access = Access::store}}, 0) == 0_ns);
    CHECK(cost_of({{.line = 0, .access = Access::peek}}, 1024) == 50_ns);
}

TEST_CASE("several accesses follow one another; one to a line that is at hand is free") {
    CHECK(cost_of({{.line = 0, .access = Access::read}, {.line = 1, .access = Access::store}}) == 75_ns);
    CHECK(cost_of({{.line = 0, .access = Access::write}, {.line = 0, .access = Access::write}}) == 50_ns);
    CHECK(cost_of({{.line = 0, .access = Access::read}, {.line = 0, .access = Access::write}}) == 100_ns);  // upgrade
    CHECK(cost_of({{.line = 0, .access = Access::write, .count = 3}}) == 50_ns);
}

TEST_CASE("lines that travel together cost one transfer each") {
    CHECK(cost_of({{.line = 0, .access = Access::read}}, 512, 4) == 200_ns);
    CHECK(cost_of({{.line = 0, .access = Access::store}}, 512, 4) == 100_ns);
}

TEST_CASE("a locked read-modify-write takes the line, each time from whoever had it") {
    KernelBuilder b(uniform(2, 50_ns));
    const auto counter = b.line("counter");
    b.task(
        b.atomic(counter).then(b.atomic(counter)).mark("twice").then(b.at(1_us)).then(b.atomic(counter)).mark("again"),
        0);
    b.task(b.at(100_ns).then(b.atomic(counter)).mark("other"), 1);
    const KernelRun run = run_kernel(b);
    CHECK(run.at("twice") == 0_ns);
    CHECK(run.at("other") == 150_ns);
    CHECK(run.at("again") == 1050_ns);
    CHECK(run.line_transfers[counter] == 2);
}

TEST_CASE("accesses to one line by several CPUs queue up, to lines of their own they do not") {
    for (const bool own : {false, true}) {
        KernelBuilder b(uniform(4, 50_ns));
        b.line("data", own ? ScopeSpec{Scope::cpu} : ScopeSpec{});
        b.task(b.touch(0, Access::write), 0);
        for (Cpu cpu = 1; cpu < 4; ++cpu)
            b.task(b.at(1_us + Time{static_cast<std::int64_t>(cpu)}).then(b.touch(0, Access::write)).mark("done"), cpu);
        const std::vector<Time> done = run_kernel(b).all("done");
        REQUIRE(done.size() == 3);
        CHECK(done.back() == (own ? 1_us + 3_ps : 1_us + 1_ps + 150_ns));
    }
}

TEST_CASE("a line of a node is at home there, a global one on the kernel's home node") {
    const auto cost = [](ScopeSpec per, std::uint32_t kernel_home) {
        // Home 80 ns from its own socket and 130 from the other; 120 between the sockets.
        KernelBuilder b(two_sockets(2, 50_ns, 120_ns, Coherence::home, 80_ns, 130_ns));
        b.topology.home_node = kernel_home;
        b.line("data", per);
        b.task(b.touch(0, Access::write), 0);
        b.task(b.at(1_us).then(b.touch(0, Access::write)).mark("done"), 2);
        return run_kernel(b).at("done") - 1_us;
    };
    CHECK(cost({Scope::global}, 0) == 165_ns);  // (120 + 80 + 130) / 2, wherever the home is
    CHECK(cost({Scope::global}, 1) == 165_ns);
    CHECK(cost({Scope::node}, 0) == 0_ns);  // each socket has its own
}

TEST_CASE("a far line is always some other CPU's, evenly drawn") {
    KernelBuilder b(two_sockets(4, 50_ns, 120_ns));
    b.spec.lines[b.line("neighbour")].far = true;
    const Touch far{.line = 0, .access = Access::read, .count = 2};
    b.config.duration = Time::from_ms(2);
    b.task(b.steps().repeat(4000, b.touch({far}).mark("one")), 1);
    const std::vector<Time> passed = run_kernel(b).all("one");
    REQUIRE(passed.size() == 4000);
    // Of the 7 others 3 are near and 4 far: a mean of 90 ns, a standard deviation of 34.6 per access.
    const double mean = static_cast<double>(passed.back().ps) / 8000 / 1000;
    CHECK(mean > 90 - 5 * 34.6 / 89.4);
    CHECK(mean < 90 + 5 * 34.6 / 89.4);
    std::vector<int> seen(3);  // two near, one of each, two far
    for (std::size_t i = 1; i < passed.size(); ++i) {
        const Time cost = passed[i] - passed[i - 1];
        ++seen[cost == 100_ns ? 0 : cost == 170_ns ? 1 : 2];
        CHECK((cost == 100_ns || cost == 170_ns || cost == 240_ns));
    }
    // Independent draws: 9/49, 24/49, 16/49 of 3999; within five standard deviations.
    CHECK(std::abs(seen[0] - 734) < 5 * 25);
    CHECK(std::abs(seen[1] - 1959) < 5 * 32);
    CHECK(std::abs(seen[2] - 1306) < 5 * 30);
}

TEST_CASE("on a machine of one CPU nobody is far") {
    KernelBuilder b(uniform(1, 50_ns));
    b.spec.lines[b.line("neighbour")].far = true;
    b.task(b.touch(0, Access::read).mark("done"), 0);
    CHECK(run_kernel(b).at("done") == 0_ns);
}

TEST_CASE("data on the lock's own line: the waiters' polling delays the owner, on a line of its own it does not") {
    const auto written_at = [](bool shared) {
        KernelBuilder b(uniform(2, 50_ns));
        const auto lock = b.spinlock("lock");
        const auto data = shared ? b.spec.locks[lock].line : b.line("data");
        b.task(b.section(lock, b.steps().work(1000_ns).then(b.touch(data, Access::write)).mark("written")), 0);
        b.task(b.at(100_ns).then(b.hold(lock, 100_ns)), 1);
        return run_kernel(b).at("written");
    };
    CHECK(written_at(false) == 1000_ns);
    CHECK(written_at(true) == 1050_ns);
}

}  // namespace
}  // namespace forksim::test
