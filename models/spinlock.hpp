#pragma once
#include <vector>

#include "models/pv_spin.hpp"
#include "models/queue_spin.hpp"
#include "models/spec.hpp"
#include "models/tas_spin.hpp"

namespace forksim {

/// A lock that is one spinning word. `spinlock` is the queue spinlock on a machine without a hypervisor, and in guests
/// what the kernel chooses for all spinlocks at boot (Topology::virt). `test_and_set` is one whatever the machine.
template <class Word, LockKind Kind = LockKind::spinlock>
class SpinlockOf {
  public:
    static constexpr LockKind kind = Kind;
    static constexpr bool spins = true;  ///< waiters keep the CPU, holders are not preempted
    /// Is this the class for a lock of its kind on such a machine?
    static constexpr bool suits(Virt virt) { return Kind != LockKind::spinlock || virt == Word::virt; }

    explicit SpinlockOf(const Making& making) : word_(making) {}

    template <class C>
    Step acquire(C& core, Memory& memory, std::vector<Wait>& waits, Task t, AcquireMode) {
        return word_.acquire(core, memory, waits, t);
    }
    /// Returns how long the releasing CPU is busy with it.
    template <class C>
    Time release(C& core, Memory& memory, std::vector<Wait>& waits, Task t, AcquireMode) {
        return word_.release(core, memory, waits, t);
    }
    Task owner() const { return word_.owner(); }

  private:
    Word word_;
};

using Spinlock = SpinlockOf<QueueSpin>;
using TasSpinlock = SpinlockOf<TasSpin>;
using PvSpinlock = SpinlockOf<PvSpin>;
using TestAndSet = SpinlockOf<TasSpin, LockKind::test_and_set>;

}  // namespace forksim
