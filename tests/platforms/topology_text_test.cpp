#include "platforms/topology_text.hpp"

#include <doctest/doctest.h>

#include "platforms/library.hpp"
#include "sim/error.hpp"

using namespace forksim;

namespace {

const std::string small =
    "forksim-topology 1\n"  // line 1
    "name two\n"
    "clock_mhz 2250\n"
    "virt pv\n"
    "coherence home\n"
    "home_node 1\n"  // 6
    "smt_speed 635 870\n"
    "idle 0 1000\n"
    "idle 2000 5000\n"
    "smt 7\n"  // 10
    "llc_hit 8\n"
    "pause 45\n"
    "size 2 2 2 3\n"  // 13
    "llc 0 within 0\n"
    "llc 1 within 9\n"
    "between 1 100\n"  // 16
    "memory 0 20 30\n"
    "memory 1 31 21\n"
    "cpu 0 0 0 0\n"  // 19
    "cpu 1 1 1 1\n"
    "cpu 2 0 0 0\n"
    "end\n";  // 22

std::string with(const std::string& old_text, const std::string& new_text) {
    std::string text = small;
    const std::size_t at = text.find(old_text);
    REQUIRE(at != std::string::npos);
    return text.replace(at, old_text.size(), new_text);
}

std::string complaint(const std::string& text) {
    try {
        parse_topology(text);
    } catch (const InputError& e) {
        return e.what();
    }
    return "";
}

}  // namespace

TEST_CASE("the text of a topology is read item by item") {
    const Topology t = parse_topology(small);
    CHECK(t.name == "two");
    CHECK(t.clock_ghz == 2.25);
    CHECK(t.virt == Virt::pv);
    CHECK(t.coherence == Coherence::home);
    CHECK(t.home_node == 1);
    CHECK(t.smt_speed_busy == 635);
    CHECK(t.smt_speed_spin == 870);
    REQUIRE(t.idle_states.size() == 2);
    CHECK(t.idle_states[1].after.ps == 2000);
    CHECK(t.idle_states[1].exit.ps == 5000);
    CHECK(t.smt.ps == 7);
    CHECK(t.llc_hit.ps == 8);
    CHECK(t.pause.ps == 45);
    CHECK(t.within_llc[1].ps == 9);
    CHECK(t.between_llcs[1].ps == 100);
    CHECK(t.between_llcs[2].ps == 100);
    CHECK(t.to_memory[1].ps == 30);
    CHECK(t.to_memory[2].ps == 31);
    CHECK(t.cpus == std::vector<CpuPlace>{{0, 0, 0}, {1, 1, 1}, {0, 0, 0}});
}

TEST_CASE("a topology printed and read again prints the same") {
    CHECK(format_topology(parse_topology(small)) == small);
    for (const std::string& name : shipped_platforms()) {
        CAPTURE(name);
        const std::string text = format_topology(*find_platform(name));
        CHECK(format_topology(parse_topology(text)) == text);
    }
    const std::string text = format_topology(uniform(1024, Time{0}));
    CHECK(format_topology(parse_topology(text)) == text);
}

TEST_CASE("each fault in the text of a topology is refused with its line") {
    CHECK(complaint("") == "line 1: expected 'forksim-topology 1'");
    CHECK(complaint(with("topology 1", "topology 2")) == "line 1: expected '1'");
    CHECK(complaint(with("clock_mhz 2250", "clock_mhz fast")) ==
          "line 3: expected the clock, a number in 0..100000, not 'fast'");
    CHECK(complaint(with("virt pv", "virt kvm")) == "line 4: unknown virt 'kvm'");
    CHECK(complaint(with("home_node 1\n", "")) == "line 6: expected 'home_node'");
    CHECK(complaint(with("smt_speed 635", "smt_speed 0")) == "line 7: expected a speed, a number in 1..1024, not '0'");
    CHECK(complaint(with("smt 7\n", "smt 7 8\n")) == "line 10: unexpected '8'");
    CHECK(complaint(with("smt 7\n", "smt -7\n")) ==
          "line 10: expected picoseconds, a number in 0..1000000000000, not '-7'");
    CHECK(complaint(with("smt 7\n", "smt  7\n")).starts_with("line 10: expected picoseconds"));
    CHECK(complaint(with("smt 7\n", "smt 7 \n")) == "line 10: the line ends in a space");
    CHECK(complaint(with("llc 1 within", "llc 0 within")) ==
          "line 15: expected the next LLC, a number in 1..1, not '0'");
    CHECK(complaint(with("cpu 2 0 0 0", "cpu 2 2 0 0")) == "line 21: expected a core, a number in 0..1, not '2'");
    CHECK(complaint(with("end\n", "end\nend\n")) == "line 23: unexpected text after 'end'");
    CHECK(complaint(small.substr(0, small.size() - 16)).starts_with("line 21: "));
}

TEST_CASE("a topology that cannot be a machine is refused") {
    CHECK(complaint(with("home_node 1", "home_node 2")) == "line 22: home_node 2 is not one of the 2 sockets");
    CHECK(complaint(with("cpu 2 0 0 0", "cpu 2 0 1 1")) == "line 22: core 0 is in two LLCs");
    CHECK(complaint(with("cpu 2 0 0 0", "cpu 2 0 0 1")) == "line 22: LLC 0 is in two sockets");
    CHECK(complaint(with("cpu 1 1 1 1", "cpu 1 0 0 0")) == "line 22: core 0 has more than two threads");
    CHECK(complaint(with("size 2 2 2 3", "size 2 2 3 3")) == "line 22: a core has no CPU");
    CHECK(complaint(with("idle 2000", "idle 0")) == "line 22: idle states are not in ascending order");
}
