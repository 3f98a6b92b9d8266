#pragma once
#include <cstdint>
#include <string_view>

#include "tests/oracles/algorithm.hpp"

namespace forksim::oracle {

/// The kernel's percpu_rw_semaphore, access by access: percpu_down_read(), percpu_up_read(), percpu_down_write(),
/// percpu_up_write() and percpu_rwsem_wake_function() of kernel/locking/percpu-rwsem.c (Linux 6.12), with rcu_sync
/// never idle, so that everybody is on the slow path and nobody waits for a grace period.
///
/// Memory: `block`, waiters.lock (one bit, one compare-and-exchange), the queue (four bits per entry: CPU + 1, and 8
/// for a reader), the rcuwait's writer; per CPU its read_count, whether it is about to sleep, and its entry's
/// `private`. A CPU sleeps by spinning on the second of these. Line 0: what is shared by all; line 1: the rcuwait; line
/// 2 + c: of CPU c.
class PercpuRwsemSteps : public Algorithm {
  public:
    enum Pc : std::uint8_t {
        read_count = 1,  ///< this_cpu_inc, smp_mb
        read_check,      ///< of block
        read_uncount,
        read_prod,  ///< rcuwait_wake_up()
        read_prod_wake,
        write_look,
        write_block,
        lock_spin,  ///< waiters.lock
        lock_take,
        second_count,
        second_check,
        second_uncount,
        second_prod,
        second_prod_wake,
        second_block,
        set_private,
        queue_read,
        queue_append,
        lock_release,
        prepare_to_sleep,
        private_check,
        sleep,
        set_writer,
        drain_prepare,
        drain_sum,
        drain_sleep,
        clear_writer,
        // Releases.
        read_release,
        read_release_prod,
        read_release_wake,
        write_release,
        wake_lock_spin,
        wake_lock_take,
        wake_queue_read,
        wake_count,
        wake_check,
        wake_uncount,
        wake_prod,
        wake_prod_wake,
        wake_block,
        wake_unlink,
        wake_private,
        wake_task,
        wake_lock_release,
    };

    Layout layout(unsigned cpus) const override;
    std::uint8_t entry(Mode mode) const override { return mode == Mode::exclusive ? write_look : read_count; }
    Access next(unsigned cpu, const Registers& registers) const override;
    unsigned resume(unsigned cpu, Registers& registers, Mode mode, std::uint32_t seen, bool gave_up) const override;
    std::string_view label(std::uint8_t pc) const override;
    bool begins_release(std::uint8_t pc) const override { return pc == read_release || pc == write_release; }
    bool promises_no_barging() const override { return false; }

    explicit PercpuRwsemSteps(unsigned cpus) : cpus_(cpus) {}

  private:
    unsigned resume_waiting(unsigned cpu, Registers& registers, Mode mode, std::uint32_t seen) const;
    unsigned resume_release(Registers& registers, std::uint32_t seen) const;

    unsigned cpus_;  // how many counters are summed
};

}  // namespace forksim::oracle
