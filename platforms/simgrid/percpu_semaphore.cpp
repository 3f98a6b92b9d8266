#include "platforms/simgrid/percpu_semaphore.hpp"

#include <utility>

#include "platforms/simgrid/world.hpp"
#include "sim/check.hpp"

namespace forksim::reference {

bool WriterSync::enter(Context& me) {
    ++count_;
    if (state_ == idle) {
        state_ = entering;
        world_.rcu.synchronize(me);
        state_ = passed;
        const WaitList others = std::exchange(entering_, {});
        me.pass_lines(world_.now());
        for (Waiter* other : others) me.pass_lines(world_.now() + other->wake());  // wake_up_locked()
        me.pass_lines(world_.now());
        return true;
    }
    if (state_ != entering) return false;
    Waiter waiter{&me};
    entering_.push_back(&waiter);
    waiter.sleep();
    me.pass_lines(world_.now());
    return true;
}

void WriterSync::exit() {
    FORKSIM_CHECK(count_ > 0, "rcu_sync_exit() without rcu_sync_enter()");
    if (--count_ > 0) return;
    if (state_ == passed) {
        call();
    } else if (state_ == exiting) {
        state_ = replay;
    }
}

/// rcu_sync_call(), rcu_sync_func()
void WriterSync::call() {
    state_ = exiting;
    world_.rcu.call([this] {
        if (count_ > 0) {
            state_ = passed;
        } else if (state_ == replay) {
            call();
        } else {
            state_ = idle;
        }
    });
}

PercpuSemaphore::PercpuSemaphore(World& world, LineId line, bool always_slow)
    : world_(world),
      line_(line),
      sync_line_(world.memory.lines.add(world.topology.home_node, LineUse::word)),
      sync_(world, always_slow),
      waiters_lock_(world, line) {
    for (const CpuPlace& place : world.topology.cpus)
        counters_.push_back(world.memory.lines.add(place.socket, LineUse::word));
}

/// rcuwait_wake_up(&sem->writer): it looks again. Returns until when that takes the CPU.
Time PercpuSemaphore::prod(Context& me, Time from) {
    const Time seen = world_.memory.load(sync_line_, me.cpu, from);
    return drainer_ == nullptr ? seen : seen + drainer_->wake();
}

/// __percpu_down_read_trylock(), for itself or for one in the queue. `done`: when it is over.
bool PercpuSemaphore::try_read(Context& me, Time& done) {
    const LineId counter = counters_[me.cpu];
    done = world_.memory.load(line_, me.cpu, world_.rmw(counter, me.cpu));  // this_cpu_inc(); smp_mb(); sem->block
    if (!blocked_) {
        ++readers_;
        return true;
    }
    world_.memory.store(counter, me.cpu, done);  // this_cpu_dec()
    done = prod(me, done);
    return false;
}

bool PercpuSemaphore::down_read(Context& me) {
    if (sync_.is_idle()) {
        ++readers_;
        world_.memory.store(counters_[me.cpu], me.cpu, world_.now());
        return false;
    }
    Time done;
    if (try_read(me, done)) {
        me.pass_last(done);
        return false;
    }
    me.pass_lines(done);
    Waiter waiter{&me};
    waiter.reads = true;
    wait(waiter);
    return true;
}

Time PercpuSemaphore::up_read(Context& me) {
    FORKSIM_CHECK(readers_ > 0, "a percpu_rwsem without readers was released by one");
    --readers_;
    if (sync_.is_idle()) {
        world_.memory.store(counters_[me.cpu], me.cpu, world_.now());
        return {};
    }
    return prod(me, world_.rmw(counters_[me.cpu], me.cpu)) - world_.now();  // smp_mb(); this_cpu_dec()
}

bool PercpuSemaphore::down_write(Context& task) {
    Time done = world_.rmw(sync_line_, task.cpu);
    Waiter me{&task};
    bool waited = sync_.enter(task);
    if (!waited) task.pass_lines(done);
    // __percpu_down_write_trylock()
    done = world_.load(line_, task.cpu);
    if (blocked_) {
        waited = true;
        task.pass_lines(done);
        wait(me);
    } else {
        blocked_ = true;
        task.pass_lines(world_.memory.rmw(line_, task.cpu, done));
    }
    const bool drained = drain(me);
    return waited || drained;
}

/// rcuwait_wait_event(&sem->writer, readers_active_check(sem)). Returns whether it has slept.
bool PercpuSemaphore::drain(Waiter& me) {
    constexpr std::int64_t loads_under_way = 10;
    Context& task = *me.task;
    for (bool slept = false;; slept = true) {
        const Time now = world_.now();
        if (drainer_ == nullptr) world_.memory.store(sync_line_, task.cpu, now);
        drainer_ = &me;
        Time sum;
        Time longest;
        for (const LineId counter : counters_) {
            const Time took = world_.load(counter, task.cpu) - now;
            sum += took;
            longest = later(longest, took);
        }
        task.pass_lines(now + later(longest, sum / loads_under_way));
        if (readers_ == 0) {
            world_.memory.store(sync_line_, task.cpu, world_.now());
            drainer_ = nullptr;
            return slept;
        }
        me.sleep();
    }
}

/// percpu_rwsem_wait(): returns when somebody has taken the lock for it, or for a writer, `block`; or it has itself.
void PercpuSemaphore::wait(Waiter& me) {
    Context& task = *me.task;
    ++task.irq_off;
    waiters_lock_.lock(task);
    Time done = world_.now();
    if (me.reads) {
        me.given = try_read(task, done);
    } else {
        done = world_.rmw(line_, task.cpu);
        me.given = !std::exchange(blocked_, true);
    }
    if (!me.given) queue_.push_back(&me);
    task.pass_lines(done);
    waiters_lock_.unlock(task);
    --task.irq_off;
    task.pass_lines(world_.now());
    while (!me.given) me.sleep();
    if (!me.reads) task.pass_lines(world_.now());
}

/// __wake_up(&sem->waiters, TASK_NORMAL, 1, sem), with waiters.lock: percpu_rwsem_wake_function() takes the lock for
/// one after the other, up to the first writer, and wakes it.
void PercpuSemaphore::wake_queue(Context& me) {
    bool goes_on = true;
    while (goes_on && !queue_.empty()) {
        Waiter& next = *queue_.front();
        Time done;
        bool taken;
        if (next.reads) {
            taken = try_read(me, done);
        } else {
            done = world_.rmw(line_, me.cpu);
            taken = !std::exchange(blocked_, true);
        }
        goes_on = taken && next.reads;
        if (taken) {
            queue_.pop_front();
            next.given = true;
            done += next.wake();
        }
        me.pass_lines(done);
    }
    if (goes_on) me.pass_lines(world_.now());  // the queue is empty
}

Time PercpuSemaphore::up_write(Context& me) {
    blocked_ = false;
    world_.memory.store(line_, me.cpu, world_.now());
    ++me.irq_off;
    waiters_lock_.lock(me);
    wake_queue(me);
    waiters_lock_.unlock(me);
    --me.irq_off;
    me.pass_lines(world_.now());
    const Time done = world_.rmw(sync_line_, me.cpu);  // rcu_sync_exit()
    sync_.exit();
    return done - world_.now();
}

}  // namespace forksim::reference
