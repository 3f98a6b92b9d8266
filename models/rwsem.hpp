#pragma once
#include <vector>

#include "models/memory.hpp"
#include "models/spec.hpp"
#include "sim/check.hpp"

namespace forksim {

/// `rwsem`: the read side of a rw_semaphore without writers (kernel/locking/rwsem.c, rwsem_read_trylock, __up_read): one
/// locked add on its count each way. The reader refuses write sections on it.
class Rwsem {
  public:
    static constexpr LockKind kind = LockKind::rwsem;
    static constexpr bool spins = false;

    explicit Rwsem(const Making& making) : line_(making.line) {}

    template <class C>
    Step acquire(C& core, Memory& memory, std::vector<Wait>& waits, Task t, AcquireMode mode) {
        FORKSIM_CHECK(mode == AcquireMode::read, "rwsem: the write side is not modelled");
        Wait& w = waits[t];
        if (w.phase == 1) {
            w.phase = 0;
            return Step::grant();
        }
        const Time done = memory.rmw(line_, core.cpu_of(t), core.now());
        if (done == core.now()) return Step::grant();
        w.phase = 1;
        return Step::after(done - core.now(), Part::lines);
    }
    template <class C>
    Time release(C& core, Memory& memory, std::vector<Wait>&, Task t, AcquireMode) {
        return memory.rmw(line_, core.cpu_of(t), core.now()) - core.now();
    }
    Task owner() const { return no_task; }

  private:
    LineId line_;
};

}  // namespace forksim
