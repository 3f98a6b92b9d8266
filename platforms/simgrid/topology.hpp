#pragma once
#include <string>

#include "sim/topology.hpp"

namespace forksim {

/// The machine that SimGrid makes of a platform file (its form: README.md of platforms/).
///
/// Reads every latency from the routes that SimGrid computes. Throws InputError "FILE: what is wrong" in one line for
/// what forksim demands beyond the DTD; what SimGrid itself refuses may throw, exit or abort the process, and the
/// process can read one file only.
Topology topology_from_simgrid(const std::string& file);

}  // namespace forksim
