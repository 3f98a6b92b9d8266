#include <algorithm>
#include <string>
#include <string_view>

#include "platforms/names.hpp"
#include "platforms/shape.hpp"
#include "platforms/topology_text.hpp"
#include "sim/error.hpp"

namespace forksim {
namespace {

void require(bool condition, std::string_view message) {
    if (!condition) throw InputError(std::string(message));
}

void require_time(Time time, const char* what) {
    if (time >= Time{0} && time <= Time::from_s(1)) return;
    throw InputError(std::string(what) + ": " + std::to_string(time.ps) + " ps is not in 0..1 s");
}

std::string core_name(const CpuPlace& place) { return "core " + std::to_string(place.core); }

void check_places(const Topology& t) {
    std::vector<std::uint32_t> threads(t.cores, 0);
    std::vector<std::uint32_t> llc_of_core(t.cores, t.llcs);
    std::vector<std::uint32_t> socket_of_llc(t.llcs, t.sockets);
    for (const CpuPlace& place : t.cpus) {
        require(place.core < t.cores && place.llc < t.llcs && place.socket < t.sockets,
                "a CPU's core, LLC or socket is beyond the number of cores, LLCs or sockets");
        if (++threads[place.core] > 2) throw InputError(core_name(place) + " has more than two threads");
        std::uint32_t& llc = llc_of_core[place.core];
        if (llc != t.llcs && llc != place.llc) throw InputError(core_name(place) + " is in two LLCs");
        llc = place.llc;
        std::uint32_t& socket = socket_of_llc[place.llc];
        if (socket != t.sockets && socket != place.socket) {
            throw InputError("LLC " + std::to_string(place.llc) + " is in two sockets");
        }
        socket = place.socket;
    }
    require(std::ranges::find(threads, 0U) == threads.end(), "a core has no CPU");
    require(std::ranges::find(socket_of_llc, t.sockets) == socket_of_llc.end(), "an LLC has no CPU");
}

}  // namespace

void check_topology(const Topology& t) {
    if (!is_platform_name(t.name)) {
        std::string message("no name of a machine (letters, digits, '.', '_' and '-' only): ");
        throw InputError(message.append(t.name, 0, 100));
    }
    require(!t.cpus.empty(), "a machine has at least one CPU");
    require(t.cpus.size() <= max_platform_cpus,
            std::to_string(t.cpus.size()) + " CPUs are more than " + std::to_string(max_platform_cpus));
    require(t.llcs <= max_platform_llcs,
            std::to_string(t.llcs) + " last-level caches are more than " + std::to_string(max_platform_llcs));
    require(t.cores <= t.cpus.size() && t.sockets >= 1 && t.sockets <= 64, "bad number of cores or sockets");
    check_places(t);
    require(t.within_llc.size() == t.llcs && t.between_llcs.size() == std::size_t{t.llcs} * t.llcs &&
                t.to_memory.size() == std::size_t{t.llcs} * t.sockets,
            "a table of distances has the wrong size");
    require_time(t.smt, "smt");
    require_time(t.llc_hit, "llc_hit");
    require_time(t.pause, "pause");
    for (const Time time : t.within_llc) require_time(time, "distance within an LLC");
    for (const Time time : t.between_llcs) require_time(time, "distance between LLCs");
    for (const Time time : t.to_memory) require_time(time, "distance to memory");
    for (std::size_t a = 0; a < t.llcs; ++a) {
        for (std::size_t b = 0; b < a; ++b) {
            if (t.between_llcs[a * t.llcs + b] == t.between_llcs[b * t.llcs + a]) continue;
            throw InputError("the distance between LLCs " + std::to_string(b) + " and " + std::to_string(a) +
                             " differs by direction");
        }
    }
    require(t.home_node < t.sockets, "home_node " + std::to_string(t.home_node) + " is not one of the " +
                                         std::to_string(t.sockets) + " sockets");
    for (const std::uint32_t speed : {t.smt_speed_busy, t.smt_speed_spin}) {
        require(speed >= 1 && speed <= 1024, "an SMT speed is not in 1..1024 of 1024");
    }
    for (std::size_t i = 0; i < t.idle_states.size(); ++i) {
        require_time(t.idle_states[i].after, "idle state");
        require_time(t.idle_states[i].exit, "idle state");
        require(i == 0 || t.idle_states[i - 1].after < t.idle_states[i].after,
                "idle states are not in ascending order");
    }
}

}  // namespace forksim
