#include "platforms/settings.hpp"

#include <doctest/doctest.h>

#include "platforms/library.hpp"
#include "platforms/machine.hpp"
#include "platforms/topology_text.hpp"
#include "sim/error.hpp"

using namespace forksim;

namespace {

using Settings = std::vector<PlatformSetting>;
using Names = std::vector<std::string>;

std::string complaint(Topology t, const Settings& settings) {
    const std::string before = format_topology(t);
    try {
        apply_platform_settings(t, settings);
    } catch (const InputError& e) {
        CHECK(format_topology(t) == before);
        return e.what();
    }
    return "";
}

}  // namespace

TEST_CASE("three times the cross-socket latency changes transfers between sockets and no other, on Intel") {
    const Topology t = *find_platform("cascadelake-2s-20c-smt");
    Topology slow = t;
    CHECK(apply_platform_settings(slow, Settings{{"cross_socket", "413.16ns"}}).empty());
    for (Cpu a = 0; a < 80; ++a) {
        for (Cpu b = 0; b < 80; ++b) {
            const std::int64_t factor = t.cpus[a].socket == t.cpus[b].socket ? 1 : 3;
            REQUIRE(transfer_cost(slow, a, b, 0) == factor * transfer_cost(t, a, b, 0));
        }
    }
}

TEST_CASE("with home coherence the far socket's transfers pay for the crossing, the home's do not") {
    Topology t = *find_platform("epyc-2s-128c-smt");
    CHECK(apply_platform_settings(t, Settings{{"cross_socket", "600ns"}}).empty());
    CHECK(transfer_cost(t, 0, 8, 0).ps == 118'360);
    CHECK(transfer_cost(t, 0, 128, 0).ps == 600'000);
    CHECK(transfer_cost(t, 128, 0, 0).ps == 600'000);
    CHECK(transfer_cost(t, 128, 136, 0).ps == 600'000);
    CHECK(transfer_cost(t, 128, 136, 1).ps == 118'360);
    CHECK(transfer_cost(t, 0, 1, 0).ps == 22'690);
}

TEST_CASE("a machine of one socket does not notice the cross-socket latency") {
    Topology t = *find_platform("xeon-1s-20c");
    const std::string before = format_topology(t);
    const Names reached_nothing{"smt", "socket", "cross_socket", "smt_speed_busy", "smt_speed_spin"};
    const Settings settings{{"cross_socket", "1us"},
                            {"smt", "1ns"},
                            {"socket", "1ns"},
                            {"smt_speed_spin", "0.1"},
                            {"smt_speed_busy", "0.5"}};
    CHECK(apply_platform_settings(t, settings) == reached_nothing);
    CHECK(format_topology(t) == before);
}

TEST_CASE("setting a machine's own distances changes nothing") {
    Topology t = *find_platform("rome-2s-64c-smt");
    const std::string before = format_topology(t);
    const Settings own{{"smt", "8.05ns"},          {"llc", "25.33ns"},
                       {"socket", "132.11ns"},     {"cross_socket", "266.64ns"},
                       {"llc_hit", "12.67ns"},     {"pause", "15ns"},
                       {"smt_speed_busy", "0.62"}, {"smt_speed_spin", "0.85"},
                       {"coherence", "home"},      {"virt", "none"},
                       {"home_node", "0"},         {"idle_states", "0ns:1us 2us:2us 800us:100us"}};
    CHECK(apply_platform_settings(t, own).empty());
    CHECK(format_topology(t) == before);
}

TEST_CASE("doubled distances double every transfer, in whatever order they are given") {
    const Topology t = *find_platform("rome-2s-64c-smt");
    Topology twice = t;
    const Settings settings{
        {"cross_socket", "533.28ns"}, {"llc", "50.66ns"}, {"socket", "264.22ns"}, {"smt", "16.1ns"}};
    apply_platform_settings(twice, settings);
    for (Cpu a = 0; a < 256; a += 3) {
        for (Cpu b = 0; b < 256; ++b) {
            for (std::uint32_t home = 0; home < 2; ++home) {
                REQUIRE(transfer_cost(twice, a, b, home) == 2 * transfer_cost(t, a, b, home));
            }
        }
    }
}

TEST_CASE("each other key sets what it names") {
    Topology t = *find_platform("milan-2s-48c-smt");
    apply_platform_settings(t, Settings{{"virt", "tas"},
                                        {"coherence", "local"},
                                        {"home_node", "1"},
                                        {"idle_states", "none"},
                                        {"smt_speed_busy", "0.5"},
                                        {"smt_speed_spin", "1"},
                                        {"pause", "60ns"},
                                        {"llc_hit", "1ns"}});
    CHECK(t.virt == Virt::tas);
    CHECK(t.coherence == Coherence::local);
    CHECK(t.home_node == 1);
    CHECK(t.idle_states.empty());
    CHECK(t.smt_speed_busy == 512);
    CHECK(t.smt_speed_spin == 1024);
    CHECK(t.llc_hit.ps == 1000);
    CHECK(t.pause.ps == 60'000);
}

TEST_CASE("a uniform machine can be given any distance, zero too") {
    Topology t = uniform(16);
    CHECK(apply_platform_settings(t, Settings{{"llc", "0ns"}, {"llc_hit", "0ns"}}).empty());
    CHECK(transfer_cost(t, 0, 15, 0).ps == 0);
}

TEST_CASE("a wrong platform setting is refused with its key and leaves the machine alone") {
    const Topology t = *find_platform("milan-2s-48c-smt");
    CHECK(complaint(t, {{"cros_socket", "1ns"}}) == "platform.cros_socket: unknown key; did you mean 'cross_socket'?");
    CHECK(complaint(t, {{"smt", "1ns"}, {"llc", "12"}}) == "platform.llc: '12' is no duration (0..1s)");
    CHECK(complaint(t, {{"smt", "-1ns"}}) == "platform.smt: '-1ns' is no duration (0..1s)");
    CHECK(complaint(t, {{"smt", "2s"}}) == "platform.smt: '2s' is no duration (0..1s)");
    CHECK(complaint(t, {{"smt_speed_busy", "0"}}) == "platform.smt_speed_busy: '0' is no fraction (above 0, up to 1)");
    CHECK(complaint(t, {{"virt", "kvm"}}) == "platform.virt: 'kvm' is no name (none, tas or pv)");
    CHECK(complaint(t, {{"home_node", "2"}}) == "platform.home_node: '2' is no node (0..sockets-1)");
    CHECK(complaint(t, {{"smt", "1ns"}, {"smt", "1ns"}}) == "platform.smt: given twice");
    CHECK(complaint(t, {{"cross_socket", "10ns"}}) ==
          "platform.cross_socket: less than half of what a transfer within the socket costs");
}

TEST_CASE("every settable key is described once") {
    std::vector<std::string> names;
    for (const PlatformKey& key : platform_keys()) {
        names.emplace_back(key.name);
        CHECK_FALSE(key.doc.empty());
        CHECK_FALSE(key.range.empty());
    }
    CHECK(names == Names{"smt", "llc", "socket", "cross_socket", "llc_hit", "pause", "smt_speed_busy", "smt_speed_spin",
                         "idle_states", "virt", "coherence", "home_node"});
}
