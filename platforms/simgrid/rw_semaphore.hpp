#pragma once
#include <cstdint>
#include <deque>
#include <memory>

#include "platforms/simgrid/locks.hpp"
#include "platforms/simgrid/sleeping.hpp"

namespace forksim::reference {

/// struct rw_semaphore (kernel/locking/rwsem.c), access by access. Simplified as in models/rwsem.hpp: the wait_lock is
/// one locked instruction on the semaphore's line.
class RwSemaphore : public Lock {
  public:
    /// `handoff_after`: RWSEM_WAIT_TIMEOUT.
    RwSemaphore(World& world, LineId line, Time handoff_after)
        : world_(world), line_(line), handoff_after_(handoff_after), watch_(world, line) {}

    bool lock(Context& me, AcquireMode mode) override {
        return mode == AcquireMode::read ? down_read(me) : down_write(me);
    }
    Time unlock(Context& me, AcquireMode mode) override;
    void owner_left(const Context& owner) override {
        if (writer_ == &owner) watch_.owner_left(owner);
    }

  private:
    /// Shared with those who are about to wake them, and may come late.
    using Waiters = std::deque<std::shared_ptr<Waiter>>;

    bool down_read(Context& me);
    void sleep_as_reader(Context& me);
    bool down_write(Context& me);
    bool optimistic_spin(Context& me);
    void sleep_as_writer(Context& me);
    bool try_write_lock(Waiter& me);
    std::shared_ptr<Waiter> join(Context& task, bool reads);
    void lock_waiters(Context& me);
    Waiters mark_wake(bool readers_only);
    Waiters wake_before_newcomer();
    void wake(Context& me, const Waiters& whom);
    void became_free();

    bool unused() const { return writer_ == nullptr && readers_ == 0; }
    bool lets_readers_in() const { return writer_ == nullptr && list_.empty() && !handoff_; }
    bool may_spin() const { return !nonspinnable_ && (writer_ == nullptr || writer_->runs); }
    void own(Context* writer) {
        writer_ = writer;
        reader_owned_ = nonspinnable_ = false;
    }

    World& world_;
    LineId line_;
    Time handoff_after_;
    OwnerWatch watch_;
    // count, owner
    Context* writer_ = nullptr;
    std::uint32_t readers_ = 0;               // biases, also of those that are about to take theirs back
    bool reader_owned_ = false;               // RWSEM_READER_OWNED
    bool nonspinnable_ = false;               // RWSEM_NONSPINNABLE
    bool handoff_ = false;                    // RWSEM_FLAG_HANDOFF
    const Waiter* handoff_set_by_ = nullptr;  // waiter->handoff_set
    Waiters list_;
    // Of the head of the OSQ.
    bool spins_on_readers_ = false;
    Time threshold_;
    std::uint32_t timers_ = 1u << 31;
};

}  // namespace forksim::reference
