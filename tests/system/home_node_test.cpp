// Where the kernel's globals have their memory: on machines that ask a line's home on the way from one last-level cache
// to another (dual EPYC), and on those that do not (Intel).
#include <doctest/doctest.h>

#include "tests/system/runs.hpp"

namespace forksim::test {
namespace {

/// Sixteen processes that create and join threads, bound to CPUs `first` and following of a machine.
Compiled spawners(const std::string& machine, const std::string& first_to_last, const std::string& home_node) {
    std::string text = shipped_text("scenarios/threadspawn1.yaml");
    const std::size_t platform = text.find("platform:");
    text.replace(platform, text.find("workload:") - platform, "platform: " + machine + "\n");
    text = replaced(text, "count: {per: cpu}", "count: 16");
    text = replaced(text, "affinity: core", "affinity: {cpus: [" + first_to_last + "]}");
    const TempFolder folder;
    Request request;
    request.scenario = folder.write("spawners.yaml", text);
    request.warmup = "2ms";
    request.duration = "20ms";
    request.sets = {"platform.home_node=" + home_node};
    return compile(request);
}

double per_second(const Compiled& compiled) { return throughput(replications(compiled, 4)).mean; }

}  // namespace

TEST_CASE("on the dual EPYCs threads are created faster on the socket that is home to the kernel's globals") {
    // First threads of the cores of socket 0, then of socket 1.
    struct Machine {
        std::string name, first_socket, second_socket;
    };
    for (const Machine& machine :
         {Machine{"rome-2s-64c-smt", "0-15", "64-79"}, Machine{"milan-2s-48c-smt", "0-15", "48-63"}}) {
        CAPTURE(machine.name);
        const double at_home = per_second(spawners(machine.name, machine.first_socket, "0"));
        const double elsewhere = per_second(spawners(machine.name, machine.second_socket, "0"));
        const double home_elsewhere = per_second(spawners(machine.name, machine.first_socket, "1"));
        MESSAGE(at_home, " ", elsewhere, " ", home_elsewhere);
        CHECK(at_home > 1.1 * elsewhere);
        CHECK(at_home > 1.1 * home_elsewhere);
    }
}

TEST_CASE("on dual Intel machines the home of the kernel's globals changes no number") {
    struct Machine {
        std::string name, both_sockets;
    };
    for (const Machine& machine : {Machine{"broadwell-2s-18c-smt", "10-25"}, Machine{"cascadelake-2s-24c-smt", "16-31"},
                                   Machine{"icelake-2s-32c-smt", "24-39"}}) {
        CAPTURE(machine.name);
        const auto numbers = [&](const std::string& home_node) {
            const Compiled compiled = spawners(machine.name, machine.both_sockets, home_node);
            return text_of(compiled, merged(replications(compiled, 2)));
        };
        CHECK(numbers("0") == numbers("1"));
    }
}

}  // namespace forksim::test
