#include "platforms/simgrid/sleeping.hpp"

#include <utility>

#include "platforms/simgrid/world.hpp"

namespace forksim::reference {

Time Waiter::wake() {
    if (!std::exchange(asleep, false)) return {};
    task->world.cpus.wake(*task);
    return task->world.config.wake_cost;
}

OptimisticQueue::OptimisticQueue(World& world, LineId line) : world_(world), line_(line) {
    world.memory.need_osq_nodes(world.topology);
}

void OptimisticQueue::enter(Context& me) {
    const Time done = world_.rmw(line_, me.cpu);  // atomic_xchg(&lock->tail, curr)
    queue_.push_back({&me, {}});
    if (queue_.size() == 1) {
        me.pass_lines(done);
        return;
    }
    const Cpu before = queue_[queue_.size() - 2].task->cpu;
    queue_.back().linked = world_.memory.store(world_.memory.osq_node(before), me.cpu, done);  // prev->next = node
    world_.memory.lines.watch(world_.memory.osq_node(me.cpu), me.poller(), done);
    me.spin_until_told();  // smp_cond_load_relaxed(&node->locked, VAL || need_resched() || ...)
}

Time OptimisticQueue::leave(Context& me, Time from) {
    const Time done = world_.memory.rmw(line_, me.cpu, from);  // atomic_cmpxchg_release(&lock->tail, curr, unlocked)
    queue_.pop_front();
    if (queue_.empty()) return done;
    const Node& next = queue_.front();
    const LineId line = world_.memory.osq_node(next.task->cpu);
    world_.memory.store(line, me.cpu, later(done, next.linked));  // next->locked = 1
    const Time sees = world_.memory.lines.seen(next.task->poller());
    world_.memory.lines.unwatch(line, next.task->poller());
    next.task->tell(sees);
    return done;
}

void OwnerWatch::spin(Context& me, Context*& as, Time deadline, std::uint64_t timer) {
    as = &me;
    world_.memory.lines.watch(line_, me.poller(), world_.now());
    if (me.spin_until_told(deadline, timer)) return;
    stop(as, world_.now());
    me.pass_lines(world_.now());
}

void OwnerWatch::changed() {
    for (Context** spinner : {&first_, &head_})
        if (*spinner != nullptr) stop(*spinner, world_.memory.lines.seen((*spinner)->poller()));
}

void OwnerWatch::owner_left(const Context& owner) {
    for (Context** spinner : {&first_, &head_}) {
        if (*spinner == nullptr) continue;
        const Cpu cpu = (*spinner)->cpu;
        const std::uint32_t home = world_.topology.cpus[cpu].socket;
        stop(*spinner, world_.now() + world_.memory.lines.transfer(cpu, owner.cpu, home));
    }
}

void OwnerWatch::stop(Context*& spinner, Time sees) {
    Context& who = *std::exchange(spinner, nullptr);
    world_.memory.lines.unwatch(line_, who.poller());
    who.tell(sees);
}

}  // namespace forksim::reference
