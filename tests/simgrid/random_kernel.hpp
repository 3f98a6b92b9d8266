#pragma once
#include <cstdint>
#include <vector>

#include "models/spec.hpp"
#include "sim/program.hpp"
#include "tests/simgrid/random_machine.hpp"

namespace forksim {

/// What programs must know of a kernel that was drawn.
struct RandomKernel {
    std::uint32_t first_irq_off = 0;       ///< locks from there on that spin are taken with interrupts off
    std::uint32_t touch_lists = 0;         ///< the first ones touch lines
    std::vector<std::uint32_t> puts_in;    ///< touch lists that put a child into an object
    std::vector<std::uint32_t> takes_out;  ///< and take itself out
};

/// Do those who hold and await a lock of that kind keep their CPU? Seqcounts are neither.
bool spins(const LockSpec& lock);

/// Draws lines, locks, objects and the like for `model`, with their tables in `program`.
RandomKernel random_kernel(Dice& dice, Program& program, ModelSpec& model);

}  // namespace forksim
