#include "platforms/simgrid/pi_futex.hpp"

#include "platforms/simgrid/world.hpp"

namespace forksim::reference {

bool PiFutex::lock(Context& task, AcquireMode) {
    Time done = world_.rmw(line_, task.cpu);  // user space: cmpxchg 0 -> tid
    if (owner_ == nullptr) {
        owner_ = &task;
        task.pass_last(done);
        return false;
    }
    task.pass_lines(done);
    done = world_.rmw(line_, task.cpu);  // futex_lock_pi()
    if (owner_ == nullptr) {
        owner_ = &task;
        task.pass_lines(done);
        return true;
    }
    Waiter me{&task};
    list_.push_back(&me);
    task.pass_lines(done);
    while (!me.given) {  // rt_mutex_slowlock_block()
        if (list_.front() == &me && owner_->runs) {
            world_.load(line_, task.cpu);
            watch_.spin_as_first(task);
        } else {
            me.sleep();
        }
    }
    return true;
}

Time PiFutex::unlock(Context& me, AcquireMode) {
    Time done = world_.rmw(line_, me.cpu);  // user space: cmpxchg tid -> 0
    if (list_.empty()) {
        owner_ = nullptr;
        return done - world_.now();
    }
    me.pass_lines(done);
    done = world_.rmw(line_, me.cpu);  // futex_unlock_pi(), wake_futex_pi()
    Waiter& next = *list_.front();
    list_.pop_front();
    owner_ = next.task;
    next.given = true;
    watch_.changed();
    return done - world_.now() + next.wake();
}

}  // namespace forksim::reference
