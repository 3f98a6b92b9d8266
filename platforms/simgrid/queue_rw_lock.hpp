#pragma once
#include <cstdint>

#include "platforms/simgrid/locks.hpp"
#include "platforms/simgrid/queue_spin_lock.hpp"

namespace forksim::reference {

/// struct qrwlock (kernel/locking/qrwlock.c), access by access; `cnts` and `wait_lock` share a line.
///
/// `claim`: how much of the queue head's last access delays it, in 1/1024. Simplified as in models/rwlock.hpp: the try
/// for an unused lock by the head of the queue is one access with the WAITING bit that it sets otherwise.
class QueueRwLock : public Lock {
  public:
    QueueRwLock(World& world, LineId line, std::uint32_t claim)
        : world_(world), line_(line), claim_(claim), wait_lock_(world, line) {}

    bool lock(Context& me, AcquireMode mode) override {
        return mode == AcquireMode::read ? read_lock(me) : write_lock(me);
    }
    Time unlock(Context& me, AcquireMode mode) override;

  private:
    bool read_lock(Context& me);
    bool write_lock(Context& me);
    bool unused() const { return !write_locked_ && !waiting_ && readers_ == 0; }

    World& world_;
    LineId line_;
    std::uint32_t claim_;
    QueueSpinLock wait_lock_;
    // cnts
    bool write_locked_ = false;  // _QW_LOCKED
    bool waiting_ = false;       // _QW_WAITING
    std::uint32_t readers_ = 0;
    Spinners spinners_;
};

}  // namespace forksim::reference
