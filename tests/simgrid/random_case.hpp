#pragma once
#include <cstdint>
#include <string>

#include "models/spec.hpp"
#include "sim/program.hpp"
#include "sim/topology.hpp"
#include "tests/simgrid/random_machine.hpp"

namespace forksim {

/// All that one replication is made of.
struct Case {
    Program program;
    ModelSpec model;
    Topology topology;
    CoreConfig config;
};

/// A machine, a kernel and a workload that hang together, drawn from `seed`: 1 to 4 locks of any kind (seqcounts under
/// one that spins), 1 to 3 lines, 2 to 24 CPUs on one or two sockets, nested sections in a fixed order, sleep with
/// those held whose waiters sleep, touches, atomics, branches, loops, children that are spawned, put into objects,
/// awaited and end, callbacks, waits for grace periods, a pool, sleep and yields.
Case random_case(std::uint64_t seed, Times times = Times::odd);

}  // namespace forksim
