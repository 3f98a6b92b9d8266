#include "platforms/machine.hpp"

#include <doctest/doctest.h>

#include "platforms/library.hpp"
#include "sim/error.hpp"

using namespace forksim;

namespace {

Topology shipped(const char* name) { return topology_of_shape(*find_shipped_shape(name)); }

/// Two sockets of two LLCs of one core each; distances chosen so that no two sums agree.
Topology four_caches(Coherence coherence) {
    Topology t;
    t.name = "four";
    t.cpus = {{0, 0, 0}, {1, 1, 0}, {2, 2, 1}, {3, 3, 1}};
    t.cores = t.llcs = 4;
    t.sockets = 2;
    t.within_llc.assign(4, Time{0});
    t.between_llcs = {{0},   {20},  {100}, {102}, {20},  {0},   {104}, {106},
                      {100}, {104}, {0},   {26},  {102}, {106}, {26},  {0}};
    t.to_memory = {{10}, {70}, {12}, {72}, {80}, {14}, {90}, {16}};
    t.coherence = coherence;
    return t;
}

}  // namespace

TEST_CASE("with local coherence a transfer costs the distance between the two caches") {
    const Topology t = four_caches(Coherence::local);
    CHECK(transfer_cost(t, 0, 1, 0).ps == 20);
    CHECK(transfer_cost(t, 2, 3, 0).ps == 26);
    CHECK(transfer_cost(t, 3, 0, 1).ps == 102);
    CHECK(transfer_cost(t, 3, 3, 1).ps == 0);
}

TEST_CASE("with home coherence a transfer costs half the triangle over the home's memory") {
    const Topology t = four_caches(Coherence::home);
    CHECK(transfer_cost(t, 0, 1, 0).ps == (10 + 12 + 20) / 2);
    CHECK(transfer_cost(t, 2, 3, 0).ps == (80 + 90 + 26) / 2);  // both far from home: dearer than their distance
    CHECK(transfer_cost(t, 2, 3, 1).ps == (14 + 16 + 26) / 2);
    CHECK(transfer_cost(t, 3, 0, 0).ps == (90 + 10 + 102) / 2);
}

TEST_CASE("siblings and cores of one cache never ask the home") {
    const Topology t = shipped("epyc-2s-128c-smt");
    CHECK(transfer_cost(t, 255, 511, 0) == t.smt);  // the last core of the second socket
    CHECK(transfer_cost(t, 255, 254, 0).ps == 22'690);
}

TEST_CASE("in a uniform machine every pair of CPUs is equally far apart") {
    const Topology t = uniform(8, Time{7});
    CHECK(t.cpu_count() == 8);
    CHECK(t.name == "uniform-8");
    for (Cpu a = 0; a < 8; ++a) {
        for (Cpu b = 0; b < 8; ++b) CHECK(transfer_cost(t, a, b, 0).ps == (a == b ? 0 : 7));
    }
    CHECK(transfer_cost(uniform(2, Time{0}), 0, 1, 0).ps == 0);
    CHECK(transfer_cost(uniform(1024), 0, 1023, 0).ps == 50'000);
}

TEST_CASE("uniform-N exists for N from 1 to 1024 only") {
    CHECK(find_platform("uniform-1")->cpu_count() == 1);
    CHECK(find_platform("uniform-1024")->cpu_count() == 1024);
    for (const char* name :
         {"uniform-0", "uniform-1025", "uniform-", "uniform-x", "uniform-08", "uniform-8x", "uniform--1"}) {
        CAPTURE(name);
        CHECK_THROWS_AS(find_platform(name), InputError);
    }
    CHECK_THROWS_AS(uniform(4, Time{-1}), InputError);
    CHECK_FALSE(find_platform("uniform").has_value());
    CHECK_FALSE(find_platform("").has_value());
}

TEST_CASE("first all cores come online, then their siblings") {
    const Topology t = shipped("cascadelake-2s-20c-smt");
    const Topology socket = boot(t, 20);
    CHECK(socket.cores == 20);
    CHECK(socket.llcs == 1);
    CHECK(socket.sockets == 1);
    CHECK(socket.to_memory.size() == 1);
    const Topology more = boot(t, 60);
    CHECK(more.cores == 40);
    CHECK(more.sockets == 2);
    CHECK(more.cpus[59] == CpuPlace{19, 0, 0});
    CHECK(transfer_cost(more, 19, 59, 0) == t.smt);
    CHECK(transfer_cost(more, 0, 39, 0) == transfer_cost(t, 0, 39, 0));
}

TEST_CASE("booting part of a machine with many caches keeps the distances of what is left") {
    const Topology t = shipped("rome-2s-64c-smt");
    const Topology part = boot(t, 70);  // 64 cores of socket 0, 6 of socket 1
    CHECK(part.llcs == 18);
    CHECK(part.sockets == 2);
    for (Cpu a = 0; a < 70; ++a) {
        for (Cpu b = 0; b < 70; ++b) REQUIRE(transfer_cost(part, a, b, 0) == transfer_cost(t, a, b, 0));
    }
}

TEST_CASE("with adjacent siblings, too, cores come first, and numbers keep their order") {
    const PlatformShape shape{"", 1, 4, 2, 0, "xeon-8275cl", Numbering::siblings_adjacent, Virt::none};
    const Topology t = topology_of_shape(shape);
    CHECK(t.cpus[1].core == 0);
    const Topology part = boot(t, 5);  // numbers 0 1 2 4 6
    std::vector<std::uint32_t> cores;
    for (const CpuPlace& place : part.cpus) cores.push_back(place.core);
    CHECK(cores == std::vector<std::uint32_t>{0, 0, 1, 2, 3});
}

TEST_CASE("the home's memory stays when its socket has no CPU online") {
    Topology t = four_caches(Coherence::home);
    t.home_node = 1;
    const Topology part = boot(t, 2);
    CHECK(part.sockets == 2);
    CHECK(part.home_node == 1);
    CHECK(transfer_cost(part, 0, 1, 1).ps == (70 + 72 + 20) / 2);
}

TEST_CASE("a machine boots at least one CPU and at most all of them") {
    const Topology t = shipped("xeon-1s-20c");
    CHECK(boot(t, 20).cpu_count() == 20);
    CHECK(boot(t, 1).cores == 1);
    CHECK_THROWS_AS(boot(t, 0), InputError);
    CHECK_THROWS_WITH_AS(boot(t, 21), "platform 'xeon-1s-20c' has 20 CPUs, not 21", InputError);
}

TEST_CASE("the composition of a machine is told in words") {
    const Topology t = shipped("cascadelake-2s-20c-smt");
    CHECK(composition(t) == "80 CPUs: 2 sockets x 20 cores x 2 threads");
    CHECK(composition(boot(t, 40)) == "40 CPUs: 2 sockets x 20 cores");
    CHECK(composition(boot(t, 20)) == "20 CPUs: 1 socket x 20 cores");
    CHECK(composition(boot(t, 30)) == "30 CPUs: 30 cores on 2 sockets");
    CHECK(composition(boot(t, 60)) == "60 CPUs: 40 cores on 2 sockets, 20 with both siblings");
    CHECK(composition(boot(t, 1)) == "1 CPU: 1 socket x 1 core");
    CHECK(composition(shipped("xeon-1s-20c")) == "20 CPUs: 1 socket x 20 cores");
    CHECK(composition(shipped("epyc-2s-128c-smt")) == "512 CPUs: 2 sockets x 128 cores x 2 threads");
}
