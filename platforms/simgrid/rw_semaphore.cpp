#include "platforms/simgrid/rw_semaphore.hpp"

#include <algorithm>

#include "platforms/simgrid/world.hpp"
#include "sim/check.hpp"

namespace forksim::reference {

bool RwSemaphore::down_read(Context& me) {
    const Time done = world_.rmw(line_, me.cpu);  // rwsem_read_trylock(): atomic_long_add_return_acquire()
    ++readers_;
    if (lets_readers_in()) {
        reader_owned_ = true;
        me.pass_last(done);
        return false;
    }
    // rwsem_down_read_slowpath(), by the count as it was: reader optimistic lock stealing
    const bool readers_inside = reader_owned_ && readers_ > 1;
    const bool steals = writer_ == nullptr && !handoff_ && !readers_inside;
    if (steals) reader_owned_ = true;
    me.pass_lines(done);
    if (!steals) {
        sleep_as_reader(me);
    } else if (readers_ > 1 || list_.empty()) {
        me.pass_lines(world_.now());
    } else {  // the first reader inside lets in those that wait
        const Time locked = world_.rmw(line_, me.cpu);
        const Waiters woken = mark_wake(true);
        me.pass_lines(locked);
        wake(me, woken);
        me.pass_lines(world_.now());
    }
    return true;
}

void RwSemaphore::sleep_as_reader(Context& task) {
    lock_waiters(task);
    if (lets_readers_in()) {  // meanwhile
        reader_owned_ = true;
        task.pass_lines(world_.now());
        return;
    }
    const std::shared_ptr<Waiter> me = join(task, true);
    if (--readers_ == 0) became_free();
    const Waiters woken = wake_before_newcomer();
    task.pass_lines(world_.now());
    wake(task, woken);
    task.pass_lines(world_.now());
    if (me->given) {
        task.pass_lines(world_.now());
    } else {
        while (!me->given) me->sleep();
    }
}

bool RwSemaphore::down_write(Context& me) {
    const Time done = world_.rmw(line_, me.cpu);  // rwsem_write_trylock()
    if (unused() && list_.empty()) {
        own(&me);
        me.pass_last(done);
        return false;
    }
    const bool spins = may_spin();  // rwsem_can_spin_on_owner()
    me.pass_lines(done);
    if (!spins || !optimistic_spin(me)) sleep_as_writer(me);
    return true;
}

/// rwsem_optimistic_spin(). Returns whether it has the semaphore.
bool RwSemaphore::optimistic_spin(Context& me) {
    watch_.queue.enter(me);
    std::uint64_t timer = 0;
    for (;;) {
        const Time read = world_.load(line_, me.cpu);
        if (spins_on_readers_ && reader_owned_ && world_.now() >= threshold_) nonspinnable_ = true;
        const bool goes_on = may_spin();
        if (!goes_on || (unused() && !handoff_)) {
            Time done = read;
            if (goes_on) {
                own(&me);
                done = world_.memory.rmw(line_, me.cpu, read);
            }
            spins_on_readers_ = false;
            me.pass_lines(watch_.queue.leave(me, done));
            return goes_on;
        }
        if (writer_ != nullptr || !reader_owned_) {
            spins_on_readers_ = false;
        } else if (!spins_on_readers_) {  // rwsem_rspin_threshold()
            spins_on_readers_ = true;
            threshold_ = world_.now() + Time::from_ns(500 * std::int64_t{20 + std::min(readers_, 30u)});
            world_.noted(me.number) = ++timers_;
            timer = lock_timer | std::uint64_t{me.number} << 32 | timers_;
        }
        watch_.spin_as_head(me, spins_on_readers_ ? threshold_ : Time::never(), timer);
    }
}

void RwSemaphore::sleep_as_writer(Context& task) {
    lock_waiters(task);
    const std::shared_ptr<Waiter> me = join(task, false);
    Waiters woken;
    if (list_.front() != me) {
        woken = wake_before_newcomer();
        world_.noted(task.number) = no_task;
    }
    task.pass_lines(world_.now());
    if (!woken.empty()) {
        wake(task, woken);
        task.pass_lines(world_.now());
        lock_waiters(task);
    }
    while (!try_write_lock(*me)) {
        bool sleeps = !handoff_ || handoff_set_by_ != me.get();
        if (!sleeps) task.pass_lines(world_.now());
        while (!sleeps && (writer_ != nullptr || reader_owned_)) {  // rwsem_spin_on_owner()
            sleeps = writer_ == nullptr || !may_spin();
            if (sleeps) break;
            world_.load(line_, task.cpu);
            watch_.spin_as_first(task);
        }
        if (sleeps) me->sleep();
        lock_waiters(task);
    }
}

/// rwsem_add_waiter()
std::shared_ptr<Waiter> RwSemaphore::join(Context& task, bool reads) {
    list_.push_back(std::make_shared<Waiter>());
    Waiter& me = *list_.back();
    me.task = &task;
    me.reads = reads;
    me.since_long = world_.now() + handoff_after_;
    return list_.back();
}

/// rwsem_try_write_lock(), with the wait_lock.
bool RwSemaphore::try_write_lock(Waiter& me) {
    const bool reserved = handoff_ && handoff_set_by_ == list_.front().get() && handoff_set_by_ != &me;
    if (!reserved && unused()) {
        own(me.task);
        handoff_ = false;
        std::erase_if(list_, [&](const auto& waiter) { return waiter.get() == &me; });
        me.task->pass_lines(world_.rmw(line_, me.task->cpu));
        return true;
    }
    if (!reserved && !handoff_ && world_.now() > me.since_long) {
        handoff_ = true;
        handoff_set_by_ = list_.front().get();
    }
    return false;
}

void RwSemaphore::lock_waiters(Context& me) { me.pass_lines(world_.rmw(line_, me.cpu)); }

/// rwsem_mark_wake(), with the wait_lock: lets in who may come in. Returns whom to wake.
RwSemaphore::Waiters RwSemaphore::mark_wake(bool readers_only) {
    constexpr std::size_t most = 256;  // MAX_READERS_WAKEUP
    if (list_.empty()) return {};
    const std::shared_ptr<Waiter> first = list_.front();
    if (!first->reads) return readers_only ? Waiters{} : Waiters{first};
    if (writer_ != nullptr) {
        if (world_.now() > first->since_long) {
            handoff_ = true;
            handoff_set_by_ = first.get();
        }
        return {};
    }
    reader_owned_ = true;
    Waiters woken;
    std::erase_if(list_, [&](const std::shared_ptr<Waiter>& waiter) {
        if (!waiter->reads || woken.size() == most) return false;
        waiter->given = true;
        ++readers_;
        woken.push_back(waiter);
        return true;
    });
    handoff_ = false;
    return woken;
}

/// rwsem_cond_wake_waiter(): if nobody writes, a newcomer to the list wakes those in front of it.
RwSemaphore::Waiters RwSemaphore::wake_before_newcomer() {
    if (writer_ != nullptr) return {};
    if (readers_ == 0) nonspinnable_ = false;
    if (readers_ > 0 && !list_.front()->reads) return {};
    return mark_wake(false);
}

/// wake_up_q(): one after the other.
void RwSemaphore::wake(Context& me, const Waiters& whom) {
    for (const auto& waiter : whom)
        if (waiter->asleep || !waiter->reads) me.pass_lines(world_.now() + waiter->wake());
    world_.noted(me.number) = no_task;  // the end of the list
}

void RwSemaphore::became_free() {
    if (unused()) watch_.changed();
}

Time RwSemaphore::unlock(Context& me, AcquireMode mode) {
    const bool reads = mode == AcquireMode::read;
    Time done = world_.rmw(line_, me.cpu);
    if (reads) {
        FORKSIM_CHECK(readers_ > 0, "an rwsem without readers was released by one");
        if (--readers_ == 0 && !list_.empty()) nonspinnable_ = false;  // clear_nonspinnable()
    } else {
        FORKSIM_CHECK(writer_ == &me, "an rwsem was released by somebody else than its writer");
        own(nullptr);
    }
    became_free();
    if (list_.empty() || (reads && !unused())) return done - world_.now();
    me.pass_lines(done);
    done = world_.rmw(line_, me.cpu);  // rwsem_wake(): wait_lock
    const Waiters woken = mark_wake(false);
    me.pass_lines(done);
    wake(me, woken);
    return {};
}

}  // namespace forksim::reference
