#pragma once
#include <cstdint>
#include <string>

#include "sim/topology.hpp"

namespace forksim {

/// Which number the second thread of a core gets.
enum class Numbering : std::uint8_t {
    cores_then_siblings,  ///< all first threads, then all second threads (most servers)
    siblings_adjacent,    ///< 0 and 1 share a core, 2 and 3 the next one (most guests)
};

/// A machine of any size, built like a known one: the parametric form of a platform.
struct PlatformShape {
    std::string name;           ///< of the platform; empty: made from the other members
    std::uint32_t sockets = 1;  ///< 1..16
    std::uint32_t cores = 1;    ///< per socket, 1..4096
    std::uint32_t smt = 1;      ///< threads per core, 1..2
    std::uint32_t llcs = 0;     ///< last-level caches per socket, 1..cores; 0: as many as `like` needs for them
    std::string like;           ///< a machine's key or alias (machines.hpp), or the name of a shipped platform
    Numbering numbering = Numbering::cores_then_siblings;
    Virt virt = Virt::none;
    bool operator==(const PlatformShape&) const = default;
};

/// The most CPUs and last-level caches that any platform may have.
inline constexpr std::uint32_t max_platform_cpus = 4096;
inline constexpr std::uint32_t max_platform_llcs = 1024;

/// The topology of `shape`, equal to what SimGrid reads back from generate_platform_xml(shape).
/// Where a socket has several LLCs, they differ in size by one core at most.
/// Throws InputError for an unknown `like`, a number out of range, more CPUs than max_platform_cpus, SMT or a second
/// socket on a machine that was measured without.
Topology topology_of_shape(const PlatformShape& shape);

/// The same machine as a file in SimGrid's platform DTD (README.md of this folder). Throws as topology_of_shape.
std::string generate_platform_xml(const PlatformShape& shape);

/// Names as they stand in files: "none", "tas", "pv"; "local", "home"; "cores_then_siblings", "siblings_adjacent".
const char* name_of(Virt virt);
const char* name_of(Coherence coherence);
const char* name_of(Numbering numbering);

}  // namespace forksim
