#pragma once
#include <cstdint>
#include <string_view>

#include "tests/oracles/algorithm.hpp"
#include "tests/oracles/qspinlock_steps.hpp"

namespace forksim::oracle {

/// The kernel's queued reader-writer lock, access by access: include/asm-generic/qrwlock.h and
/// kernel/locking/qrwlock.c (Linux 6.12), with the native queue spinlock as its wait_lock.
///
/// Memory: cnts (writer byte 0xff, WAITING 0x100, readers from 0x200 on), wait_lock, one node per CPU. cnts and
/// wait_lock share line 0; line 1 + c is the node of CPU c. A CPU counts as queued once its place at wait_lock is
/// fixed; newcomers may still be granted before it until a writer has set WAITING.
class Qrwlock : public Algorithm {
  public:
    enum Pc : std::uint8_t {
        read_add = 32,
        read_interrupt_spin,
        read_undo,
        read_add_queued,
        read_spin,
        read_unlock_wait_lock,
        read_unlock,
        write_cmpxchg,
        write_try_read,
        write_try_cmpxchg,
        write_set_waiting,
        write_spin,
        write_claim_cmpxchg,
        write_unlock_wait_lock,
        write_unlock,
    };

    Layout layout(unsigned cpus) const override;
    std::uint8_t entry(Mode mode) const override;
    Access next(unsigned cpu, const Registers& registers) const override;
    unsigned resume(unsigned cpu, Registers& registers, Mode mode, std::uint32_t seen, bool gave_up) const override;
    std::string_view label(std::uint8_t pc) const override;
    bool begins_release(std::uint8_t pc) const override { return pc == read_unlock || pc == write_unlock; }
    bool promises_no_barging() const override { return false; }

  private:
    unsigned resume_wait_lock(unsigned cpu, Registers& registers, Mode mode, std::uint32_t seen, bool gave_up) const;

    QspinlockSteps wait_lock_{.word = 4, .nodes = 8};
};

}  // namespace forksim::oracle
