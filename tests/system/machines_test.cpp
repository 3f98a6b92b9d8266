// threadspawn1 on machines of every size, and who feels the way between two sockets.
#include <doctest/doctest.h>

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

TEST_CASE("two sockets further apart create fewer threads") {
    Request request = threadspawn1(40);
    request.duration = "10ms";
    const double near = throughput(replications(compile(request), 3)).mean;
    request.sets = {"platform.cross_socket=413.16ns"};  // three times the machine's 137.72 ns
    const double far = throughput(replications(compile(request), 3)).mean;
    CHECK(far < 0.7 * near);
}

}  // namespace forksim::test
