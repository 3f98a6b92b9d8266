#include "platforms/simgrid/ticket_lock.hpp"

#include "platforms/simgrid/world.hpp"
#include "sim/check.hpp"
#include "sim/random.hpp"

namespace forksim::reference {

TicketLock::TicketLock(World& world, LineId line, std::uint64_t name) : world_(world), line_(line), name_(name) {
    world_.memory.lines.serve_in_turn(line_);
}

bool TicketLock::lock(Context& me, AcquireMode) {
    Time done = world_.rmw(line_, me.cpu);  // xadd(&lock->tickets, inc)
    const std::uint32_t mine = tail_++;
    world_.noted(me.number) = mine;
    if (mine == head_) {
        me.pass_last(done);
        return false;
    }
    line_up_.push_back(&me);
    me.pass_lines(done);
    done = world_.load(line_, me.cpu);  // while (READ_ONCE(lock->tickets.head) != inc.tail) cpu_relax()
    if (mine == head_) {
        me.pass_last(done);
    } else {
        me.poll_at_once(spinners_, line_, [this, mine] { return mine == head_; });
    }
    FORKSIM_CHECK(mine == head_ && line_up_.front() == &me, "a ticket was served out of turn");
    line_up_.pop_front();
    return true;
}

/// __add(&lock->tickets.head, TICKET_LOCK_INC, UNLOCK_LOCK_PREFIX): no locked instruction
Time TicketLock::unlock(Context& me, AcquireMode) {
    FORKSIM_CHECK(head_ != tail_, "a ticket lock that is not held was released");
    ++head_;
    if (spinners_.size() > 1) {
        const Context& next = *line_up_.front();
        const std::uint64_t high = draw(next.stream, next.iteration, name_, 0)[0] >> 32;
        world_.memory.lines.turn_watchers(line_, static_cast<std::uint32_t>(high * spinners_.size() >> 32));
    }
    world_.memory.store(line_, me.cpu, world_.now());
    Context::changed(world_, spinners_);
    return {};
}

}  // namespace forksim::reference
