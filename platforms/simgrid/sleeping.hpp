#pragma once
#include <deque>

#include "platforms/simgrid/context.hpp"
#include "sim/time.hpp"

namespace forksim::reference {

/// One that waits for a lock whose waiters sleep: struct mutex_waiter and its like, on the stack of its actor.
struct Waiter {
    Context* task = nullptr;
    bool reads = false;
    bool asleep = false;   ///< has given up its CPU, and nobody has woken it
    bool given = false;    ///< the lock is its own: somebody else has seen to it
    Time since_long = {};  ///< rwsem: from then on it may set HANDOFF

    /// Sleeps until somebody wakes it.
    void sleep() {
        asleep = true;
        task->block();
    }
    /// Wakes it, if it sleeps. Returns what that costs the waker.
    Time wake();
};
using WaitList = std::deque<Waiter*>;

/// struct optimistic_spin_queue and osq_lock() (kernel/locking/osq_lock.c), access by access, as far as nobody leaves
/// it from within, which only those do whose time slice is over. The tail stands on the lock's line.
class OptimisticQueue {
  public:
    OptimisticQueue(World& world, LineId line);

    /// osq_lock(): returns when it is the head.
    void enter(Context& me);
    /// osq_unlock() by the head, from `from` on. Returns when the tail has been tried.
    Time leave(Context& me, Time from);

  private:
    struct Node {
        Context* task;
        Time linked;  // when its predecessor can see it
    };
    World& world_;
    LineId line_;
    std::deque<Node> queue_;
};

/// Those that spin because the owner of a lock runs: the head of the OSQ and the first of the waiters that have slept.
/// Both poll the lock's line.
class OwnerWatch {
  public:
    OwnerWatch(World& world, LineId line) : queue(world, line), world_(world), line_(line) {}

    /// Spins until something has changed, the owner has left its CPU, or, if given, until `deadline`, whose timer has
    /// that number.
    void spin_as_head(Context& me, Time deadline = Time::never(), std::uint64_t timer = 0) {
        spin(me, head_, deadline, timer);
    }
    void spin_as_first(Context& me) { spin(me, first_, Time::never(), 0); }

    /// A write to the line just made has changed something.
    void changed();
    /// The owner has left its CPU: they see that one transfer later.
    void owner_left(const Context& owner);

    OptimisticQueue queue;

  private:
    void spin(Context& me, Context*& as, Time deadline, std::uint64_t timer);
    void stop(Context*& spinner, Time sees);

    World& world_;
    LineId line_;
    Context* head_ = nullptr;
    Context* first_ = nullptr;
};

}  // namespace forksim::reference
