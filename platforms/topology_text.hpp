#pragma once
#include <string>
#include <string_view>

#include "sim/topology.hpp"

namespace forksim {

/// The compact text of a topology, which `forksim-simgrid topology` prints. One item a line, words separated by one
/// space, all times in whole picoseconds, no blank lines and no comments; in this order:
///
///     forksim-topology 1
///     name WORD
///     clock_mhz N                      0..100000
///     virt none|tas|pv
///     coherence local|home
///     home_node N                      < SOCKETS
///     smt_speed BUSY SPIN              1/1024 each, 1..1024
///     idle AFTER EXIT                  any number of these, ascending in AFTER
///     smt PS
///     llc_hit PS
///     pause PS
///     size SOCKETS LLCS CORES CPUS
///     llc I within PS                  one per LLC, in order
///     between I PS...                  for I = 1..LLCS-1: the distances to the LLCs 0..I-1
///     memory I PS...                   one per LLC: the distances to the memory of nodes 0..SOCKETS-1
///     cpu I CORE LLC SOCKET            one per CPU, in order
///     end
std::string format_topology(const Topology& topology);

/// Reads what format_topology prints. Strict: throws InputError "line N: what is wrong, what was expected" for anything
/// else, a machine that check_topology refuses included.
Topology parse_topology(std::string_view text);

/// Throws InputError naming the first fault: a bad name, no CPUs or too many, a core in two LLCs, an LLC in two
/// sockets, an LLC or core without CPUs, more than two threads on a core, tables of the wrong size, a time outside 0..1
/// s, speeds outside 1..1024, a home node that does not exist, idle states out of order.
void check_topology(const Topology& topology);

}  // namespace forksim
