#pragma once
#include "platforms/simgrid/locks.hpp"
#include "platforms/simgrid/sleeping.hpp"

namespace forksim::reference {

/// A futex taken by futex_lock_pi() (kernel/futex/pi.c, kernel/locking/rtmutex.c), access by access, among tasks of one
/// priority. Simplified as in models/futex_pi.hpp: the hash bucket's lock and the rt_mutex's are one locked instruction
/// on the futex' line.
class PiFutex : public Lock {
  public:
    PiFutex(World& world, LineId line) : world_(world), line_(line), watch_(world, line) {}

    bool lock(Context& me, AcquireMode) override;
    Time unlock(Context& me, AcquireMode) override;
    void owner_left(const Context& owner) override {
        if (owner_ == &owner) watch_.owner_left(owner);
    }

  private:
    World& world_;
    LineId line_;
    OwnerWatch watch_;
    Context* owner_ = nullptr;
    WaitList list_;
};

}  // namespace forksim::reference
