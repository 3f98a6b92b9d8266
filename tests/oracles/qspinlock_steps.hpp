#pragma once
#include <cstdint>
#include <string_view>

#include "tests/oracles/algorithm.hpp"

namespace forksim::oracle {

/// The kernel's native queue spinlock, access by access: queued_spin_lock() and queued_spin_unlock() of
/// include/asm-generic/qspinlock.h, native_queued_spin_lock_slowpath() of kernel/locking/qspinlock.c and
/// queued_fetch_set_pending_acquire() of arch/x86/include/asm/qspinlock.h (Linux 6.12, x86-64, fewer than 16384 CPUs).
/// One nesting level, so only node 0 of each CPU.
///
/// Memory: the word (locked byte, pending byte, 16-bit tail) at `word`; per CPU a node of three bytes (next as
/// CPU + 1, locked, count) from `nodes` on.
struct QspinlockSteps {
    std::uint8_t word = 0;
    std::uint8_t nodes = 4;

    /// Program counters 1..lock_returned; the caller's own come after.
    enum Pc : std::uint8_t {
        lock_cmpxchg = 1,
        pending_handover_spin,
        set_pending,
        set_pending_reread,
        undo_pending,
        pending_spin,
        clear_pending_set_locked,
        node_count_up,
        node_init_locked,
        node_init_next,
        trylock_read,
        trylock_cmpxchg,
        xchg_tail,
        link_node,
        node_spin,
        node_read_next,
        prefetch_next,
        head_spin,
        claim_cmpxchg,
        set_locked,
        next_spin,
        pass_to_next,
        node_count_down,
        lock_returned,  ///< the lock function has returned: nothing here executes it
    };

    static constexpr unsigned node_bytes = 3;

    /// Requires 1 <= registers.pc < lock_returned.
    Access next(unsigned cpu, const Registers& registers) const;

    /// Event bits `queued` (pending bit won, or tail swapped) and `acquired` (claimed; the node may still be handed
    /// on). Sets pc to lock_returned at the end, with all other registers zero.
    unsigned resume(unsigned cpu, Registers& registers, std::uint32_t seen, bool gave_up) const;

    /// The byte store of queued_spin_unlock().
    Access unlock() const;

    static std::string_view label(std::uint8_t pc);

  private:
    std::uint8_t node(unsigned cpu) const { return static_cast<std::uint8_t>(nodes + node_bytes * cpu); }
    unsigned resume_pending(Registers& registers, std::uint32_t seen) const;
    unsigned resume_queue(unsigned cpu, Registers& registers, std::uint32_t seen) const;
};

/// A spinlock by itself. Line 0: the word; line 1 + c: the node of CPU c. Every mode is treated as exclusive.
class Qspinlock : public Algorithm {
  public:
    /// Program counter of the unlocking store.
    static constexpr std::uint8_t unlock = QspinlockSteps::lock_returned;

    Layout layout(unsigned cpus) const override;
    std::uint8_t entry(Mode mode) const override;
    Access next(unsigned cpu, const Registers& registers) const override;
    unsigned resume(unsigned cpu, Registers& registers, Mode mode, std::uint32_t seen, bool gave_up) const override;
    std::string_view label(std::uint8_t pc) const override;
    bool begins_release(std::uint8_t pc) const override { return pc == unlock; }
    bool promises_no_barging() const override { return true; }

  private:
    QspinlockSteps steps_;
};

}  // namespace forksim::oracle
