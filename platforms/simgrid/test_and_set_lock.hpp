#pragma once
#include <cstdint>
#include <vector>

#include "platforms/simgrid/context.hpp"
#include "platforms/simgrid/locks.hpp"

namespace forksim::reference {

/// virt_spin_lock() (arch/x86/include/asm/qspinlock.h), access by access: a cmpxchg, and reads until another may
/// succeed.
///
/// All that poll see a release. Whoever sees it first tries, but for the turn of the loop that each is in, which is
/// drawn; those that see a free lock before that try is done try too, in vain, and fetch the word again.
class TestAndSetLock : public Lock {
  public:
    /// `name`: of the lock, hashed; the key of its draws.
    TestAndSetLock(World& world, LineId line, std::uint64_t name) : world_(world), line_(line), name_(name) {}

    bool lock(Context& me, AcquireMode) override;
    Time unlock(Context& me, AcquireMode) override;

  private:
    struct Poll {
        Context* who;
        Time looks;  ///< when it sees that the lock was released, or never
    };

    void poll_word(Context& me);
    Time turn_of(const Context& who) const;
    void fail_before(Time until);

    World& world_;
    LineId line_;
    std::uint64_t name_;
    bool locked_ = false;
    std::vector<Poll> polls_;  // by arrival
};

}  // namespace forksim::reference
