#include "platforms/simgrid/queue_rw_lock.hpp"

#include "platforms/simgrid/world.hpp"
#include "sim/check.hpp"

namespace forksim::reference {

bool QueueRwLock::read_lock(Context& me) {
    Time done = world_.rmw(line_, me.cpu);  // atomic_add_return_acquire(_QR_BIAS, &lock->cnts)
    ++readers_;
    if (!write_locked_ && !waiting_) {
        me.pass_last(done);
        return false;
    }
    const auto no_writer = [this] { return !write_locked_; };
    // queued_read_lock_slowpath()
    if (me.is_softirq()) {  // in_interrupt(): does not mind who waits
        if (no_writer()) {
            me.pass_last(done);
        } else {
            me.poll(spinners_, line_, done, no_writer);
        }
        return true;
    }
    me.pass_lines(done);
    done = world_.rmw(line_, me.cpu);  // atomic_sub(_QR_BIAS, &lock->cnts)
    --readers_;
    Context::changed(world_, spinners_);
    me.pass_lines(done);
    wait_lock_.lock(me);
    done = world_.rmw(line_, me.cpu);  // atomic_add(_QR_BIAS, &lock->cnts)
    ++readers_;
    if (no_writer()) {
        me.pass_lines(done);
    } else {
        me.poll(spinners_, line_, done, no_writer);
    }
    wait_lock_.unlock(me);
    return true;
}

bool QueueRwLock::write_lock(Context& me) {
    Time done = world_.rmw(line_, me.cpu);  // atomic_try_cmpxchg_acquire(&lock->cnts, &cnts, _QW_LOCKED)
    if (unused()) {
        write_locked_ = true;
        me.pass_last(done);
        return false;
    }
    me.pass_lines(done);
    // queued_write_lock_slowpath()
    wait_lock_.lock(me);
    done = world_.rmw(line_, me.cpu);
    if (unused()) {
        write_locked_ = true;
        me.pass_lines(done);
    } else {
        waiting_ = true;  // atomic_or(_QW_WAITING, &lock->cnts)
        const auto only_waiting = [this] { return !write_locked_ && readers_ == 0; };
        do {  // atomic_cond_read_relaxed(&lock->cnts, VAL == _QW_WAITING), then the cmpxchg to _QW_LOCKED
            me.poll(spinners_, line_, done, only_waiting);
            done = world_.rmw(line_, me.cpu);
        } while (!only_waiting());
        waiting_ = false;
        write_locked_ = true;
        const Time now = world_.now();
        me.pass_lines(now + Time{(done - now).ps * claim_ / 1024});
    }
    wait_lock_.unlock(me);
    return true;
}

Time QueueRwLock::unlock(Context& me, AcquireMode mode) {
    if (mode == AcquireMode::read) {
        const Time done = world_.rmw(line_, me.cpu);  // atomic_sub_return_release(_QR_BIAS, &lock->cnts)
        FORKSIM_CHECK(readers_ > 0, "an rwlock without readers was released by one");
        --readers_;
        Context::changed(world_, spinners_);
        return done - world_.now();
    }
    world_.memory.store(line_, me.cpu, world_.now());  // smp_store_release(&lock->wlocked, 0)
    FORKSIM_CHECK(write_locked_, "an rwlock without a writer was released by one");
    write_locked_ = false;
    Context::changed(world_, spinners_);
    return {};
}

}  // namespace forksim::reference
