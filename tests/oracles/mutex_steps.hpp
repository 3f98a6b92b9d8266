#pragma once
#include <cstdint>
#include <string_view>

#include "tests/oracles/algorithm.hpp"

namespace forksim::oracle {

/// The kernel's mutex, access by access: mutex_lock(), __mutex_lock_common(), mutex_optimistic_spin() and
/// mutex_unlock() of kernel/locking/mutex.c, osq_lock() and osq_unlock() of kernel/locking/osq_lock.c (Linux 6.12).
/// Whether a task begins to spin, and when the head of the OSQ or the first sleeper stops, is left open: the owner may
/// be off its CPU, somebody else may want theirs. Those behind the head of the OSQ stay in it.
///
/// Memory: the owner (CPU + 1 above three flags: waiters 1, handoff 2, pickup 4), wait_lock (one bit), the list (four
/// bits per entry: CPU + 1), the OSQ's tail; per CPU whether it is about to sleep, and the next and locked of its OSQ
/// node. Line 0: what is shared by all; line 1 + c: of CPU c.
class MutexSteps : public Algorithm {
  public:
    enum Pc : std::uint8_t {
        fast = 1,
        slow_read,  ///< __mutex_trylock(), and whether to spin
        slow_take,
        osq_reset,
        osq_swap,
        osq_link,
        osq_wait,
        head_read,
        head_take,
        head_spin,
        osq_clear,  ///< osq_unlock()
        osq_next,
        osq_pass,
        lock_spin,  ///< wait_lock
        lock_take,
        list_read,
        list_append,
        set_waiters,
        prepare_to_sleep,
        try_read,  ///< with wait_lock: __mutex_trylock()
        try_take,
        lock_release,
        sleep,
        prepare_again,
        is_first,
        woken_read,  ///< __mutex_trylock_or_handoff()
        woken_take,
        set_handoff,
        first_spin,
        leave_read,  ///< has it, and wait_lock: __mutex_remove_waiter()
        leave_write,
        clear_read,
        clear_flags,
        leave_release,
        // Release.
        unlock_fast,
        unlock_read,
        unlock_give_up,
        wake_lock_spin,
        wake_lock_take,
        wake_list_read,
        hand_over_read,
        hand_over,
        wake_lock_release,
        wake_first,
    };

    Layout layout(unsigned cpus) const override;
    std::uint8_t entry(Mode) const override { return fast; }
    Access next(unsigned cpu, const Registers& registers) const override;
    unsigned resume(unsigned cpu, Registers& registers, Mode mode, std::uint32_t seen, bool gave_up) const override;
    std::string_view label(std::uint8_t pc) const override;
    bool begins_release(std::uint8_t pc) const override { return pc == unlock_fast; }
    bool promises_no_barging() const override { return false; }

  private:
    unsigned resume_spinning(unsigned cpu, Registers& registers, std::uint32_t seen, bool gave_up) const;
    unsigned resume_sleeping(unsigned cpu, Registers& registers, std::uint32_t seen, bool gave_up) const;
    unsigned resume_release(Registers& registers, std::uint32_t seen) const;
};

}  // namespace forksim::oracle
