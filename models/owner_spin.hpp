#pragma once
#include <vector>

#include "models/memory.hpp"
#include "models/osq.hpp"
#include "sim/core.hpp"

namespace forksim {

/// Those that spin for a lock whose waiters sleep, because whoever owns it runs: the OSQ, whose head polls the lock's
/// line, and the first of those that have slept, which polls it beside the OSQ once it has set HANDOFF. They look again
/// when the line says that something has changed, when the owner has left its CPU, and when somebody else is due on
/// their own.
class OwnerSpin {
  public:
    explicit OwnerSpin(const Making& making) : osq(making), line_(making.line) {}

    /// `t` polls the line, as the head of the OSQ or as first of the sleepers.
    template <class C>
    Step poll_as_head(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        return poll(core, memory, waits[t], t, head_);
    }
    template <class C>
    Step poll_as_first(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        return poll(core, memory, waits[t], t, first_);
    }

    bool head_polls(Task t) const { return t == head_; }

    /// A write to the line just made has changed something.
    template <class C>
    void changed(C& core, Memory& memory, std::vector<Wait>& waits, Task cause) {
        for (Task* spinner : {&first_, &head_}) {
            if (*spinner == no_task) continue;
            // One that polls only since that write was asked for sees at once what it has changed.
            const Time sees = later(memory.lines.seen(memory.poller(*spinner, core.cpu_of(*spinner))), core.now());
            end(core, memory, waits, *spinner, sees - core.now(), cause);
        }
    }

    /// The owner has left its CPU: they see that one transfer (of its task's line) later.
    template <class C>
    void owner_left(C& core, Memory& memory, std::vector<Wait>& waits, Task owner) {
        for (Task* spinner : {&first_, &head_}) {
            if (*spinner == no_task) continue;
            const Cpu cpu = core.cpu_of(*spinner);
            const Time sees = memory.lines.transfer(cpu, core.cpu_of(owner), core.topology().cpus[cpu].socket);
            end(core, memory, waits, *spinner, sees, owner);
        }
    }

    /// `t`, which spins, looks again at once. Returns false, and takes it out of the OSQ, if it stood behind the head.
    template <class C>
    bool look_again(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        for (Task* spinner : {&first_, &head_}) {
            if (*spinner != t) continue;
            end(core, memory, waits, *spinner, Time{}, no_task);
            return true;
        }
        osq.give_up(core, memory, waits, t);
        return false;
    }

    Osq osq;

  private:
    template <class C>
    Step poll(C& core, Memory& memory, Wait& w, Task t, Task& as) {
        as = t;
        w.optimistic = true;
        memory.lines.watch(line_, memory.poller(t, core.cpu_of(t)), core.now());
        return Step::spin();
    }
    template <class C>
    void end(C& core, Memory& memory, std::vector<Wait>& waits, Task& spinner, Time after, Task cause) {
        const Task t = spinner;
        spinner = no_task;
        waits[t].optimistic = false;
        memory.lines.unwatch(line_, memory.poller(t, core.cpu_of(t)));
        core.resume(t, after, cause);
    }

    LineId line_;
    Task head_ = no_task;   // of the OSQ, while it polls
    Task first_ = no_task;  // of the sleepers, while it polls
};

}  // namespace forksim
