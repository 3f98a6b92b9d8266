#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "sim/topology.hpp"

namespace forksim {

/// A machine whose distances are known: what `like:` names. One row of the table in machines.cpp.
///
/// The distances are medians of a measured matrix, half a compare-and-swap round trip, that is, the cost of
/// moving one dirty line, in picoseconds. They are multiples of 10 ps, so that their halves are exact.
struct Machine {
    std::string_view key;         ///< what `like:` names
    std::string_view alias;       ///< a second name for it, or empty
    std::string_view source;      ///< the measured row, or a text that begins with "ESTIMATE"
    Time smt;                     ///< between siblings; 0: the machine has no SMT
    Time llc;                     ///< between two cores of one last-level cache
    Time socket;                  ///< between two last-level caches of the home node's socket; 0: a socket has one
    Time cross_socket;            ///< between sockets; 0: measured with one socket only
    Time llc_hit;                 ///< clean line in one's own last-level cache (estimate: half of `llc`)
    Time pause;                   ///< between two looks of one who polls a line (estimate)
    std::uint32_t cores_per_llc;  ///< 0: the last-level cache spans the socket
    Coherence coherence;
    std::uint32_t clock_mhz;
    std::span<const IdleState> idle_states;  ///< estimates
    double smt_speed_busy;                   ///< estimate; fraction of the speed alone, while the sibling computes
    double smt_speed_spin;                   ///< estimate; the same while the sibling spins with PAUSE
};

/// All known machines, in the order of the table.
std::span<const Machine> machines();

/// The machine with this key or alias, or null.
const Machine* find_machine(std::string_view key);

}  // namespace forksim
