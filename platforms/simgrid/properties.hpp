#pragma once
#include <map>
#include <string>

#include "platforms/shape.hpp"
#include "sim/topology.hpp"

namespace forksim {

/// What the properties of a machine say beyond what Topology keeps.
struct Properties {
    Numbering numbering = Numbering::cores_then_siblings;
    bool has_smt = false;  ///< `smt` is given
};

/// Reads the properties of the outermost zone into `topology`. Throws InputError naming the property for an unknown
/// one, a value that is no such value, and a missing `coherence` or `llc_hit`.
Properties read_properties(const std::map<std::string, std::string>& properties, Topology& topology);

}  // namespace forksim
