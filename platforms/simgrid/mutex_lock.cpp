#include "platforms/simgrid/mutex_lock.hpp"

#include "platforms/simgrid/world.hpp"

namespace forksim::reference {

bool MutexLock::lock(Context& me, AcquireMode) {
    const Time done = world_.rmw(line_, me.cpu);  // atomic_long_try_cmpxchg_acquire(&lock->owner, &zero, curr)
    if (owner_ == nullptr && list_.empty()) {
        owner_ = &me;
        me.pass_last(done);
        return false;
    }
    me.pass_lines(done);
    // __mutex_lock_common()
    const Time read = world_.load(line_, me.cpu);
    if (may_take(me)) {
        take(me, read);
        return true;
    }
    if (!owner_runs()) {
        me.pass_lines(read);
        sleep_for(me);
    } else if (!optimistic_spin(me)) {
        sleep_for(me);
    }
    return true;
}

void MutexLock::take(Context& me, Time from) {
    const Time done = world_.memory.rmw(line_, me.cpu, from);  // __mutex_trylock_common()
    owner_ = &me;
    me.pass_lines(done);
}

/// mutex_optimistic_spin(). Returns whether it has the mutex.
bool MutexLock::optimistic_spin(Context& me) {
    watch_.queue.enter(me);
    for (;;) {
        const Time read = world_.load(line_, me.cpu);
        if (may_take(me)) {
            const Time done = world_.memory.rmw(line_, me.cpu, read);
            owner_ = &me;
            watch_.queue.leave(me, done);
            me.pass_lines(done);
            return true;
        }
        if (!owner_runs()) {
            me.pass_lines(watch_.queue.leave(me, read));
            return false;
        }
        watch_.spin_as_head(me);
    }
}

void MutexLock::sleep_for(Context& task) {
    task.pass_last(world_.rmw(line_, task.cpu));  // raw_spin_lock(&lock->wait_lock)
    if (may_take(task)) return take(task, world_.now());
    Waiter me{&task};
    list_.push_back(&me);
    for (;;) {
        me.sleep();
        if (may_take(task)) return take_from_list(me);
        if (list_.front() != &me) continue;
        const Time done = world_.rmw(line_, task.cpu);
        handoff_ = true;
        task.pass_lines(done);
        if (spin_as_first(me)) return take_from_list(me);
    }
}

/// Returns whether it may take the mutex; else the owner sleeps.
bool MutexLock::spin_as_first(Waiter& me) {
    while (!may_take(*me.task)) {
        if (!owner_runs()) return false;
        world_.load(line_, me.task->cpu);
        watch_.spin_as_first(*me.task);
    }
    return true;
}

void MutexLock::take_from_list(Waiter& me) {
    std::erase(list_, &me);
    if (list_.empty()) handoff_ = false;
    take(*me.task, world_.now());
}

/// __mutex_unlock_slowpath()
Time MutexLock::unlock(Context& me, AcquireMode) {
    Time done = world_.rmw(line_, me.cpu);
    const bool hands_over = handoff_;
    if (!hands_over) {
        owner_ = nullptr;
        watch_.changed();
    }
    if (list_.empty()) return done - world_.now();
    me.pass_lines(done);
    done = world_.rmw(line_, me.cpu);  // wait_lock
    Waiter* const next = list_.empty() ? nullptr : list_.front();
    if (hands_over) {  // __mutex_handoff()
        handoff_ = false;
        owner_ = next == nullptr ? nullptr : next->task;
        watch_.changed();
    }
    const Time busy = done - world_.now();
    return next == nullptr ? busy : busy + next->wake();
}

void MutexLock::owner_left(const Context& owner) {
    if (owner_ == &owner) watch_.owner_left(owner);
}

}  // namespace forksim::reference
