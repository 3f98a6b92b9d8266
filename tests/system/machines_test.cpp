// threadspawn1 on machines of every size, and who feels the way between two sockets.
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "platforms/library.hpp"
#include "tests/system/runs.hpp"

namespace forksim::test {
namespace {

Request threadspawn1(std::uint32_t cpus) {
    Request request;
    request.scenario = "threadspawn1";
    request.cpus = cpus;
    request.warmup = "1ms";
    request.duration = "2ms";
    return request;
}

struct Machine {
    std::uint32_t cpus;
    std::string platform;  ///< empty: the one that threadspawn1 has for so many CPUs
    std::string composition;
    std::uint32_t sockets;
};

std::string sockets_and_numbers(const Compiled& compiled) {
    return compiled.hash + '\n' + text_of(compiled, merged(replications(compiled, 2)));
}

/// threadspawn1 for a short time on a machine as `platform:` takes it, for each of the ways to wait for spinlocks.
std::map<std::string, Compiled> compile_on(const std::string& platform) {
    std::string text = shipped_text("scenarios/threadspawn1.yaml");
    const std::size_t at = text.find("platform:");
    text.replace(at, text.find("workload:") - at, "platform: " + platform + "\n");
    const TempFolder folder;
    Request request = threadspawn1(0);
    request.scenario = folder.write("threadspawn1.yaml", text);
    request.cpus.reset();
    request.warmup = "3ms";  // 512 CPUs need some time before the first of them has its turn
    std::map<std::string, Compiled> machines;
    for (const std::string virt : {"none", "tas", "pv"}) {
        request.sets = {"platform.virt=" + virt};
        machines.emplace(virt, compile(request));
    }
    return machines;
}

void check_runs(const std::map<std::string, Compiled>& machines, std::uint32_t cpus, std::uint32_t sockets) {
    std::set<std::string> different;
    for (const auto& entry : machines) {
        const Compiled& machine = entry.second;
        CAPTURE(machine.banner.composition);
        CAPTURE(entry.first);
        CHECK(machine.topology.cpu_count() == cpus);
        CHECK(machine.topology.sockets == sockets);
        const Record record = replications(machine, 1)[0];
        CHECK(record.counts[0] > 50);
        std::int64_t used = 0;
        for (const std::int64_t use : record.cpu_use_ps) used += use;
        CHECK(used == record.window.ps * cpus);
        different.insert(text_of(machine, record));
    }
    CHECK(different.size() == 3);
}

}  // namespace

TEST_CASE("threadspawn1 boots cores first, then siblings, and runs on 10 to 512 CPUs") {
    for (const Machine& machine :
         {Machine{10, "xeon-1s-20c", "10 CPUs: 1 socket x 10 cores", 1},
          Machine{20, "xeon-1s-20c", "20 CPUs: 1 socket x 20 cores", 1},
          Machine{40, "cascadelake-2s-20c-smt", "40 CPUs: 2 sockets x 20 cores", 2},
          Machine{80, "cascadelake-2s-20c-smt", "80 CPUs: 2 sockets x 20 cores x 2 threads", 2},
          Machine{256, "epyc-2s-128c-smt", "256 CPUs: 2 sockets x 128 cores", 2},
          Machine{512, "epyc-2s-128c-smt", "512 CPUs: 2 sockets x 128 cores x 2 threads", 2}}) {
        CAPTURE(machine.cpus);
        const Compiled compiled = compile(threadspawn1(machine.cpus));
        CHECK(compiled.banner.platform == machine.platform);
        CHECK(compiled.banner.composition == machine.composition);
        CHECK(compiled.topology.cpu_count() == machine.cpus);
        CHECK(compiled.program.roots.size() == machine.cpus);
        const Record record = replications(compiled, 1)[0];
        CHECK(record.counts[0] > 50);
        std::int64_t used = 0;
        for (const std::int64_t use : record.cpu_use_ps) used += use;
        CHECK(used == record.window.ps * machine.cpus);
    }
}

TEST_CASE("three times the way between sockets changes runs on two sockets, and no number of any other") {
    for (const Machine& machine :
         {Machine{10, "", "", 1}, Machine{20, "", "", 1}, Machine{20, "cascadelake-2s-20c-smt", "", 1},
          Machine{128, "epyc-2s-128c-smt", "", 1}, Machine{21, "", "", 2}, Machine{40, "", "", 2},
          Machine{80, "", "", 2}, Machine{129, "", "", 2}, Machine{512, "", "", 2}}) {
        CAPTURE(machine.cpus);
        CAPTURE(machine.platform);
        Request request = threadspawn1(machine.cpus);
        if (!machine.platform.empty()) request.platform = machine.platform;
        request.sets = {"platform.cross_socket=200ns"};
        const Compiled near = compile(request);
        request.sets = {"platform.cross_socket=600ns"};
        const Compiled far = compile(request);
        const bool same = sockets_and_numbers(near) == sockets_and_numbers(far);
        CHECK(same == (machine.sockets == 1));
    }
}

TEST_CASE("every shipped machine boots with all its CPUs, bare or under a hypervisor, and creates threads") {
    for (const std::string& name : shipped_platforms()) {
        const Topology machine = *find_platform(name);
        check_runs(compile_on(name), machine.cpu_count(), machine.sockets);
    }
}

TEST_CASE("machines of sizes that nobody ships boot and create threads, bare or under a hypervisor") {
    struct Shape {
        std::uint32_t sockets, cores, smt;
        std::string like;
    };
    for (const Shape& shape : {Shape{2, 56, 2, "icelake"}, Shape{2, 96, 1, "milan"}, Shape{2, 48, 2, "cascadelake"},
                               Shape{4, 18, 2, "broadwell"}, Shape{2, 128, 2, "rome"}}) {
        check_runs(compile_on("{sockets: " + std::to_string(shape.sockets) + ", cores: " + std::to_string(shape.cores) +
                              ", smt: " + std::to_string(shape.smt) + ", like: " + shape.like + "}"),
                   shape.sockets * shape.cores * shape.smt, shape.sockets);
    }
}

TEST_CASE("two sockets further apart create fewer threads") {
    Request request = threadspawn1(40);
    request.duration = "10ms";
    const double near = throughput(replications(compile(request), 3)).mean;
    request.sets = {"platform.cross_socket=413.16ns"};  // three times the machine's 137.72 ns
    const double far = throughput(replications(compile(request), 3)).mean;
    CHECK(far < 0.7 * near);
}

}  // namespace forksim::test
