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

/// The steps that an address names, outer and earlier ones first.
///
/// `FUNCTION/STEP` is the step of that name anywhere in the function, or the step that was defined there and has moved;
/// each further `/PART` is a step directly inside (branches, loops and the like without a name are seen through). `*`
/// stands for any one step, `a|b` for whichever exists. A bare `STEP` is every step of that name.
/// An address that names nothing, or both of two alternatives, is a fault at `mark`; `where` describes what was
/// searched.
std::vector<Place> find_steps(Definitions& define, const std::string& address, const Mark& mark,
                              const std::string& where, Diagnostics& faults);

/// The addresses of all steps, for listings and suggestions.
std::vector<std::string> step_addresses(const Definitions& define);

}  // namespace forksim::language
