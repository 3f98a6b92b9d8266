// Owner and sharers of a cache line, and what moving it costs.
#include "models/line.hpp"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "sim/error.hpp"
#include "tests/support/steps.hpp"

namespace forksim::test {
namespace {

TEST_CASE("the first touch of a line is free and counts no transfer, read or written") {
    for (const bool writes : {false, true}) {
        const Topology topology = uniform(2, 50_ns);
        Lines lines(topology);
        const LineId line = lines.add(0);
        CHECK((writes ? lines.write(line, 0, 10_ns) : lines.read(line, 0, 10_ns)) == 10_ns);
        CHECK(lines.transfers() == 0);
    }
}

TEST_CASE("repeated access by the owner is free") {
    const Topology topology = uniform(2, 50_ns);
    Lines lines(topology);
    const LineId line = lines.add(0);
    lines.write(line, 0, 0_ns);
    CHECK(lines.write(line, 0, 10_ns) == 10_ns);
    CHECK(lines.read(line, 0, 20_ns) == 20_ns);
    CHECK(lines.write(line, 0, 30_ns) == 30_ns);
    CHECK(lines.transfers() == 0);
}

TEST_CASE("a write by another CPU moves the line and makes it the owner") {
    const Topology topology = uniform(2, 50_ns);
    Lines lines(topology);
    const LineId line = lines.add(0);
    lines.write(line, 0, 0_ns);
    CHECK(lines.write(line, 1, 100_ns) == 150_ns);
    CHECK(lines.write(line, 1, 200_ns) == 200_ns);
    CHECK(lines.write(line, 0, 300_ns) == 350_ns);
    CHECK(lines.transfers_of(line) == 2);
}

TEST_CASE("a read of a dirty line moves it and leaves two clean copies: both read for free, a write is an upgrade") {
    const Topology topology = uniform(3, 50_ns);
    Lines lines(topology);
    const LineId line = lines.add(0);
    lines.write(line, 0, 0_ns);
    CHECK(lines.read(line, 1, 100_ns) == 150_ns);
    CHECK(lines.read(line, 1, 200_ns) == 200_ns);
    CHECK(lines.read(line, 0, 200_ns) == 200_ns);
    CHECK(lines.transfers() == 1);
    CHECK(lines.write(line, 0, 300_ns) == 350_ns);  // the owner must invalidate the other copy
    CHECK(lines.transfers() == 2);
    CHECK(lines.write(line, 0, 400_ns) == 400_ns);
    CHECK(lines.transfers() == 2);
}

TEST_CASE("an upgrade by the reader, and a write by a third CPU, cost one transfer each") {
    const Topology topology = uniform(3, 50_ns);
    Lines lines(topology);
    const LineId line = lines.add(0);
    lines.write(line, 0, 0_ns);
    lines.read(line, 1, 100_ns);
    CHECK(lines.write(line, 1, 200_ns) == 250_ns);
    CHECK(lines.write(line, 1, 300_ns) == 300_ns);
    CHECK(lines.transfers() == 2);
    lines.read(line, 0, 400_ns);
    CHECK(lines.write(line, 2, 500_ns) == 550_ns);
    CHECK(lines.transfers() == 4);
}

TEST_CASE("a line that one CPU read first and alone is its own: writing it is free") {
    const Topology topology = uniform(2, 50_ns);
    Lines lines(topology);
    const LineId line = lines.add(0);
    lines.read(line, 0, 0_ns);
    CHECK(lines.write(line, 0, 10_ns) == 10_ns);
    CHECK(lines.transfers() == 0);
}

TEST_CASE("a clean copy in one's own last-level cache costs less than a dirty line there, and than one from afar") {
    Topology topology = two_sockets(3, 50_ns, 120_ns);  // llc_hit is 25 ns
    Lines lines(topology);
    const LineId line = lines.add(0);
    lines.write(line, 3, 0_ns);
    CHECK(lines.read(line, 0, 1000_ns) == 1120_ns);  // dirty, other socket
    CHECK(lines.read(line, 1, 2000_ns) == 2025_ns);  // CPU 0 has it in this cache
    CHECK(lines.read(line, 4, 3000_ns) == 3025_ns);  // so has the owner in its
    CHECK(lines.transfers() == 3);
}

TEST_CASE("an upgrade costs what it takes to the farthest sharer") {
    Topology topology = two_sockets(3, 50_ns, 120_ns);
    Lines lines(topology);
    const LineId line = lines.add(0);
    lines.write(line, 0, 0_ns);
    lines.read(line, 1, 1000_ns);
    CHECK(lines.write(line, 0, 2000_ns) == 2050_ns);
    lines.read(line, 1, 3000_ns);
    lines.read(line, 5, 4000_ns);
    CHECK(lines.write(line, 1, 5000_ns) == 5120_ns);
    lines.read(line, 5, 6000_ns);
    CHECK(lines.write(line, 2, 7000_ns) == 7120_ns);  // no copy yet: fetched and invalidated at once
}

TEST_CASE("two requests for one line are served one after the other, for two lines side by side") {
    const Topology topology = uniform(4, 50_ns);
    Lines lines(topology);
    const LineId line = lines.add(0);
    const LineId other = lines.add(0);
    lines.write(line, 0, 0_ns);
    lines.write(other, 0, 0_ns);
    CHECK(lines.write(line, 1, 100_ns) == 150_ns);
    CHECK(lines.write(line, 2, 110_ns) == 200_ns);
    CHECK(lines.read(line, 3, 120_ns) == 250_ns);
    CHECK(lines.write(other, 2, 110_ns) == 160_ns);
}

TEST_CASE("an access by the owner waits for the transfer that brings the line") {
    const Topology topology = uniform(2, 50_ns);
    Lines lines(topology);
    const LineId line = lines.add(0);
    lines.write(line, 0, 0_ns);
    lines.write(line, 1, 100_ns);
    CHECK(lines.read(line, 1, 120_ns) == 150_ns);
}

TEST_CASE("clean copies are handed out side by side") {
    const Topology topology = uniform(4, 50_ns);
    Lines lines(topology);
    const LineId line = lines.add(0);
    lines.write(line, 0, 0_ns);
    lines.read(line, 1, 100_ns);
    CHECK(lines.read(line, 2, 200_ns) == 250_ns);
    CHECK(lines.read(line, 3, 210_ns) == 260_ns);
}

TEST_CASE("local coherence: the distance between the two; home coherence: half the triangle over the line's home") {
    Topology local = two_sockets(2, 50_ns, 120_ns, Coherence::local, 80_ns, 130_ns);
    Lines direct(local);
    CHECK(direct.transfer(0, 2, 0) == 120_ns);
    CHECK(direct.transfer(0, 2, 1) == 120_ns);

    Topology home = two_sockets(2, 50_ns, 120_ns, Coherence::home, 80_ns, 130_ns);
    Lines asked(home);
    CHECK(asked.transfer(0, 2, 0) == 165_ns);  // (120 + 80 + 130) / 2: one of them sits at home
    CHECK(asked.transfer(2, 0, 0) == 165_ns);
    CHECK(asked.transfer(0, 1, 1) == 50_ns);  // inside one cache the home is not asked

    // Three caches, the home's and two others: near and far from the home differ.
    Topology three = home;
    three.cpus = {{0, 0, 0}, {1, 1, 1}, {2, 2, 1}};
    three.cores = three.llcs = 3;
    three.within_llc = {50_ns, 50_ns, 50_ns};
    three.between_llcs = {0_ns, 120_ns, 120_ns, 120_ns, 0_ns, 90_ns, 120_ns, 90_ns, 0_ns};
    three.to_memory = {80_ns, 130_ns, 130_ns, 80_ns, 130_ns, 80_ns};
    Lines triangle(three);
    CHECK(triangle.transfer(1, 2, 0) == 175_ns);  // (90 + 130 + 130) / 2
    CHECK(triangle.transfer(1, 2, 1) == 125_ns);  // (90 + 80 + 80) / 2
    const LineId far = triangle.add(0);
    const LineId near = triangle.add(1);
    for (const LineId line : {far, near}) triangle.write(line, 1, 0_ns);
    CHECK(triangle.write(far, 2, 0_ns) == 175_ns);
    CHECK(triangle.write(near, 2, 0_ns) == 125_ns);
}

TEST_CASE("siblings of one core pass a line at the cost of their own") {
    const Topology topology = smt_pairs(2, 50_ns, 10_ns, 512, 512);
    Lines lines(topology);
    const LineId line = lines.add(0);
    lines.write(line, 0, 0_ns);
    CHECK(lines.write(line, 1, 100_ns) == 110_ns);
    CHECK(lines.read(line, 0, 200_ns) == 210_ns);
    CHECK(lines.write(line, 0, 300_ns) == 310_ns);
    CHECK(lines.transfers() == 3);
}

TEST_CASE("who polls a line fetches it again right behind each write, before anybody who asks later") {
    const Topology topology = uniform(4, 50_ns);
    Lines lines(topology);
    const LineId line = lines.add(0);
    lines.write(line, 0, 0_ns);
    lines.read(line, 1, 100_ns);
    lines.watch(line, 1, 0_ns);
    CHECK(lines.write(line, 0, 200_ns) == 250_ns);
    CHECK(lines.seen(1) == 300_ns);
    CHECK(lines.write(line, 2, 260_ns) == 350_ns);  // from 300 on
    CHECK(lines.seen(1) == 400_ns);
    CHECK(lines.transfers() == 1 + 2 + 2);
    lines.unwatch(line, 1);
    CHECK(lines.write(line, 2, 500_ns) == 550_ns);  // still shared with CPU 1
    CHECK(lines.seen(1) == 400_ns);
    CHECK(lines.write(line, 2, 600_ns) == 600_ns);
}

TEST_CASE("several that poll fetch it again at the same time, and the line is free when the last one has it") {
    Topology topology = two_sockets(2, 50_ns, 120_ns);
    Lines lines(topology);
    const LineId line = lines.add(0);
    lines.write(line, 0, 0_ns);
    lines.read(line, 1, 1000_ns);
    lines.read(line, 3, 2000_ns);
    lines.watch(line, 1, 0_ns);
    lines.watch(line, 3, 0_ns);
    CHECK(lines.write(line, 0, 3000_ns) == 3120_ns);
    CHECK(lines.seen(1) == 3170_ns);
    CHECK(lines.seen(3) == 3240_ns);
    CHECK(lines.write(line, 0, 3130_ns) == 3360_ns);  // from 3240 on, an upgrade to both
}

TEST_CASE("a write by the CPU that polls takes nothing away from it") {
    const Topology topology = uniform(3, 50_ns);
    Lines lines(topology);
    const LineId line = lines.add(0);
    lines.write(line, 0, 0_ns);
    lines.watch(line, 0, 0_ns);
    CHECK(lines.write(line, 0, 100_ns) == 100_ns);
    CHECK(lines.transfers() == 0);
}

TEST_CASE("who stops polling in the middle of the list leaves the others in it") {
    const Topology topology = uniform(4, 50_ns);
    Lines lines(topology);
    const LineId line = lines.add(0);
    lines.write(line, 0, 0_ns);
    for (const Cpu cpu : {1u, 2u, 3u}) lines.watch(line, cpu, 0_ns);
    CHECK_THROWS_AS(lines.watch(line, 2, 0_ns), InternalError);
    lines.unwatch(line, 2);
    lines.write(line, 0, 100_ns);
    CHECK(lines.transfers() == 2);
    lines.unwatch(line, 1);
    lines.unwatch(line, 3);
    CHECK_THROWS_AS(lines.unwatch(line, 2), InternalError);
}

/// A line that CPU 1 polls, having looked at 150 ns with `pause` between two looks; CPU 0 has written it before.
struct Paused {
    explicit Paused(Time pause) : topology(with(pause)), lines(topology), line(lines.add(0)) {
        lines.write(line, 0, 0_ns);
        lines.watch(line, 1, lines.read(line, 1, 100_ns));
    }
    static Topology with(Time pause) {
        Topology topology = uniform(4, 50_ns);
        topology.pause = pause;
        return topology;
    }
    Topology topology;
    Lines lines;
    LineId line;
};

TEST_CASE("who pauses between two looks sees a write at its next look, a transfer later") {
    // The upgrade at 200 is done at 250. CPU 1 has looked at 150 and looks again at 150 + k * pause.
    const std::vector<std::pair<Time, Time>> expected{{0_ns, 300_ns},   {1_ns, 300_ns},    {30_ns, 320_ns},
                                                      {45_ns, 335_ns},  {99_ns, 398_ns},   {100_ns, 300_ns},
                                                      {101_ns, 301_ns}, {5000_ns, 5200_ns}};
    for (const auto& one : expected) {
        const Time pause = one.first;
        const Time sees = one.second;
        CAPTURE(pause.ps);
        Paused paused(pause);
        CHECK(paused.lines.write(paused.line, 0, 200_ns) == 250_ns);
        CHECK(paused.lines.seen(1) == sees);
        CHECK(paused.lines.transfers() == 3);
        paused.lines.unwatch(paused.line, 1);
        CHECK(paused.lines.write(paused.line, 2, 250_ns) == sees + 50_ns);  // what is asked for later comes behind it
    }
}

TEST_CASE("until the next look of who polls, the writer's accesses are free, and another's come first") {
    Paused paused(45_ns);
    Lines& lines = paused.lines;
    CHECK(lines.write(paused.line, 0, 200_ns) == 250_ns);  // next look: 285
    CHECK(lines.write(paused.line, 0, 260_ns) == 260_ns);
    CHECK(lines.read(paused.line, 0, 270_ns) == 270_ns);
    CHECK(lines.write(paused.line, 2, 280_ns) == 330_ns);
    CHECK(lines.seen(1) == 380_ns);  // asked for at 285, behind that one
    CHECK(lines.transfers() == 4);
    CHECK(Paused(0_ns).lines.write(0, 0, 200_ns) == 250_ns);
}

TEST_CASE("who looks again between two accesses of another CPU fetches the line there") {
    Paused paused(45_ns);
    Lines& lines = paused.lines;
    CHECK(lines.write(paused.line, 0, 200_ns) == 250_ns);
    CHECK(lines.write(paused.line, 0, 285_ns) == 385_ns);  // fetched from 285 to 335, upgraded until 385
    CHECK(lines.transfers() == 4);
    CHECK(lines.write(paused.line, 0, 424_ns) == 424_ns);  // it looked at 335; next 425
    CHECK(lines.seen(1) == 475_ns);
    CHECK(lines.seen(1) == 475_ns);  // asking twice changes nothing
    CHECK(lines.transfers() == 5);
}

TEST_CASE("several that pause look in the order of their looks, not of their arrival") {
    Paused paused(100_ns);
    Lines& lines = paused.lines;
    lines.watch(paused.line, 2, lines.read(paused.line, 2, 110_ns));  // 200: it looks at 300, CPU 1 at 250 and 350
    lines.watch(paused.line, 3, lines.read(paused.line, 3, 70_ns));   // queued behind 150: at 200, too
    CHECK(lines.write(paused.line, 0, 205_ns) == 255_ns);             // upgrade; next looks: 350, 300, 300
    CHECK(lines.seen(1) == 400_ns);  // behind CPU 2, which has the line at 350: a clean copy from there
    CHECK(lines.seen(2) == 350_ns);
    CHECK(lines.seen(3) == 400_ns);  // from 350 on, beside CPU 1
    CHECK(lines.transfers() == 1 + 2 + 1 + 3);
}

TEST_CASE("a write by its own CPU takes nothing from who pauses; it sees it when it looks") {
    Paused paused(45_ns);
    CHECK(paused.lines.write(paused.line, 1, 200_ns) == 250_ns);
    CHECK(paused.lines.seen(1) == 285_ns);
    CHECK(paused.lines.transfers() == 2);
}

TEST_CASE("who stops polling before its next look fetches nothing; who polls at once does not pause") {
    Paused paused(45_ns);
    Lines& lines = paused.lines;
    lines.watch_at_once(paused.line, 2);
    CHECK(lines.write(paused.line, 0, 200_ns) == 250_ns);
    CHECK(lines.seen(2) == 300_ns);
    lines.unwatch(paused.line, 1);
    CHECK(lines.write(paused.line, 0, 1000_ns) == 1050_ns);
    CHECK(lines.transfers() == 1 + 2 + 2);  // CPU 1's first look; two upgrades, each seen by CPU 2
}

TEST_CASE("requests by two CPUs on the same picosecond are counted as ties, by one CPU they are not") {
    const Topology topology = uniform(3, 50_ns);
    Lines lines(topology);
    const LineId line = lines.add(0);
    const LineId other = lines.add(0);
    lines.write(line, 0, 100_ns);
    lines.read(line, 0, 100_ns);
    lines.write(other, 1, 100_ns);
    CHECK(lines.ties() == 0);
    lines.write(line, 1, 100_ns);
    CHECK(lines.ties() == 1);
    lines.write(line, 2, 101_ns);
    CHECK(lines.ties() == 1);
}

TEST_CASE("many sharers: all are known, and one write takes it from all of them") {
    const Topology topology = uniform(200, 50_ns);
    Lines lines(topology);
    const LineId line = lines.add(0);
    lines.write(line, 199, 0_ns);
    for (Cpu cpu = 0; cpu < 199; ++cpu) lines.read(line, cpu, 1000_ns);
    CHECK(lines.transfers() == 199);
    for (Cpu cpu = 0; cpu < 200; ++cpu) CHECK(lines.read(line, cpu, 2000_ns) == 2000_ns);
    CHECK(lines.write(line, 64, 3000_ns) == 3050_ns);
    CHECK(lines.transfers() == 200);
    for (const Cpu cpu : {0u, 63u, 65u, 127u, 128u, 199u}) {
        const std::uint64_t before = lines.transfers();
        lines.read(line, cpu, 4000_ns);
        CHECK(lines.transfers() == before + 1);
    }
}

TEST_CASE("words of locks move at their own factor, data does not") {
    Lines lines(uniform(2, 48_ns), 1536);
    const LineId data = lines.add(0);
    const LineId word = lines.add(0, LineUse::word);
    for (const LineId line : {data, word}) lines.write(line, 0, 0_ns);
    CHECK(lines.write(data, 1, 100_ns) == 148_ns);
    CHECK(lines.write(word, 1, 100_ns) == 172_ns);  // 48 * 1.5
    CHECK(lines.read(word, 0, 200_ns) == 272_ns);
}

}  // namespace
}  // namespace forksim::test
