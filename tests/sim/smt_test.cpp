// Two threads of one core: the rest of the work is re-timed when the sibling changes what it does. A sibling that
// works leaves 512/1024, one that spins 768/1024 of the speed.
#include <doctest/doctest.h>

#include "tests/sim/tiny_model.hpp"

namespace forksim::test {
namespace {

ProgramBuilder pair() { return ProgramBuilder(smt_pairs(1, 50_ns, 10_ns, 512, 768)); }

TEST_CASE("alone on its core a thread runs at full speed") {
    ProgramBuilder b = pair();
    b.task(b.steps().work(10_us).mark("done"), 0);
    CHECK(run_tiny(b).at("done") == 10_us);
}

TEST_CASE("work is stretched while the sibling works") {
    ProgramBuilder b = pair();
    b.task(b.steps().work(10_us).mark("done"), 0);
    b.task(b.steps().work(2_us).mark("sibling done"), 1);
    const TinyRun run = run_tiny(b);
    CHECK(run.at("sibling done") == 4_us);  // 2 us at half speed
    CHECK(run.at("done") == 12_us);         // 2 of 10 us done by then, 8 to go
}

TEST_CASE("work is stretched from the moment in which the sibling begins") {
    ProgramBuilder b = pair();
    b.task(b.steps().work(10_us).mark("done"), 0);
    b.task(b.steps().sleep(6_us).work(1_us).mark("sibling done"), 1);
    const TinyRun run = run_tiny(b);
    CHECK(run.at("sibling done") == 8_us);
    CHECK(run.at("done") == 11_us);  // 6 done at 6, 7 done at 8, 3 to go
}

TEST_CASE("a spinning sibling takes less") {
    ProgramBuilder b = pair();
    b.task(b.steps().work(9_us).mark("done").sync(Tiny::resume, 0), 0);
    b.task(b.steps().sync(Tiny::spin, 0), 1);
    CHECK(run_tiny(b).at("done") == 12_us);  // 9 / (768/1024)
}

TEST_CASE("a sibling goes from working to spinning to idle") {
    ProgramBuilder b(smt_pairs(2, 50_ns, 10_ns, 512, 768));
    b.task(b.steps().work(20_us).mark("done"), 0);
    b.task(b.steps().busy(4_us).sync(Tiny::spin, 0), 1);
    b.task(b.steps().work(8_us).sync(Tiny::resume, 0), 2);
    // to 4 us half speed: 2 done; to 8 us at 3/4: 5 done; 15 to go alone
    CHECK(run_tiny(b).at("done") == 23_us);
}

TEST_CASE("lines on their way and wall-clock delays are not stretched") {
    ProgramBuilder b = pair();
    b.task(b.steps().sync(Tiny::lines, 0, 10_us).mark("lines").busy(10_us).mark("delay"), 0);
    b.task(b.steps().busy(30_us), 1);
    const TinyRun run = run_tiny(b);
    CHECK(run.at("lines") == 10_us);
    CHECK(run.at("delay") == 20_us);
}

TEST_CASE("of a stretch of lines and work only the work is re-timed") {
    ProgramBuilder b = pair();
    b.task(b.steps().sync(Tiny::lines, 0, 4_us).work(6_us).mark("done"), 0);
    b.task(b.steps().sleep(2_us).busy(6_us), 1);
    // lines to 4 us; sibling there till 8 us: 2 of 6 us done; 4 to go
    CHECK(run_tiny(b).at("done") == 12_us);
}

TEST_CASE("work that is interrupted goes on at the speed of the moment") {
    ProgramBuilder b(smt_pairs(2, 50_ns, 10_ns, 512, 768));
    const auto callback = b.place(b.steps().busy(4_us).end());
    b.task(b.steps().work(10_us).mark("done"), 0);
    b.task(b.steps().sleep(4_us).busy(6_us), 1);
    b.task(b.steps().work(2_us).sync(Tiny::softirq, 0, callback), 2);
    // 2 us done at 2; softirq till 6; the sibling works from 4 till 10: 2 us in that; 6 to go from 10
    CHECK(run_tiny(b).at("done") == 16_us);
}

TEST_CASE("a softirq slows the sibling down, the interrupted task does not") {
    ProgramBuilder b(smt_pairs(2, 50_ns, 10_ns, 512, 768));
    const auto callback = b.place(b.steps().busy(4_us).end());
    b.task(b.steps().work(10_us).mark("done"), 0);
    b.task(b.steps().work(2_us).sync(Tiny::softirq, 1, callback), 2);
    CHECK(run_tiny(b).at("done") == 12_us);  // 2 at 2, 4 at 6, 6 to go
}

TEST_CASE("two siblings that work from the same moment on slow each other down, whoever is first") {
    for (const bool turned : {false, true}) {
        ProgramBuilder b = pair();
        b.task(b.steps().work(5_us).mark("a"), turned ? 1 : 0);
        b.task(b.steps().work(5_us).mark("b"), turned ? 0 : 1);
        const TinyRun run = run_tiny(b);
        CHECK(run.at("a") == 10_us);
        CHECK(run.at("b") == 10_us);
    }
}

TEST_CASE("other cores do not count as siblings") {
    ProgramBuilder b(smt_pairs(2, 50_ns, 10_ns, 512, 768));
    b.task(b.steps().work(10_us).mark("done"), 0);
    b.task(b.steps().work(10_us), 2);
    b.task(b.steps().work(10_us).mark("other sibling"), 3);
    const TinyRun run = run_tiny(b);
    CHECK(run.at("done") == 10_us);
    CHECK(run.at("other sibling") == 20_us);
}

TEST_CASE("preempted work goes on at the speed of the moment") {
    ProgramBuilder b = pair();
    b.config.slice = 4_us;
    b.task(b.steps().work(8_us).mark("first"), 0);
    b.task(b.steps().busy(2_us), 0);
    b.task(b.steps().sleep(8_us).busy(100_us), 1);
    // 4 done at 4, off till 6, 2 more done at 8, 2 to go at half speed
    CHECK(run_tiny(b).at("first") == 12_us);
}

TEST_CASE("stolen time is not re-timed") {
    ProgramBuilder b(smt_pairs(2, 50_ns, 10_ns, 512, 768));
    b.task(b.steps().work(10_us).mark("done"), 0);
    b.task(b.steps().work(2_us).sync(Tiny::steal, 0, 4_us), 2);
    b.task(b.steps().sleep(4_us).busy(4_us), 1);
    // 2 done at 2; interrupts till 6; 1 more at 8; 7 to go
    CHECK(run_tiny(b).at("done") == 15_us);
}

}  // namespace
}  // namespace forksim::test
