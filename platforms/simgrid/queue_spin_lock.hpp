#pragma once
#include "models/line.hpp"
#include "platforms/simgrid/context.hpp"

namespace forksim::reference {

/// struct qspinlock and queued_spin_lock() (kernel/locking/qspinlock.c, native), access by access.
///
/// An atomic takes effect when it is asked for, and the CPU goes on when its line has come. Simplified as in
/// models/queue_spin.hpp: the trylock just before the tail swap is one access with it, an own pending bit that
/// must be taken back was never seen, and the owner's look at its node's `next` is free.
class QueueSpinLock {
  public:
    QueueSpinLock(World& world, LineId line) : world_(world), line_(line) {}

    /// Returns, once the lock is held, whether the first try failed.
    bool lock(Context& me);
    void unlock(Context& me);

  private:
    /// The 32 bits of the lock's word.
    struct Word {
        bool locked = false;
        bool pending = false;
        McsNode* tail = nullptr;
        bool operator==(const Word&) const = default;
    };

    void lock_slowpath(Context& me, Word seen);
    void wait_in_queue(Context& me);
    bool claim_pending(Context& me);
    bool is_locked_or_pending() const { return word_.locked || word_.pending; }

    World& world_;
    LineId line_;
    Word word_;
    std::uint32_t queued_ = 0;  // so far
    Spinners spinners_;
};

}  // namespace forksim::reference
