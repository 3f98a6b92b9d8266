#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/shape.hpp"
#include "sim/topology.hpp"

namespace forksim {

/// The shipped machines, one XML file each; the order of listings.
std::span<const PlatformShape> shipped_shapes();

/// The shape of the shipped machine with this name, or null.
const PlatformShape* find_shipped_shape(std::string_view name);

/// The names of the shipped machines, `uniform-N` not among them.
std::vector<std::string> shipped_platforms();

/// `n` cores of one socket and one last-level cache, no SMT, `distance` between every two, half of it for an LLC hit,
/// nothing extra for waking. Throws InputError unless n is 1..1024 and distance 0..1 s.
Topology uniform(std::uint32_t n, Time distance = Time::from_ns(50));

/// The machine called `name`: a shipped one or `uniform-N`; nothing if there is none.
///
/// A shipped one is read from `converted`/NAME.topology, where the build put what SimGrid made of the XML file; if
/// there is no such file it is computed from its shape, which gives the same. Throws InputError for `uniform-N` with N
/// out of range and for a converted file with an error.
std::optional<Topology> find_platform(std::string_view name, const std::filesystem::path& converted = {});

/// The machine described by a file in SimGrid's platform DTD, read by the helper `forksim-simgrid` in a process of its
/// own. Throws InputError, in one line, if the file is missing or wrong, if SimGrid aborts on it, or if reading takes
/// longer than `limit`.
Topology load_platform_file(const std::filesystem::path& file, const std::filesystem::path& helper,
                            std::chrono::milliseconds limit = std::chrono::seconds(20));

}  // namespace forksim
