#pragma once
#include <cstdint>
#include <deque>

#include "platforms/simgrid/context.hpp"
#include "platforms/simgrid/locks.hpp"

namespace forksim::reference {

/// arch_spinlock_t as x86 had it up to Linux 4.1 (arch/x86/include/asm/spinlock.h), access by access. Those that poll
/// fetch the word one after the other behind each write to it, beginning with any of them: that is drawn.
class TicketLock : public Lock {
  public:
    /// `name`: of the lock, hashed; the key of its draws.
    TicketLock(World& world, LineId line, std::uint64_t name);

    bool lock(Context& me, AcquireMode) override;
    Time unlock(Context& me, AcquireMode) override;

  private:
    World& world_;
    LineId line_;
    std::uint64_t name_;
    std::uint32_t head_ = 0;        // being served
    std::uint32_t tail_ = 0;        // the next ticket
    std::deque<Context*> line_up_;  // who has a ticket that is not served yet
    Spinners spinners_;
};

}  // namespace forksim::reference
