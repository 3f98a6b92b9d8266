#pragma once
#include <vector>

#include "models/queue_spin.hpp"
#include "models/spec.hpp"

namespace forksim {

/// `spinlock`: a spinlock_t on a machine without a hypervisor, i.e. a queue spinlock.
class Spinlock {
  public:
    static constexpr LockKind kind = LockKind::spinlock;
    static constexpr bool spins = true;  ///< waiters keep the CPU, holders are not preempted

    Spinlock(const LockSpec&, LineId line, Memory&) : word_(line) {}

    template <class C>
    Step acquire(C& core, Memory& memory, std::vector<Wait>& waits, Task t, AcquireMode) {
        return word_.acquire(core, memory, waits, t);
    }
    /// Returns how long the releasing CPU is busy with it.
    template <class C>
    Time release(C& core, Memory& memory, std::vector<Wait>& waits, Task t, AcquireMode) {
        word_.release(core, memory, waits, t);
        return {};
    }
    Task owner() const { return word_.owner(); }

  private:
    QueueSpin word_;
};

}  // namespace forksim
