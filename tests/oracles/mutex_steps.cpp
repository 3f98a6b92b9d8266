#include "tests/oracles/mutex_steps.hpp"

#include <array>

#include "tests/oracles/access.hpp"

namespace forksim::oracle {
namespace {

constexpr std::uint8_t owner = 0;
constexpr std::uint8_t wait_lock = 1;
constexpr std::uint8_t list = 2;
constexpr std::uint8_t tail = 4;
constexpr std::uint8_t per_cpu = 5;
constexpr std::uint8_t bytes_per_cpu = 3;
constexpr std::uint32_t waiters = 1;
constexpr std::uint32_t handoff = 2;
constexpr std::uint32_t pickup = 4;
constexpr std::uint32_t flags = 7;

constexpr std::uint8_t of_cpu(unsigned cpu, unsigned byte) {
    return static_cast<std::uint8_t>(per_cpu + bytes_per_cpu * cpu + byte);
}
constexpr std::uint8_t sleeping_of(unsigned cpu) { return of_cpu(cpu, 0); }
constexpr std::uint8_t next_of(unsigned cpu) { return of_cpu(cpu, 1); }
constexpr std::uint8_t locked_of(unsigned cpu) { return of_cpu(cpu, 2); }

constexpr std::uint32_t task(unsigned cpu) { return (cpu + 1) << 3; }

/// A poll of the owner until it has changed, which may end at any time.
Access spin_on_owner(std::uint32_t value) {
    return {.op = Op::spin, .address = owner, .size = 1, .expected = value, .until_equal = false, .may_give_up = true};
}

}  // namespace

Layout MutexSteps::layout(unsigned cpus) const {
    Layout layout{.bytes = per_cpu + bytes_per_cpu * cpus, .resting_bytes = 5, .line_of = {0, 0, 0, 0, 0}};
    for (unsigned cpu = 0; cpu < cpus; ++cpu)
        for (unsigned byte = 0; byte < bytes_per_cpu; ++byte)
            layout.line_of.push_back(static_cast<std::uint8_t>(1 + cpu));
    return layout;
}

/// registers.value: the owner, or the list, as it was read. registers.next: CPU + 1 of a neighbour in the OSQ or of
/// whom to wake. registers.spare: bit 0, has the mutex; bit 1, is first in the list.
Access MutexSteps::next(unsigned cpu, const Registers& registers) const {
    const unsigned other = registers.next - 1U;
    const std::uint32_t value = registers.value;
    switch (registers.pc) {
        case fast:
            return cmpxchg(owner, 0, task(cpu));
        case slow_read:  // giving up: does not spin
            return choose(owner);
        case slow_take:
        case head_take:
        case try_take:
        case woken_take:
            return cmpxchg(owner, value, (value & flags & ~pickup) | task(cpu));
        case set_handoff:
            return cmpxchg(owner, value, value | handoff);
        case osq_reset:
            return store(next_of(cpu), 0, 2);  // next and locked
        case osq_swap:
            return xchg(tail, cpu + 1);
        case osq_link:
            return store(next_of(other), cpu + 1);
        case osq_wait:
            return spin_until_set(locked_of(cpu));
        case head_read:
        case try_read:
        case woken_read:
        case clear_read:
        case unlock_read:
        case hand_over_read:
            return load(owner);
        case head_spin:
        case first_spin:
            return spin_on_owner(value);
        case osq_clear:
            return cmpxchg(tail, cpu + 1, 0);
        case osq_next:
            return spin_until_set(next_of(cpu));
        case osq_pass:
            return store(locked_of(other), 1);
        case lock_spin:
        case wake_lock_spin:
            return spin_until_zero(wait_lock);
        case lock_take:
        case wake_lock_take:
            return cmpxchg(wait_lock, 0, 1);
        case lock_release:
        case leave_release:
        case wake_lock_release:
            return store(wait_lock, 0);
        case list_read:
        case is_first:
        case leave_read:
        case wake_list_read:
            return load(list, 2);
        case list_append:
        case leave_write:
            return store(list, value, 2);
        case set_waiters:
            return set_bits(owner, waiters);
        case prepare_to_sleep:
        case prepare_again:
            return xchg(sleeping_of(cpu), 1);
        case sleep:
            return spin_until_zero(sleeping_of(cpu));
        case clear_flags:
            return cmpxchg(owner, value, value & ~flags);
        case unlock_fast:
            return cmpxchg(owner, task(cpu), 0);
        case unlock_give_up:
            return cmpxchg(owner, value, value & flags);
        case hand_over:
            return cmpxchg(owner, value, task(other) | pickup | (value & waiters));
        default:  // wake_first
            return store(sleeping_of(other), 0);
    }
}

unsigned MutexSteps::resume(unsigned cpu, Registers& registers, Mode, std::uint32_t seen, bool gave_up) const {
    if (registers.pc >= unlock_fast) return resume_release(registers, seen);
    if (registers.pc >= lock_spin) return resume_sleeping(cpu, registers, seen, gave_up);
    return resume_spinning(cpu, registers, seen, gave_up);
}

unsigned MutexSteps::resume_spinning(unsigned cpu, Registers& registers, std::uint32_t seen, bool gave_up) const {
    const Go go{registers};
    const auto out_of_osq = [&] {
        registers.next = 0;
        const bool has_it = registers.spare != 0;
        registers.spare = 0;
        return go(has_it ? unlock_fast : lock_spin);
    };
    switch (registers.pc) {
        case fast:
            return seen == 0 ? go(unlock_fast, acquired) : go(slow_read);
        case slow_read:
            if (seen >> 3 == 0) {
                registers.value = seen;
                return go(slow_take);
            }
            return go(gave_up ? lock_spin : osq_reset);
        case slow_take: {
            const bool got = seen == registers.value;
            registers.value = 0;
            return got ? go(unlock_fast, acquired) : go(slow_read);
        }
        case osq_reset:
            return go(osq_swap);
        case osq_swap:
            registers.next = static_cast<std::uint8_t>(seen);
            return go(seen == 0 ? head_read : osq_link);
        case osq_link:
            registers.next = 0;
            return go(osq_wait);
        case osq_wait:
            return go(head_read);
        case head_read:
            registers.value = seen;
            return go(seen >> 3 == 0 ? head_take : head_spin);
        case head_take: {
            const bool got = seen == registers.value;
            registers.value = 0;
            if (!got) return go(head_read);
            registers.spare = 1;
            return go(osq_clear, acquired);
        }
        case head_spin:
            registers.value = 0;
            return go(gave_up ? osq_clear : head_read);
        case osq_clear:
            return seen == cpu + 1 ? out_of_osq() : go(osq_next);
        case osq_next:
            registers.next = static_cast<std::uint8_t>(seen);
            return go(osq_pass);
        default:  // osq_pass
            return out_of_osq();
    }
}

unsigned MutexSteps::resume_sleeping(unsigned cpu, Registers& registers, std::uint32_t seen, bool gave_up) const {
    constexpr std::uint8_t has_it = 1;
    constexpr std::uint8_t first = 2;
    constexpr std::uint8_t listed = 4;
    const Go go{registers};
    const auto can_take = [cpu](std::uint32_t value) {
        return value >> 3 == 0 || ((value & pickup) != 0 && value >> 3 == cpu + 1);
    };
    switch (registers.pc) {
        case lock_spin:
            return go(lock_take);
        case lock_take:
            if (seen != 0) return go(lock_spin);
            if ((registers.spare & has_it) != 0) return go(leave_read);
            return go(try_read);
        case try_read:
            if (can_take(seen)) {
                registers.value = seen;
                return go(try_take);
            }
            if ((registers.spare & listed) == 0) return go(list_read);
            return go(lock_release);
        case try_take: {
            const bool got = seen == registers.value;
            registers.value = 0;
            if (!got) return go(try_read);
            if ((registers.spare & listed) == 0) return go(leave_release, acquired);
            registers.spare = has_it;
            return go(leave_read, acquired);
        }
        case list_read:
            registers.spare = static_cast<std::uint8_t>(listed | (seen == 0 ? first : 0));
            registers.value = with_entry(seen, cpu + 1);
            return go(list_append);
        case list_append:
            registers.value = 0;
            return go((registers.spare & first) != 0 ? set_waiters : prepare_to_sleep);
        case set_waiters:
            return go(prepare_to_sleep);
        case prepare_to_sleep:
            registers.spare = listed;
            return go(try_read);
        case lock_release:
            return go(sleep);
        case sleep:
            return go(is_first);
        case is_first:
            registers.spare = static_cast<std::uint8_t>(listed | ((seen & 0xf) == cpu + 1 ? first : 0));
            return go(prepare_again);
        case prepare_again:
            return go(woken_read);
        case woken_read:
            registers.value = seen;
            if (can_take(seen)) return go(woken_take);
            if ((registers.spare & first) != 0) return go((seen & handoff) != 0 ? first_spin : set_handoff);
            registers.value = 0;
            registers.spare = listed;
            return go(lock_spin);
        case woken_take: {
            const bool got = seen == registers.value;
            registers.value = 0;
            if (!got) return go(woken_read);
            registers.spare = has_it;
            return go(lock_spin, acquired);
        }
        case set_handoff: {
            const bool set = seen == registers.value;
            registers.value = set ? seen | handoff : 0;
            return go(set ? first_spin : woken_read);
        }
        case first_spin:
            registers.value = 0;
            if (!gave_up) return go(woken_read);
            registers.spare = listed;
            return go(lock_spin);
        case leave_read:
            registers.value = filtered(seen, [cpu](std::uint32_t entry) { return entry != cpu + 1; });
            return go(leave_write);
        case leave_write: {
            const bool empty = registers.value == 0;
            registers.value = 0;
            return go(empty ? clear_read : leave_release);
        }
        case clear_read:
            registers.value = seen;
            return go(clear_flags);
        case clear_flags: {
            const bool done = seen == registers.value;
            registers.value = 0;
            return go(done ? leave_release : clear_read);
        }
        default:  // leave_release
            registers.spare = 0;
            return go(unlock_fast);
    }
}

unsigned MutexSteps::resume_release(Registers& registers, std::uint32_t seen) const {
    const Go go{registers};
    switch (registers.pc) {
        case unlock_fast:
            // Anything but the bare owner there has failed.
            return (seen & flags) == 0 ? unsigned{released | finished} : go(unlock_read);
        case unlock_read:
            registers.value = seen;
            registers.spare = (seen & handoff) != 0 ? 1 : 0;
            return go(registers.spare != 0 ? wake_lock_spin : unlock_give_up);
        case unlock_give_up: {
            const bool gone = seen == registers.value;
            registers.value = 0;
            if (!gone) return go(unlock_read);
            if ((seen & waiters) == 0) return released | finished;
            return go(wake_lock_spin, released);
        }
        case wake_lock_spin:
            registers.value = 0;
            return go(wake_lock_take);
        case wake_lock_take:
            return go(seen == 0 ? wake_list_read : wake_lock_spin);
        case wake_list_read:
            registers.next = static_cast<std::uint8_t>(seen & 0xf);
            return go(registers.spare != 0 ? hand_over_read : wake_lock_release);
        case hand_over_read:
            registers.value = seen;
            return go(hand_over);
        case hand_over: {
            const bool done = seen == registers.value;
            registers.value = 0;
            if (!done) return go(hand_over_read);
            registers.spare = 0;
            return go(wake_lock_release, released);
        }
        case wake_lock_release:
            return registers.next == 0 ? unsigned{finished} : go(wake_first);
        default:  // wake_first
            return finished;
    }
}

std::string_view MutexSteps::label(std::uint8_t pc) const {
    // clang-format off
    static constexpr std::array<std::string_view, 45> names{
        "done", "fast", "slow_read", "slow_take", "osq_reset", "osq_swap", "osq_link", "osq_wait", "head_read",
        "head_take", "head_spin", "osq_clear", "osq_next", "osq_pass", "lock_spin", "lock_take", "list_read",
        "list_append", "set_waiters", "prepare_to_sleep", "try_read", "try_take", "lock_release", "sleep",
        "prepare_again", "is_first", "woken_read", "woken_take", "set_handoff", "first_spin", "leave_read",
        "leave_write", "clear_read", "clear_flags", "leave_release", "unlock_fast", "unlock_read", "unlock_give_up",
        "wake_lock_spin", "wake_lock_take", "wake_list_read", "hand_over_read", "hand_over", "wake_lock_release",
        "wake_first"};
    // clang-format on
    return names.at(pc);
}

}  // namespace forksim::oracle
