#pragma once
#include <cstdint>
#include <vector>

#include "models/memory.hpp"
#include "models/scope.hpp"
#include "models/spec.hpp"
#include "models/touch_cost.hpp"
#include "sim/check.hpp"
#include "sim/core.hpp"

namespace forksim {

/// The named lines of a kernel: which LineId a step touches, and what its touches cost.
class LineTable {
  public:
    LineTable(const ModelSpec& spec, ScopeIndex& scopes, Memory& memory)
        : spec_(spec), scopes_(scopes), memory_(memory) {
        for (const LineSpec& line : spec.lines) {
            first_.push_back(static_cast<std::uint32_t>(ids_.size()));
            for (std::uint32_t i = 0; i < scopes.count(line.per); ++i)
                ids_.push_back(memory.lines.add(scopes.home(line.per, i)));
        }
    }

    /// The first instance of a line, for locks that share it.
    LineId first(std::uint32_t line) const { return ids_[first_[line]]; }

    /// An instance of a line.
    LineId instance(std::uint32_t line, std::uint32_t number) const { return ids_[first_[line] + number]; }

    /// What a step touches, one after the other: what the next access needs costs a full transfer, what overlaps the
    /// weight `overlap` of one. `objects(touch, cost)` carries out the operations on objects.
    template <class C, class Objects>
    Outcome touch(const C& core, Task t, const Op& op, Objects objects) {
        const Time now = core.now();
        TouchCost cost{memory_.lines, core.cpu_of(t), now, spec_.overlap};
        std::uint64_t bits = 0;
        for (const Touch& touch : spec_.touch_lists[op.a]) {
            if (touch.object) {
                objects(touch, cost);
                continue;
            }
            const LineSpec& line = spec_.lines[touch.line];
            for (std::uint32_t i = 0; i < touch.count; ++i) {
                Time taken;
                Time waits;  // for a transfer to another CPU: the further lines follow that one's
                if (line.far) {
                    if (bits == 0) bits = core.draw(t, op.b) | std::uint64_t{1} << 63;
                    taken = neighbour(core, t, bits);
                    bits = bits * 0x5851F42D4C957F2D + 0x14057B7EF767814F;
                } else {
                    const LineId id = ids_[scopes_.instance(core, line.per, first_[touch.line], t)];
                    if (line.lines > 1) waits = later(memory_.lines.free_at(id) - cost.at, Time{});
                    taken = cost.transfer(id, touch.access);
                }
                if (line.lines > 1) taken += (line.lines - 1) * (taken - earlier(waits, taken));
                cost.add(taken, touch.access);
            }
        }
        if (cost.at == now) return {};
        return {Outcome::busy, Part::lines, false, false, cost.at - now};
    }

    /// A step that touches lines only.
    template <class C>
    Outcome touch(const C& core, Task t, const Op& op) {
        return touch(core, t, op,
                     [](const Touch&, TouchCost&) { FORKSIM_CHECK(false, "nobody replays objects here"); });
    }

    /// One locked read-modify-write on a line of its own.
    template <class C>
    Outcome atomic(const C& core, Task t, const Op& op) {
        const LineSpec& line = spec_.lines[op.a];
        const LineId id = ids_[scopes_.instance(core, line.per, first_[op.a], t)];
        const Time done = memory_.rmw(id, core.cpu_of(t), core.now());
        if (done == core.now()) return {};
        return {Outcome::busy, Part::lines, false, false, done - core.now()};
    }

  private:
    /// A list neighbour: the task_struct of some other CPU's task, drawn evenly, at home with that CPU.
    template <class C>
    Time neighbour(const C& core, Task t, std::uint64_t bits) const {
        const Cpu cpu = core.cpu_of(t);
        const Cpu count = core.topology().cpu_count();
        if (count == 1) return {};
        const Cpu other = (cpu + 1 + static_cast<Cpu>((bits >> 32) % (count - 1))) % count;
        return memory_.lines.transfer(cpu, other, core.topology().cpus[other].socket);
    }

    const ModelSpec& spec_;
    ScopeIndex& scopes_;
    Memory& memory_;
    std::vector<std::uint32_t> first_;  // by line of the spec: its first instance
    std::vector<LineId> ids_;           // by instance
};

}  // namespace forksim
