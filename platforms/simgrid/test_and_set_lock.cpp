#include "platforms/simgrid/test_and_set_lock.hpp"

#include <algorithm>

#include "platforms/simgrid/world.hpp"
#include "sim/check.hpp"
#include "sim/random.hpp"

namespace forksim::reference {

bool TestAndSetLock::lock(Context& me, AcquireMode) {
    Time done = world_.rmw(line_, me.cpu);  // atomic_try_cmpxchg(&lock->val, &val, _Q_LOCKED_VAL)
    if (!locked_) {
        locked_ = true;
        me.pass_last(done);
        return false;
    }
    me.pass_lines(done);
    do {  // val = atomic_read(&lock->val)
        done = world_.load(line_, me.cpu);
        if (locked_) {
            poll_word(me);
        } else {
            me.pass_lines(done);
        }
    } while (locked_);  // somebody came first
    done = world_.rmw(line_, me.cpu);
    locked_ = true;
    fail_before(world_.memory.lines.free_at(line_));
    me.pass_last(done);
    return true;
}

void TestAndSetLock::poll_word(Context& me) {
    world_.memory.lines.watch_at_once(line_, me.poller());
    polls_.push_back({&me, Time::never()});
    me.spin_until_told();
}

/// Up to one turn of the polling loop.
Time TestAndSetLock::turn_of(const Context& who) const {
    const auto turn = static_cast<std::uint64_t>(world_.spec.spin.turn.ps);
    if (turn == 0) return {};
    const std::uint64_t key = mix(name_, ++world_.turns(who.number));
    return Time{static_cast<std::int64_t>((draw(who.stream, who.iteration, key, 0)[0] >> 32) * turn >> 32)};
}

/// smp_store_release(&lock->locked, 0)
Time TestAndSetLock::unlock(Context& me, AcquireMode) {
    FORKSIM_CHECK(locked_, "a test-and-set lock that is not held was released");
    locked_ = false;
    world_.memory.store(line_, me.cpu, world_.now());
    if (polls_.empty()) return {};
    for (Poll& poll : polls_) poll.looks = world_.memory.lines.seen(poll.who->poller()) + turn_of(*poll.who);
    const auto first =
        std::min_element(polls_.begin(), polls_.end(), [](const Poll& a, const Poll& b) { return a.looks < b.looks; });
    const Poll winner = *first;
    polls_.erase(first);
    world_.memory.lines.unwatch(line_, winner.who->poller());
    winner.who->tell(winner.looks);
    return {};
}

/// Those that have looked before `until`, when the winner has the word, try too: one after the other they fetch it for
/// a cmpxchg that fails, then read it again.
void TestAndSetLock::fail_before(Time until) {
    std::vector<Poll*> misled;
    for (Poll& poll : polls_)
        if (poll.looks < until) misled.push_back(&poll);
    for (const Poll* poll : misled) world_.memory.lines.unwatch(line_, poll->who->poller());
    for (const Poll* poll : misled) world_.memory.rmw(line_, poll->who->cpu, poll->looks);
    for (Poll* poll : misled) {
        world_.memory.load(line_, poll->who->cpu, poll->looks);
        world_.memory.lines.watch_at_once(line_, poll->who->poller());
        poll->looks = Time::never();
    }
}

}  // namespace forksim::reference
