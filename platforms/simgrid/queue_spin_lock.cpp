#include "platforms/simgrid/queue_spin_lock.hpp"

#include "platforms/simgrid/world.hpp"
#include "sim/check.hpp"

namespace forksim::reference {

bool QueueSpinLock::lock(Context& me) {
    const Time done = world_.rmw(line_, me.cpu);  // atomic_try_cmpxchg_acquire(&lock->val, &val, _Q_LOCKED_VAL)
    const Word seen = word_;
    if (seen == Word{}) {
        word_.locked = true;
        me.pass_last(done);
        return false;
    }
    me.pass_lines(done);
    lock_slowpath(me, seen);
    return true;
}

void QueueSpinLock::lock_slowpath(Context& me, Word seen) {
    // A hand-over to the pending waiter is in flight: atomic_cond_read_relaxed(&lock->val, VAL != _Q_PENDING_VAL).
    constexpr auto hands_over = [](const Word& word) { return word == Word{false, true, nullptr}; };
    while (hands_over(seen)) {
        me.poll(spinners_, line_, world_.now(), [&] { return !hands_over(word_); });
        seen = word_;
    }
    if (seen.pending || seen.tail != nullptr || !claim_pending(me)) wait_in_queue(me);
}

/// queued_fetch_set_pending_acquire(). Returns whether the lock was got that way, as the one waiter without a node.
bool QueueSpinLock::claim_pending(Context& me) {
    const Time done = world_.rmw(line_, me.cpu);
    if (word_.pending || word_.tail != nullptr) {
        if (!word_.pending) world_.memory.store(line_, me.cpu, done);  // clear_pending()
        me.pass_lines(done);
        return false;
    }
    word_.pending = true;
    if (word_.locked) {
        me.poll(spinners_, line_, done, [this] { return !word_.locked; });
    } else {
        me.pass_lines(done);
    }
    FORKSIM_CHECK(!word_.locked && word_.pending, "the pending waiter was overtaken");
    word_.pending = false;  // clear_pending_set_locked()
    word_.locked = true;
    world_.memory.store(line_, me.cpu, world_.now());
    Context::changed(world_, spinners_);
    return true;
}

void QueueSpinLock::wait_in_queue(Context& me) {
    McsNode& node = me.node;
    const LineId node_line = world_.memory.mcs_node(me.number, me.cpu);
    node.locked = false;
    node.next = nullptr;
    world_.memory.store(node_line, me.cpu, world_.now());

    Time done = world_.rmw(line_, me.cpu);  // queued_spin_trylock(), xchg_tail()
    if (word_ == Word{}) {
        word_.locked = true;
        me.pass_last(done);
        return;
    }
    McsNode* const previous = word_.tail;
    word_.tail = &node;
    world_.noted(me.number) = ++queued_;
    if (previous != nullptr) {
        // WRITE_ONCE(prev->next, node); arch_mcs_spin_lock_contended(&node->locked)
        previous->next = &node;
        const Cpu before = previous->context->cpu;
        node.linked = world_.memory.store(world_.memory.mcs_node(previous->context->number, before), me.cpu, done);
        Context::changed(world_, spinners_);  // the tail
        me.poll(node.spinners, node_line, done, [&node] { return node.locked; });
        done = world_.load(line_, me.cpu);
    } else {
        Context::changed(world_, spinners_);
    }
    // The head: atomic_cond_read_acquire(&lock->val, !(VAL & _Q_LOCKED_PENDING_MASK))
    if (is_locked_or_pending()) {
        me.poll(spinners_, line_, done, [this] { return !is_locked_or_pending(); });
    } else {
        me.pass_lines(done);
    }
    FORKSIM_CHECK(!is_locked_or_pending(), "the queue head was overtaken");
    word_.locked = true;
    if (word_.tail == &node) {  // atomic_try_cmpxchg_relaxed(&lock->val, &val, _Q_LOCKED_VAL)
        word_.tail = nullptr;
        me.pass_last(world_.rmw(line_, me.cpu));
        return;
    }
    world_.memory.store(line_, me.cpu, world_.now());  // set_locked(): the section begins while the store drains
    McsNode& next = *node.next;
    const Cpu behind = next.context->cpu;
    const LineId next_line = world_.memory.mcs_node(next.context->number, behind);
    world_.memory.store(next_line, me.cpu, later(world_.now(), next.linked));  // arch_mcs_spin_unlock_contended()
    next.locked = true;
    Context::changed(world_, next.spinners);
}

/// smp_store_release(&lock->locked, 0)
void QueueSpinLock::unlock(Context& me) {
    FORKSIM_CHECK(word_.locked, "a spinlock that is not held was released");
    word_.locked = false;
    world_.memory.store(line_, me.cpu, world_.now());
    Context::changed(world_, spinners_);
}

}  // namespace forksim::reference
