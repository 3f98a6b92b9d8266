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
            const std::uint32_t count = scopes.count(line.per);
            lines_.push_back({static_cast<LineId>(memory.lines.size()), count, scopes.prepare(line.per),
                              static_cast<std::uint32_t>(lines_.size())});
            for (std::uint32_t i = 0; i < count; ++i) memory.lines.add(scopes.home(line.per, i));
        }
        later_.resize(lines_.size());
        for (const std::vector<Touch>& list : spec.touch_lists) {
            lists_.push_back({static_cast<std::uint32_t>(steps_.size()), static_cast<std::uint32_t>(list.size())});
            for (const Touch& touch : list) steps_.push_back(prepare(touch));
        }
    }

    /// The instance of a line that instance `number` of something of scope `per` shares, its own or the only one.
    LineId shared(std::uint32_t line, const ScopeSpec& per, std::uint32_t number) const {
        return at(lines_[line], spec_.lines[line].per == per ? number : 0);
    }

    /// The lines of a new process or task, just filled in by whoever makes it.
    void born(const Birth& birth) {
        for (std::uint32_t i = 0; i < lines_.size(); ++i) {
            const ScopeSpec& per = spec_.lines[i].per;
            if (per.scope != birth.scope) continue;
            const Place& place = lines_[i];
            while (place.count + later_[i].size() <= birth.number)
                later_[i].push_back(memory_.lines.add(scopes_.home(per, birth.number)));
            if (birth.maker != no_cpu) memory_.lines.renew(at(place, birth.number), birth.maker);
        }
    }

    /// What a step touches, one after the other: what the next access needs costs a full transfer, what overlaps the
    /// weight `overlap` of one. `others.operate(touch, cost)` carries out the operations on objects;
    /// `others.number(touch, per)` is the instance of somebody else's line.
    template <class C, class Others>
    Outcome touch(const C& core, Task t, const Op& op, const Others& others) {
        const Time now = core.now();
        TouchCost cost{memory_.lines, core.cpu_of(t), now, spec_.overlap};
        std::uint64_t bits = 0;
        const List list = lists_[op.a];
        const Prepared* const end = steps_.data() + list.first + list.count;
        for (const Prepared* step = end - list.count; step != end; ++step) {
            if (step->what == Prepared::object) {
                others.operate(*step->touch, cost);
                continue;
            }
            for (std::uint32_t i = 0; i < step->count; ++i) {
                Time taken;
                Time waits;  // for a transfer to another CPU: the further lines follow that one's
                if (step->what == Prepared::far_line) {
                    if (bits == 0) bits = core.draw(t, op.b) | std::uint64_t{1} << 63;
                    taken = neighbour(core, t, bits);
                    bits = bits * 0x5851F42D4C957F2D + 0x14057B7EF767814F;
                } else {
                    const std::uint32_t number = step->what == Prepared::near_line
                                                     ? scopes_.at(core, step->line.scope, t)
                                                     : others.number(*step->touch, spec_.lines[step->line.line].per);
                    const LineId id = at(step->line, number);
                    if (step->lines > 1) waits = later(memory_.lines.free_at(id) - cost.at, Time{});
                    taken = cost.transfer(id, step->access);
                }
                if (step->lines > 1) taken += (step->lines - 1) * (taken - earlier(waits, taken));
                cost.at += Time{taken.ps * step->weight / 1024};
            }
        }
        if (cost.at == now) return {};
        return {Outcome::busy, Part::lines, false, false, cost.at - now};
    }

    /// A step that touches lines only.
    template <class C>
    Outcome touch(const C& core, Task t, const Op& op) {
        struct {
            void operate(const Touch&, TouchCost&) const { FORKSIM_CHECK(false, "nobody replays objects here"); }
            std::uint32_t number(const Touch&, const ScopeSpec&) const { return 0; }
        } const nobody;
        return touch(core, t, op, nobody);
    }

    /// One locked read-modify-write on a line of its own.
    template <class C>
    Outcome atomic(const C& core, Task t, const Op& op) {
        const LineId id = at(lines_[op.a], scopes_.at(core, lines_[op.a].scope, t));
        const Time done = memory_.rmw(id, core.cpu_of(t), core.now());
        if (done == core.now()) return {};
        return {Outcome::busy, Part::lines, false, false, done - core.now()};
    }

  private:
    /// Where the instances of a line are.
    struct Place {
        LineId first;
        std::uint32_t count;  // from `first` on, when the run begins; what is born later is in later_
        std::uint32_t scope;  // ScopeIndex::prepare()
        std::uint32_t line;   // of the spec
    };
    /// A Touch and what must be known of its line, side by side.
    struct Prepared {
        enum What : std::uint8_t { near_line, others_line, far_line, object };
        Place line;
        What what;
        Access access;
        std::uint8_t count;
        std::uint8_t lines;
        std::uint32_t weight;  // of a transfer, in 1/1024
        const Touch* touch;
    };
    struct List {
        std::uint32_t first;  // of steps_
        std::uint32_t count;
    };

    Prepared prepare(const Touch& touch) const {
        if (touch.object) return {{}, Prepared::object, touch.access, 1, 1, 1024, &touch};
        const LineSpec& line = spec_.lines[touch.line];
        FORKSIM_CHECK(line.lines <= 64, "too many lines that travel together");
        return {lines_[touch.line],
                line.far                     ? Prepared::far_line
                : touch.whose == Whose::self ? Prepared::near_line
                                             : Prepared::others_line,
                touch.access,
                touch.count,
                static_cast<std::uint8_t>(line.lines),
                TouchCost::weight(touch.access, spec_.overlap),
                &touch};
    }

    LineId at(const Place& place, std::uint32_t number) const {
        return number < place.count ? place.first + number : later_[place.line][number - place.count];
    }

    /// A list neighbour: the task_struct of some other CPU's task, drawn evenly, at home with that CPU.
    template <class C>
    Time neighbour(const C& core, Task t, std::uint64_t bits) const {
        const Cpu cpu = core.cpu_of(t);
        const Cpu count = core.topology().cpu_count();
        if (count == 1) return {};
        Cpu other = cpu + 1 + static_cast<std::uint32_t>(bits >> 32) % (count - 1);
        if (other >= count) other -= count;
        return memory_.lines.transfer(cpu, other, core.topology().cpus[other].socket);
    }

    const ModelSpec& spec_;
    ScopeIndex& scopes_;
    Memory& memory_;
    std::vector<Place> lines_;                // by line of the spec
    std::vector<std::vector<LineId>> later_;  // by line of the spec: further instances
    std::vector<List> lists_;                 // by touch list of the spec
    std::vector<Prepared> steps_;
};

}  // namespace forksim
