#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/time.hpp"

namespace forksim {

/// Index of a logical CPU, in the order in which the machine brings them online.
using Cpu = std::uint32_t;
inline constexpr Cpu no_cpu = ~Cpu{0};

/// How a cache line is found when its last owner is in another last-level cache.
enum class Coherence : std::uint8_t {
    local,  ///< the owner answers directly: the cost is the distance me - owner
    home,   ///< the line's home memory is asked first: half the triangle me - home - owner
};

/// How guests of a hypervisor wait for a spinlock (chosen at boot, for every spinlock).
enum class Virt : std::uint8_t { none, tas, pv };

/// An idle state of a CPU: entered once it has been idle for `after`, costs `exit` on wake-up.
struct IdleState {
    Time after;  ///< how long the CPU must have been idle, >= 0
    Time exit;   ///< what leaving it adds to a wake-up, >= 0
};

/// Where a logical CPU sits. All indices count from zero over the whole machine.
struct CpuPlace {
    std::uint32_t core;    ///< SMT siblings share a core
    std::uint32_t llc;     ///< last-level cache domain
    std::uint32_t socket;  ///< socket; also the NUMA node of its memory
    bool operator==(const CpuPlace&) const = default;
};

/// A machine as the simulator sees it: who sits where and what moving a cache line costs.
/// Plain data, immutable after construction. Distances are one-way times of a 64-byte line and symmetric.
struct Topology {
    std::string name;
    std::vector<CpuPlace> cpus;  ///< by logical CPU number, boot order (see `numbering` in platforms/)
    std::uint32_t cores = 0;
    std::uint32_t llcs = 0;
    std::uint32_t sockets = 0;

    Time smt;                        ///< dirty line between two siblings of one core
    std::vector<Time> within_llc;    ///< [llc] dirty line between two cores of that LLC
    std::vector<Time> between_llcs;  ///< [a * llcs + b] distance between cores of two LLCs (diagonal unused)
    std::vector<Time> to_memory;     ///< [llc * sockets + node] distance from a core to a node's memory
    Time llc_hit;                    ///< clean line found in one's own LLC
    Time pause;                      ///< between two looks of one who polls a line (cpu_relax()); 0: looks all the time
    Coherence coherence = Coherence::local;
    std::uint32_t home_node = 0;  ///< node that holds the kernel's global data

    Virt virt = Virt::none;
    double clock_ghz = 0;  ///< information only
    /// Speed of one thread, in 1/1024 of its speed alone on the core (1..1024), by what its sibling does.
    std::uint32_t smt_speed_busy = 1024;
    std::uint32_t smt_speed_spin = 1024;
    std::vector<IdleState> idle_states;  ///< ascending in `after`; empty: waking costs nothing extra

    Cpu cpu_count() const { return static_cast<Cpu>(cpus.size()); }
};

}  // namespace forksim
