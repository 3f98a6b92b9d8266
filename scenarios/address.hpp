#pragma once
#include <string>
#include <vector>

#include "scenarios/ast.hpp"

namespace forksim::language {

/// Where a step stands. Valid until its list changes.
struct Place {
    Function* function = nullptr;
    std::vector<Step>* list = nullptr;
    std::size_t index = 0;

    Step& step() const { return (*list)[index]; }
};

/// What was there before a patch was applied.
struct Before {
    std::string patch;
    Definitions define;
};

/// What addresses are looked up in, and how messages speak of it.
struct Searched {
    Definitions& define;
    std::string description;          ///< "kernel linux-6.19 with pidmap-once"
    std::string patch;                ///< the patch that asks; empty: none does
    const std::vector<Before>& past;  ///< one for each patch applied before, in that order
};

/// The steps that an address names, outer and earlier ones first.
///
/// `FUNCTION/STEP` is the step of that name anywhere in the function, or the step that was defined there and has moved;
/// each further `/PART` is a step directly inside (branches, loops and the like without a name are seen through). `*`
/// stands for any one step, `a|b` for whichever exists. A bare `STEP` is every step of that name.
/// An address that names nothing, or both of two alternatives, is a fault at `mark`. If it named something before a
/// patch was applied, that patch is named.
std::vector<Place> find_steps(const Searched& where, const std::string& address, const Mark& mark, Diagnostics& faults);

/// The addresses of all steps, for listings and suggestions.
std::vector<std::string> step_addresses(const Definitions& define);

}  // namespace forksim::language
