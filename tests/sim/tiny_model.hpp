#pragma once
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "sim/core.hpp"
#include "sim/probe.hpp"
#include "sim/round_robin.hpp"
#include "sim/simulator.hpp"
#include "tests/support/steps.hpp"

namespace forksim::test {

/// Sync codes of the tiny model; `a` and `b` are the op's operands. Times are in ps.
enum class Tiny : std::uint8_t {
    lines,    ///< lines move for b
    spin,     ///< spin in slot a until somebody resumes it
    block,    ///< sleep in slot a until somebody wakes it
    resume,   ///< the task in slot a goes on after b
    wake,     ///< the task in slot a wakes after b; the waker pays
    steal,    ///< interrupt time b on CPU a
    softirq,  ///< the program at b runs on top of CPU a
    timer,    ///< steal_later: after b, interrupt time on CPU a as queued by `on_timer`
    preempt_off,
    preempt_on,
    irq_off,
    irq_on,
};

/// A kernel without locks, to show that the core needs none: each thing that a model may ask of the core is one op.
class TinyModel {
  public:
    explicit TinyModel(const std::vector<std::string>& labels) : labels_(labels) { slots_.fill(no_task); }

    template <class C>
    Outcome execute(C& core, Task t, const Op& op) {
        if (op.sub == mark_code) {
            marks.push_back({labels_[op.a], core.cpu_of(t), core.now()});
            return {};
        }
        const Time d{static_cast<std::int64_t>(op.b)};
        switch (static_cast<Tiny>(op.sub)) {
            case Tiny::lines:
                return {Outcome::busy, Part::lines, false, false, d};
            case Tiny::spin:
                return wait(t, op.a, Outcome::spin);
            case Tiny::block:
                return wait(t, op.a, Outcome::block);
            case Tiny::resume:
                core.resume(taken(op.a), d, t);
                return {};
            case Tiny::wake: {
                const Time cost = core.wake(taken(op.a), d, t);
                return cost == Time{} ? Outcome{} : Outcome{Outcome::busy, Part::hold, false, false, cost};
            }
            case Tiny::steal:
                core.steal(op.a, d);
                return {};
            case Tiny::softirq:
                core.softirq(op.a, core.callback_of(t, static_cast<std::uint32_t>(op.b)));
                return {};
            case Tiny::timer:
                core.set_timer(op.a, d);
                return {};
            case Tiny::preempt_off:
                core.preempt(t, 1);
                return {};
            case Tiny::preempt_on:
                core.preempt(t, -1);
                return {};
            case Tiny::irq_off:
                core.irq_off(t, 1);
                return {};
            case Tiny::irq_on:
                core.irq_off(t, -1);
                return {};
        }
        return {};
    }
    template <class C>
    void timer(C& core, TimerId id) {
        marks.push_back({"timer " + std::to_string(id), no_cpu, core.now()});
    }
    template <class C>
    void created(C&, Task, Task, const Spawn&) {
        ++created_count;
    }
    template <class C>
    void exited(C&, Task) {
        ++exited_count;
    }
    template <class C>
    std::string waiting_for(const C&, Task t) const {
        for (std::size_t slot = 0; slot < slots_.size(); ++slot)
            if (slots_[slot] == t) return "waits in slot " + std::to_string(slot);
        return "";
    }

    std::vector<Mark> marks;
    int created_count = 0;
    int exited_count = 0;

  private:
    Outcome wait(Task t, std::uint32_t slot, Outcome::What what) {
        if (released_[slot]) {
            released_[slot] = false;
            return {};
        }
        slots_[slot] = t;
        return {what, Part::handoff, true, false, {}};
    }
    Task taken(std::uint32_t slot) {
        released_[slot] = true;
        return std::exchange(slots_[slot], no_task);
    }

    const std::vector<std::string>& labels_;
    std::array<Task, 64> slots_;
    std::array<bool, 64> released_{};
};

/// What a run on the tiny model shows.
struct TinyRun {
    std::vector<Mark> marks;
    Record record;
    int created = 0;
    int exited = 0;

    /// When `label` was passed; each must have been, once.
    Time at(std::string_view label) const {
        Time found = Time::never();
        for (const Mark& mark : marks) {
            if (mark.label != label) continue;
            FORKSIM_CHECK(found == Time::never(), "passed twice: " + mark.label);
            found = mark.at;
        }
        FORKSIM_CHECK(found != Time::never(), "never passed: " + std::string(label));
        return found;
    }
    Cpu cpu(std::string_view label) const {
        for (const Mark& mark : marks)
            if (mark.label == label) return mark.cpu;
        return no_cpu;
    }
    std::vector<std::string> order() const {
        std::vector<std::string> labels;
        for (const Mark& mark : marks) labels.push_back(mark.label);
        return labels;
    }
};

/// Runs the builder's program on the tiny model under a policy of the test's.
template <class PolicyType>
TinyRun run_tiny(const ProgramBuilder& b, PolicyType& policy, std::uint64_t stream = 1) {
    TinyModel model(b.labels);
    Probes<> none;
    Simulator<TinyModel, PolicyType, Probes<>> simulator(b.program, b.topology, b.config, stream, 0, model, policy,
                                                         none);
    TinyRun run;
    run.record = simulator.run();
    run.marks = std::move(model.marks);
    run.created = model.created_count;
    run.exited = model.exited_count;
    return run;
}

/// The same under round robin.
TinyRun run_tiny(const ProgramBuilder& b, std::uint64_t stream = 1);

}  // namespace forksim::test
