#pragma once
#include <cstdint>

#include "models/line.hpp"
#include "models/spec.hpp"
#include "sim/time.hpp"

namespace forksim {

/// What the accesses of one step cost, one after the other: those that the next one needs (read, write) a full
/// transfer, those that overlap with what follows (peek, store) the weight `overlap` of one.
struct TouchCost {
    Lines& lines;
    Cpu cpu;                ///< who executes the step
    Time at;                ///< how far the step has got
    std::uint32_t overlap;  ///< in 1/1024 of a transfer

    void access(LineId id, Access kind) { add(transfer(id, kind), kind); }

    /// How long the line takes to be there, weighted with nothing.
    Time transfer(LineId id, Access kind) {
        const bool writes = kind == Access::write || kind == Access::store;
        return (writes ? lines.write(id, cpu, at) : lines.read(id, cpu, at)) - at;
    }
    void add(Time cost, Access kind) { at += Time{cost.ps * weight(kind, overlap) / 1024}; }

    static std::uint32_t weight(Access kind, std::uint32_t overlap) {
        return kind == Access::peek || kind == Access::store ? overlap : 1024;
    }
};

}  // namespace forksim
