#pragma once
#include "platforms/machines.hpp"
#include "platforms/shape.hpp"

namespace forksim {

/// A shape with nothing left open: checked, named, `llcs` filled in, `like` looked up.
struct ResolvedShape {
    PlatformShape shape;
    const Machine* like;

    /// The cost between two LLCs of one socket; a machine whose LLC spans the socket counts its own distance.
    Time within_socket() const { return like->socket.ps != 0 ? like->socket : like->llc; }

    /// Cores are dealt to the LLCs of their socket in order and evenly.
    std::uint32_t llc_of_core(std::uint32_t core) const {
        const std::uint32_t socket = core / shape.cores;
        return socket * shape.llcs + core % shape.cores * shape.llcs / shape.cores;
    }
};

/// Throws InputError as topology_of_shape does.
ResolvedShape resolve_shape(const PlatformShape& shape);

/// A fraction in (0, 1] as the 1/1024 of Topology.
std::uint32_t speed_from_fraction(double fraction);

}  // namespace forksim
