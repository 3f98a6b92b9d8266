#pragma once
#include <vector>

#include "models/memory.hpp"
#include "models/spec.hpp"
#include "sim/check.hpp"

namespace forksim {

/// `percpu_rwsem`: the read side of a percpu_rw_semaphore whose rcu_sync is idle, i.e. without writers
/// (include/linux/percpu-rwsem.h, percpu_down_read): a per-CPU counter, no shared line, no wait.
class PercpuRwsem {
  public:
    static constexpr LockKind kind = LockKind::percpu_rwsem;
    static constexpr bool spins = false;

    explicit PercpuRwsem(const Making&) {}

    template <class C>
    Step acquire(C&, Memory&, std::vector<Wait>&, Task, AcquireMode mode) {
        FORKSIM_CHECK(mode == AcquireMode::read, "percpu_rwsem: the write side is not modelled");
        return Step::grant();
    }
    template <class C>
    Time release(C&, Memory&, std::vector<Wait>&, Task, AcquireMode) {
        return {};
    }
    Task owner() const { return no_task; }
};

}  // namespace forksim
