#include "platforms/shape.hpp"

#include <doctest/doctest.h>

#include <string>

#include "platforms/library.hpp"
#include "sim/error.hpp"

using namespace forksim;

namespace {

PlatformShape like(const char* key, std::uint32_t sockets, std::uint32_t cores, std::uint32_t smt) {
    PlatformShape shape;
    shape.like = key;
    shape.sockets = sockets;
    shape.cores = cores;
    shape.smt = smt;
    return shape;
}

std::string complaint(const PlatformShape& shape) {
    try {
        topology_of_shape(shape);
    } catch (const InputError& e) {
        return e.what();
    }
    return "";
}

}  // namespace

TEST_CASE("the shipped machines have the CPUs of their names") {
    const auto cpus = [](const char* name) { return find_platform(name)->cpu_count(); };
    CHECK(cpus("xeon-1s-20c") == 20);
    CHECK(cpus("broadwell-2s-18c-smt") == 72);
    CHECK(cpus("cascadelake-2s-20c-smt") == 80);
    CHECK(cpus("cascadelake-2s-24c-smt") == 96);
    CHECK(cpus("icelake-2s-32c-smt") == 128);
    CHECK(cpus("rome-2s-64c-smt") == 256);
    CHECK(cpus("milan-2s-48c-smt") == 192);
    CHECK(cpus("milanx-1s-64c-smt") == 128);
    CHECK(cpus("epyc-2s-128c-smt") == 512);
    CHECK(cpus("graviton3-1s-64c") == 64);
    CHECK(cpus("kunpeng-1s-64c") == 64);
    CHECK(shipped_platforms().size() == 11);
}

TEST_CASE("the big EPYC has 16 caches of 8 cores on each socket") {
    const Topology t = *find_platform("epyc-2s-128c-smt");
    CHECK(t.llcs == 32);
    CHECK(t.coherence == Coherence::home);
    CHECK(t.home_node == 0);
    std::vector<int> cpus(t.llcs, 0);
    for (const CpuPlace& place : t.cpus) ++cpus[place.llc];
    CHECK(cpus == std::vector<int>(32, 16));
    CHECK(t.cpus[127] == CpuPlace{127, 15, 0});
    CHECK(t.cpus[128] == CpuPlace{128, 16, 1});
    CHECK(t.cpus[256] == CpuPlace{0, 0, 0});
}

TEST_CASE("a shape takes over the machine it is like, under each of its names") {
    const Topology by_key = topology_of_shape(like("xeon-8375c", 2, 56, 2));
    CHECK(by_key.cpu_count() == 224);
    CHECK(by_key.name == "xeon-8375c-2s-56c-smt");
    for (const char* other : {"icelake", "icelake-2s-32c-smt"}) {
        const Topology t = topology_of_shape(like(other, 2, 56, 2));
        CHECK(t.within_llc == by_key.within_llc);
        CHECK(t.between_llcs == by_key.between_llcs);
        CHECK(t.cpus == by_key.cpus);
    }
}

TEST_CASE("without SMT nothing of SMT is left, and virt goes with the machine") {
    PlatformShape shape = like("xeon-8275cl", 1, 20, 1);
    shape.virt = Virt::pv;
    const Topology t = topology_of_shape(shape);
    CHECK(t.smt.ps == 0);
    CHECK(t.smt_speed_busy == 1024);
    CHECK(t.virt == Virt::pv);
    CHECK(t.name == "xeon-8275cl-1s-20c-pv");
}

TEST_CASE("cores are dealt evenly to caches when they do not divide") {
    const Topology t = topology_of_shape(like("milan", 1, 20, 1));
    CHECK(t.llcs == 3);
    std::vector<int> cores(3, 0);
    for (const CpuPlace& place : t.cpus) ++cores[place.llc];
    CHECK(cores == std::vector<int>{7, 7, 6});
}

TEST_CASE("every fault of a shape is refused with its key") {
    CHECK(complaint(like("xeon-8275cm", 1, 1, 1)) ==
          "platform.like: unknown machine 'xeon-8275cm'; did you mean 'xeon-8275cl'?");
    CHECK(complaint(like("", 1, 1, 1)) == "platform.like: unknown machine ''");
    CHECK(complaint(like("rome", 0, 1, 1)) == "platform.sockets: 0 is not in 1..16");
    CHECK(complaint(like("rome", 17, 1, 1)) == "platform.sockets: 17 is not in 1..16");
    CHECK(complaint(like("rome", 1, 0, 1)) == "platform.cores: 0 is not in 1..4096");
    CHECK(complaint(like("rome", 1, 4'000'000'000, 1)) == "platform.cores: 4000000000 is not in 1..4096");
    CHECK(complaint(like("rome", 1, 8, 3)) == "platform.smt: 3 is not in 1..2");
    CHECK(complaint(like("rome", 16, 129, 2)) == "platform: 4128 CPUs are more than 4096");
    CHECK(complaint(like("graviton3", 1, 8, 2)) ==
          "platform.smt: 'graviton3' has no SMT, so no distance between siblings is known");
    CHECK(complaint(like("graviton3", 2, 8, 1)) ==
          "platform.sockets: 'graviton3' was measured with one socket, so no distance between sockets is known");
    PlatformShape caches = like("rome", 1, 8, 1);
    caches.llcs = 9;
    CHECK(complaint(caches) == "platform.llcs: 9 is not in 0..8");
    caches = like("rome", 1, 2000, 1);
    caches.llcs = 2000;
    CHECK(complaint(caches) == "platform: 2000 last-level caches are more than 1024");
}
