#pragma once
#include <cstdint>
#include <string_view>

#include "tests/oracles/algorithm.hpp"

namespace forksim::oracle {

/// The kernel's rw_semaphore, access by access: down_read(), up_read(), down_write(), up_write(), rwsem_mark_wake() and
/// rwsem_try_write_lock() of kernel/locking/rwsem.c (Linux 6.12). Left open: whether and how long a writer spins,
/// whether a wait has been too long (HANDOFF), and whether the owner word still says that readers own it. Writers that
/// spin do so side by side, without the OSQ.
///
/// Memory: the count (writer 1, waiters 2, handoff 4, readers from 8 on), wait_lock (one bit), the list (four bits per
/// entry: CPU + 1, and 8 for a reader), whose handoff_set is (CPU + 1); per CPU whether it is about to sleep, and
/// whether it has been granted as a reader. Line 0: what is shared by all; line 1 + c: of CPU c.
class RwsemSteps : public Algorithm {
  public:
    enum Pc : std::uint8_t {
        read_add = 1,
        read_choose,  ///< readers inside: steal or queue
        write_fast,
        write_choose,  ///< spin or queue
        write_spin,
        write_spin_take,
        queue_lock_spin,
        queue_lock_take,
        read_list,
        read_count,
        read_unlock_in,
        read_append,
        read_adjust,
        read_prepare,
        read_check,
        read_sleep,
        read_reset,
        write_list,
        write_append,
        write_waiters,
        write_count,
        write_prepare,
        try_lock_spin,
        try_lock_take,
        try_list,
        try_handoff_for,
        try_count,
        try_too_long,
        try_set_handoff,
        try_handoff_set,
        try_take,
        try_unlink,
        try_clear_handoff,
        try_unlock_in,
        try_unlock,
        handoff_spin,
        write_sleep,
        write_prepare_again,
        // rwsem_mark_wake() and wake_up_q().
        mark_lock_spin,
        mark_lock_take,
        mark_list,
        mark_add,
        mark_too_long,
        mark_handoff,
        mark_handoff_set,
        mark_sub,
        mark_unlink,
        mark_count,
        mark_adjust,
        mark_grant,
        mark_unlock,
        mark_wake,
        // Releases.
        read_release,
        write_release,
    };

    Layout layout(unsigned cpus) const override;
    std::uint8_t entry(Mode mode) const override { return mode == Mode::exclusive ? write_fast : read_add; }
    Access next(unsigned cpu, const Registers& registers) const override;
    unsigned resume(unsigned cpu, Registers& registers, Mode mode, std::uint32_t seen, bool gave_up) const override;
    std::string_view label(std::uint8_t pc) const override;
    bool begins_release(std::uint8_t pc) const override { return pc == read_release || pc == write_release; }
    bool promises_no_barging() const override { return false; }

  private:
    unsigned resume_list(unsigned cpu, Registers& registers, Mode mode, std::uint32_t seen) const;
    unsigned resume_try(unsigned cpu, Registers& registers, std::uint32_t seen, bool gave_up) const;
    unsigned resume_mark(Registers& registers, std::uint32_t seen, bool gave_up) const;
};

}  // namespace forksim::oracle
