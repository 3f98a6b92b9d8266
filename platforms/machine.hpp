#pragma once
#include <cstdint>
#include <string>

#include "sim/topology.hpp"

namespace forksim {

/// What it costs `me` to get a line that `owner` has modified, for a line whose home is the memory of `home_node`.
///
/// Same CPU: nothing; same core: `smt`; same last-level cache: `within_llc`; else, with `coherence: local`, the
/// distance between the two caches, and with `coherence: home` half the triangle (me to home) + (home to owner) +
/// (owner to me), rounded down to a picosecond. Requires valid CPUs and home_node < sockets.
Time transfer_cost(const Topology& topology, Cpu me, Cpu owner, std::uint32_t home_node);

/// The machine with its first `n` CPUs online: first threads of the cores in order, then second threads in order.
///
/// The CPUs keep the order of their numbers and are renumbered without gaps; cores, LLCs and sockets left without a CPU
/// are dropped, but for a socket whose number is not above the home node's (its memory stays). Booting all CPUs changes
/// nothing. Throws InputError if n is 0 or more than the machine has.
Topology boot(const Topology& topology, std::uint32_t n);

/// The machine in words: "80 CPUs: 2 sockets x 20 cores x 2 threads" where every socket and core is alike, else
/// "60 CPUs: 40 cores on 2 sockets, 20 with both siblings".
std::string composition(const Topology& topology);

}  // namespace forksim
