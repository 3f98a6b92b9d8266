#pragma once
#include "scenarios/library.hpp"
#include "scenarios/resolve.hpp"

namespace forksim::language {

/// Gives the uncertain values of `resolved` those that they have in the world it asks for, a row of the kernel's table.
/// What they reach is the kernel as it stands, so this comes before versions that are like it, before patches and
/// before settings. A fault if there is no such row.
void apply_world(const KernelDocument& kernel, Library& library, Resolved& resolved, Diagnostics& faults);

}  // namespace forksim::language
