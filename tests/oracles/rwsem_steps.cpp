#include "tests/oracles/rwsem_steps.hpp"

#include <array>
#include <bit>

#include "tests/oracles/access.hpp"

namespace forksim::oracle {
namespace {

constexpr std::uint8_t count = 0;
constexpr std::uint8_t wait_lock = 1;
constexpr std::uint8_t list = 2;
constexpr std::uint8_t handoff_for = 4;
constexpr std::uint8_t per_cpu = 5;
constexpr std::uint8_t bytes_per_cpu = 2;
constexpr std::uint32_t writer = 1;
constexpr std::uint32_t waiters = 2;
constexpr std::uint32_t handoff = 4;
constexpr std::uint32_t reader = 8;
constexpr std::uint32_t is_reader = 8;  // in the list

constexpr std::uint8_t sleeping_of(unsigned cpu) { return static_cast<std::uint8_t>(per_cpu + bytes_per_cpu * cpu); }
constexpr std::uint8_t granted_of(unsigned cpu) { return static_cast<std::uint8_t>(sleeping_of(cpu) + 1); }

// registers.value: the list as read in bits 0-15, whom to wake in 16-19 (a set of CPUs), the count as read in 20-27,
// how to wake in 28-29. registers.spare: where a wake-up was called from. registers.next: 1 if first in the list.
constexpr std::uint32_t list_of(std::uint32_t value) { return value & 0xffff; }
constexpr std::uint32_t woken(std::uint32_t value) { return value >> 16 & 0xf; }
constexpr std::uint32_t count_of(std::uint32_t value) { return value >> 20 & 0xff; }
enum Type : std::uint32_t { any = 0, readers_only = 1, read_owned = 2 };
constexpr std::uint32_t type_of(std::uint32_t value) { return value >> 28; }
enum From : std::uint8_t { release = 1, steal, reader_queue, writer_queue };

/// Until nobody holds it, and with `but` cleared from what may be set besides.
Access spin_until_free(std::uint32_t but) {
    return {.op = Op::spin, .address = count, .size = 1, .mask = 0xff & ~but, .may_give_up = true};
}

std::uint32_t readers_of(std::uint32_t entries) {
    std::uint32_t set_of_cpus = 0;
    for_each_entry(entries, [&](std::uint32_t entry) {
        if ((entry & is_reader) != 0) set_of_cpus |= 1U << ((entry & 7) - 1);
    });
    return set_of_cpus;
}
std::uint32_t without_readers(std::uint32_t entries) {
    return filtered(entries, [](std::uint32_t entry) { return (entry & is_reader) == 0; });
}
unsigned first_of(std::uint32_t set_of_cpus) { return static_cast<unsigned>(std::countr_zero(set_of_cpus)); }

}  // namespace

Layout RwsemSteps::layout(unsigned cpus) const {
    Layout layout{.bytes = per_cpu + bytes_per_cpu * cpus, .resting_bytes = 4, .line_of = {0, 0, 0, 0, 0}};
    for (unsigned byte = 0; byte < bytes_per_cpu * cpus; ++byte)
        layout.line_of.push_back(static_cast<std::uint8_t>(1 + byte / bytes_per_cpu));
    return layout;
}

Access RwsemSteps::next(unsigned cpu, const Registers& registers) const {
    const std::uint32_t value = registers.value;
    const std::uint32_t entries = list_of(value);
    const std::uint32_t old = count_of(value);
    switch (registers.pc) {
        case read_add:
        case mark_add:
            return add(count, reader);
        case read_choose:
        case write_choose:
        case try_too_long:
        case mark_too_long:
            return choose(count);
        case write_fast:
            return cmpxchg(count, 0, writer);
        case write_spin:
            return spin_until_free(waiters);
        case write_spin_take:
            return cmpxchg(count, old, old | writer);
        case queue_lock_spin:
        case try_lock_spin:
        case mark_lock_spin:
            return spin_until_zero(wait_lock);
        case queue_lock_take:
        case try_lock_take:
        case mark_lock_take:
            return cmpxchg(wait_lock, 0, 1);
        case read_unlock_in:
        case try_unlock_in:
        case try_unlock:
        case mark_unlock:
            return store(wait_lock, 0);
        case read_list:
        case write_list:
        case try_list:
        case mark_list:
            return load(list, 2);
        case read_count:
        case write_count:
        case try_count:
        case mark_count:
            return load(count);
        case read_append:
        case write_append:
            return store(list, entries, 2);
        case read_adjust:
            return add(count, (registers.next != 0 ? waiters : 0) - reader);
        case read_prepare:
        case write_prepare:
        case write_prepare_again:
            return xchg(sleeping_of(cpu), 1);
        case read_check:
            return load(granted_of(cpu));
        case read_reset:
            return store(granted_of(cpu), 0);
        case read_sleep:
        case write_sleep:
            return spin_until_zero(sleeping_of(cpu));
        case write_waiters:
            return set_bits(count, waiters);
        case try_handoff_for:
            return load(handoff_for);
        case try_set_handoff:
            return cmpxchg(count, old, old | handoff);
        case mark_handoff:
            return set_bits(count, handoff);
        case try_handoff_set:
        case mark_handoff_set:
            return store(handoff_for, entries & 7);
        case try_take: {
            const bool alone = entries >> 4 == 0;
            return cmpxchg(count, old, (old | writer) & ~(handoff | (alone ? waiters : 0)));
        }
        case try_unlink:
            return store(list, filtered(entries, [cpu](std::uint32_t entry) { return entry != cpu + 1; }), 2);
        case try_clear_handoff:
            return store(handoff_for, 0);
        case handoff_spin:
            return spin_until_free(waiters | handoff);
        case mark_sub:
            return add(count, 0U - reader);
        case mark_unlink:
            return store(list, without_readers(entries), 2);
        case mark_adjust: {
            const auto granted = static_cast<std::uint32_t>(std::popcount(readers_of(entries)));
            std::uint32_t adjustment = reader * granted - (type_of(value) != read_owned ? reader : 0);
            if (without_readers(entries) == 0) adjustment -= waiters;
            if ((old & handoff) != 0) adjustment -= handoff;
            return add(count, adjustment);
        }
        case mark_grant:
            return store(granted_of(first_of(readers_of(entries))), 1);
        case mark_wake:
            return store(sleeping_of(first_of(woken(value))), 0);
        case read_release:
            return add(count, 0U - reader);
        default:  // write_release
            return add(count, 0U - writer);
    }
}

unsigned RwsemSteps::resume(unsigned cpu, Registers& registers, Mode mode, std::uint32_t seen, bool gave_up) const {
    const Go go{registers};
    const auto wake = [&](From from, Type type, unsigned events = nothing) {
        registers.spare = from;
        registers.value = static_cast<std::uint32_t>(type) << 28;
        return go(mark_lock_spin, events);
    };
    switch (registers.pc) {
        case read_add: {
            const std::uint32_t now = seen + reader;
            if ((seen & 7) == 0) return go(read_release, acquired);
            if ((now & (writer | handoff)) != 0) return go(queue_lock_spin);
            if (now >> 3 > 1) return go(read_choose);
            return (now & waiters) != 0 ? wake(steal, read_owned, acquired) : go(read_release, acquired);
        }
        case read_choose:
            return gave_up ? go(queue_lock_spin) : go(read_release, acquired);
        case write_fast:
            return seen == 0 ? go(write_release, acquired) : go(write_choose);
        case write_choose:
            return go(gave_up ? queue_lock_spin : write_spin);
        case write_spin:
            registers.value = gave_up ? 0 : seen << 20;
            return go(gave_up ? queue_lock_spin : write_spin_take);
        case write_spin_take: {
            const bool got = seen == count_of(registers.value);
            registers.value = 0;
            return got ? go(write_release, acquired) : go(write_spin);
        }
        case read_release: {
            const std::uint32_t now = (seen - reader) & 0xff;
            if ((now & ~handoff) == waiters) return wake(release, any, released);
            return released | finished;
        }
        case write_release:
            return (seen & waiters) != 0 ? wake(release, any, released) : unsigned{released | finished};
        default:
            if (registers.pc >= mark_lock_spin) return resume_mark(registers, seen, gave_up);
            if (registers.pc >= try_lock_spin) return resume_try(cpu, registers, seen, gave_up);
            return resume_list(cpu, registers, mode, seen);
    }
}

/// Joining the list; a reader's sleep.
unsigned RwsemSteps::resume_list(unsigned cpu, Registers& registers, Mode mode, std::uint32_t seen) const {
    const Go go{registers};
    /// rwsem_cond_wake_waiter(), with wait_lock.
    const auto wake_by_newcomer = [&](std::uint32_t now, From from) {
        registers.next = 0;
        registers.spare = from;
        registers.value = (now >> 3 != 0 ? readers_only : any) << 28;
        return go((now & writer) != 0 ? mark_unlock : mark_list);
    };
    switch (registers.pc) {
        case queue_lock_spin:
            return go(queue_lock_take);
        case queue_lock_take:
            if (seen != 0) return go(queue_lock_spin);
            return go(mode == Mode::exclusive ? write_list : read_list);
        case read_list:
            registers.next = seen == 0 ? 1 : 0;
            registers.value = with_entry(seen, (cpu + 1) | is_reader);
            return go(seen == 0 ? read_count : read_append);
        case read_count:
            if ((seen & (writer | handoff)) != 0) return go(read_append);
            registers.next = 0;
            registers.value = 0;
            return go(read_unlock_in);
        case read_unlock_in:
            return go(read_release, acquired);
        case read_append:
            registers.value = 0;
            return go(read_adjust);
        case read_adjust:
            return wake_by_newcomer((seen + (registers.next != 0 ? waiters : 0) - reader) & 0xff, reader_queue);
        case read_prepare:
            return go(read_check);
        case read_check:
            return go(seen != 0 ? read_reset : read_sleep);
        case read_sleep:
            return go(read_prepare);
        case read_reset:
            return go(read_release, acquired);
        case write_list:
            registers.next = seen == 0 ? 1 : 0;
            registers.value = with_entry(seen, cpu + 1);
            return go(write_append);
        case write_append:
            registers.value = 0;
            return go(registers.next != 0 ? write_waiters : write_count);
        case write_waiters:
            registers.next = 0;
            return go(write_prepare);
        case write_count:
            return wake_by_newcomer(seen, writer_queue);
        default:  // write_prepare
            return go(try_list);
    }
}

/// rwsem_try_write_lock() and the loop round it.
unsigned RwsemSteps::resume_try(unsigned cpu, Registers& registers, std::uint32_t seen, bool gave_up) const {
    const Go go{registers};
    const auto fail = [&](bool set_handoff) {
        registers.value = 0;
        registers.next = set_handoff ? 1 : 0;
        return go(try_unlock);
    };
    switch (registers.pc) {
        case try_lock_spin:
            return go(try_lock_take);
        case try_lock_take:
            return go(seen == 0 ? try_list : try_lock_spin);
        case try_list:
            registers.value = seen;
            return go(try_handoff_for);
        case try_handoff_for:
            registers.next = static_cast<std::uint8_t>(seen);
            return go(try_count);
        case try_count: {
            const std::uint32_t entries = list_of(registers.value);
            registers.value = entries | seen << 20;
            const bool mine = registers.next == cpu + 1;
            if ((seen & handoff) != 0 && registers.next == (entries & 0xf) && !mine) return fail(false);
            if ((seen & ~(waiters | handoff)) == 0) return go(try_take);
            if ((seen & handoff) != 0) return fail(mine && registers.next == (entries & 0xf));
            return go(try_too_long);
        }
        case try_too_long:
            return gave_up ? fail(false) : go(try_set_handoff);
        case try_set_handoff:
            return go(seen == count_of(registers.value) ? try_handoff_set : try_count);
        case try_handoff_set:
            return fail((list_of(registers.value) & 0xf) == cpu + 1);
        case try_take:
            return seen == count_of(registers.value) ? go(try_unlink, acquired) : go(try_count);
        case try_unlink:
            registers.value = 0;
            registers.next = 0;
            return go(try_clear_handoff);
        case try_clear_handoff:
            return go(try_unlock_in);
        case try_unlock_in:
            return go(write_release);
        case try_unlock: {
            const bool spins = registers.next != 0;
            registers.next = 0;
            return go(spins ? handoff_spin : write_sleep);
        }
        case handoff_spin:
            return go(gave_up ? write_sleep : try_lock_spin);
        case write_sleep:
            return go(write_prepare_again);
        default:  // write_prepare_again
            return go(try_lock_spin);
    }
}

unsigned RwsemSteps::resume_mark(Registers& registers, std::uint32_t seen, bool gave_up) const {
    const Go go{registers};
    const auto back = [&]() -> unsigned {
        const auto from = registers.spare;
        registers.value = 0;
        registers.spare = 0;
        if (from == release) return finished;
        return go(from == steal ? read_release : from == reader_queue ? read_prepare : try_lock_spin);
    };
    const std::uint32_t type = type_of(registers.value);
    switch (registers.pc) {
        case mark_lock_spin:
            return go(mark_lock_take);
        case mark_lock_take:
            return go(seen == 0 ? mark_list : mark_lock_spin);
        case mark_list:
            registers.value = seen | type << 28;
            if ((seen & 0xf) == 0) return go(mark_unlock);
            if ((seen & is_reader) == 0) {
                registers.value = type == any ? 1U << (16 + (seen & 7) - 1) : 0;
                return go(mark_unlock);
            }
            return go(type == read_owned ? mark_unlink : mark_add);
        case mark_add:
            return go((seen & writer) != 0 ? mark_too_long : mark_unlink);
        case mark_too_long:
            return go(gave_up ? mark_sub : mark_handoff);
        case mark_handoff:
            return go(mark_handoff_set);
        case mark_handoff_set:
            return go(mark_sub);
        case mark_sub:
            registers.value = 0;
            return go(mark_unlock);
        case mark_unlink:
            return go(mark_count);
        case mark_count:
            registers.value |= seen << 20;
            return go(mark_adjust);
        case mark_adjust:
            registers.value = list_of(registers.value) | readers_of(list_of(registers.value)) << 16;
            return go(mark_grant);
        case mark_grant: {
            const std::uint32_t done = first_of(readers_of(list_of(registers.value))) + 1;
            const std::uint32_t rest = filtered(list_of(registers.value), [done](std::uint32_t entry) {
                return (entry & is_reader) != 0 && (entry & 7) != done;
            });
            registers.value = rest | woken(registers.value) << 16;
            return go(rest != 0 ? mark_grant : mark_unlock);
        }
        case mark_unlock:
            registers.value = woken(registers.value) << 16;
            return registers.value == 0 ? back() : go(mark_wake);
        default: {  // mark_wake
            const std::uint32_t rest = woken(registers.value) & (woken(registers.value) - 1);
            registers.value = rest << 16;
            return rest == 0 ? back() : go(mark_wake);
        }
    }
}

std::string_view RwsemSteps::label(std::uint8_t pc) const {
    // clang-format off
    static constexpr std::array<std::string_view, 55> names{
        "done", "read_add", "read_choose", "write_fast", "write_choose", "write_spin", "write_spin_take",
        "queue_lock_spin", "queue_lock_take", "read_list", "read_count", "read_unlock_in", "read_append",
        "read_adjust", "read_prepare", "read_check", "read_sleep", "read_reset", "write_list", "write_append",
        "write_waiters", "write_count", "write_prepare", "try_lock_spin", "try_lock_take", "try_list",
        "try_handoff_for", "try_count", "try_too_long", "try_set_handoff", "try_handoff_set", "try_take",
        "try_unlink", "try_clear_handoff", "try_unlock_in", "try_unlock", "handoff_spin", "write_sleep",
        "write_prepare_again", "mark_lock_spin", "mark_lock_take", "mark_list", "mark_add", "mark_too_long",
        "mark_handoff", "mark_handoff_set", "mark_sub", "mark_unlink", "mark_count", "mark_adjust", "mark_grant",
        "mark_unlock", "mark_wake", "read_release", "write_release"};
    // clang-format on
    return names.at(pc);
}

}  // namespace forksim::oracle
