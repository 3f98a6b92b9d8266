#pragma once
#include "platforms/simgrid/locks.hpp"
#include "platforms/simgrid/sleeping.hpp"

namespace forksim::reference {

/// struct mutex (kernel/locking/mutex.c), access by access. Simplified as in models/mutex.hpp: the wait_lock is one
/// locked instruction on the mutex's line.
class MutexLock : public Lock {
  public:
    MutexLock(World& world, LineId line) : world_(world), line_(line), watch_(world, line) {}

    bool lock(Context& me, AcquireMode) override;
    Time unlock(Context& me, AcquireMode) override;
    void owner_left(const Context& owner) override;

  private:
    bool optimistic_spin(Context& me);
    void sleep_for(Context& me);
    void take(Context& me, Time from);
    void take_from_list(Waiter& me);
    bool spin_as_first(Waiter& me);
    bool may_take(const Context& me) const { return owner_ == nullptr || owner_ == &me; }
    bool owner_runs() const { return owner_ == nullptr || owner_->runs; }

    World& world_;
    LineId line_;
    OwnerWatch watch_;
    Context* owner_ = nullptr;  // also of whom it is handed to
    bool handoff_ = false;      // MUTEX_FLAG_HANDOFF
    WaitList list_;
};

}  // namespace forksim::reference
