#pragma once
#include <cstdint>
#include <vector>

#include "platforms/simgrid/locks.hpp"
#include "platforms/simgrid/queue_spin_lock.hpp"
#include "platforms/simgrid/sleeping.hpp"

namespace forksim::reference {

/// struct rcu_sync (kernel/rcu/sync.c): whether readers need a barrier, because writers may be about.
class WriterSync {
  public:
    /// `permanent`: as after an enter() for ever.
    WriterSync(World& world, bool permanent)
        : world_(world), state_(permanent ? passed : idle), count_(permanent ? 1 : 0) {}

    bool is_idle() const { return state_ == idle; }
    /// rcu_sync_enter(), behind its access to the line. Returns whether the caller has slept.
    bool enter(Context& me);
    void exit();

  private:
    enum State : std::uint8_t { idle, entering, passed, exiting, replay };

    void call();

    World& world_;
    State state_;
    std::uint32_t count_;
    WaitList entering_;
};

/// struct percpu_rw_semaphore (kernel/locking/percpu-rwsem.c, include/linux/percpu-rwsem.h), access by access.
class PercpuSemaphore : public Lock {
  public:
    PercpuSemaphore(World& world, LineId line, bool always_slow);

    bool lock(Context& me, AcquireMode mode) override {
        return mode == AcquireMode::read ? down_read(me) : down_write(me);
    }
    Time unlock(Context& me, AcquireMode mode) override {
        return mode == AcquireMode::read ? up_read(me) : up_write(me);
    }

  private:
    bool down_read(Context& me);
    bool down_write(Context& me);
    Time up_read(Context& me);
    Time up_write(Context& me);
    bool try_read(Context& me, Time& done);
    Time prod(Context& me, Time from);
    void wait(Waiter& me);
    bool drain(Waiter& me);
    void wake_queue(Context& me);

    World& world_;
    LineId line_;       // block, waiters
    LineId sync_line_;  // rss, writer
    WriterSync sync_;
    QueueSpinLock waiters_lock_;
    std::vector<LineId> counters_;  // read_count, by CPU
    std::uint32_t readers_ = 0;     // their sum
    bool blocked_ = false;
    Waiter* drainer_ = nullptr;  // sem->writer: waits for readers to leave
    WaitList queue_;
};

}  // namespace forksim::reference
