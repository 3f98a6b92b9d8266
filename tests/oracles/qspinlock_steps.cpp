#include "tests/oracles/qspinlock_steps.hpp"

#include <array>
#include <stdexcept>

namespace forksim::oracle {
namespace {

using Pc = QspinlockSteps::Pc;

constexpr std::uint32_t locked_value = 1;
constexpr std::uint32_t locked_mask = 0xff;
constexpr std::uint32_t pending_value = 0x100;
constexpr std::uint32_t pending_mask = 0xff00;
constexpr std::uint32_t tail_mask = 0xffff0000;

/// encode_tail(): two bits of nesting level, then CPU + 1.
constexpr std::uint32_t encode_tail(unsigned cpu) { return (cpu + 1) << 18; }
constexpr unsigned decode_tail(std::uint32_t tail) { return (tail >> 18) - 1; }

Access load(unsigned address, unsigned size) {
    return {.op = Op::load, .address = static_cast<std::uint8_t>(address), .size = static_cast<std::uint8_t>(size)};
}

Access store(unsigned address, unsigned size, std::uint32_t value, bool local = false) {
    return {.op = Op::store,
            .address = static_cast<std::uint8_t>(address),
            .size = static_cast<std::uint8_t>(size),
            .operand = value,
            .local = local};
}

Access cmpxchg(unsigned address, std::uint32_t from, std::uint32_t to) {
    return {.op = Op::cmpxchg, .address = static_cast<std::uint8_t>(address), .operand = to, .expected = from};
}

Access spin_until_clear(unsigned address, std::uint32_t mask) {
    return {.op = Op::spin, .address = static_cast<std::uint8_t>(address), .mask = mask};
}

/// A wait for a byte of one's own node. Once set it stays until this CPU queues again, so it is local.
Access spin_until_set(unsigned address) {
    return {
        .op = Op::spin, .address = static_cast<std::uint8_t>(address), .size = 1, .until_equal = false, .local = true};
}

}  // namespace

Access QspinlockSteps::next(unsigned cpu, const Registers& registers) const {
    const unsigned mine = node(cpu);
    switch (registers.pc) {
        case lock_cmpxchg:
        case trylock_cmpxchg:
            return cmpxchg(word, 0, locked_value);
        case pending_handover_spin: {  // bounded by _Q_PENDING_LOOPS
            Access access = spin_until_clear(word, ~0U);
            access.expected = pending_value;
            access.until_equal = false;
            access.may_give_up = true;
            return access;
        }
        case set_pending:  // lock bts, then a separate load
            return {.op = Op::bit_or, .address = word, .operand = pending_value};
        case set_pending_reread:
        case trylock_read:
            return load(word, 4);
        case undo_pending:
            return store(word + 1U, 1, 0);
        case pending_spin: {
            Access access = spin_until_clear(word, locked_mask);
            access.size = 1;
            return access;
        }
        case clear_pending_set_locked:
            return store(word, 2, locked_value);
        // A node is its CPU's own until the tail names it, and again once its successor has been passed the queue.
        case node_count_up:
            return store(mine + 2, 1, 1, true);
        case node_init_locked:
            return store(mine + 1, 1, 0, true);
        case node_init_next:
            return store(mine, 1, 0, true);
        case xchg_tail:
            return {.op = Op::xchg,
                    .address = static_cast<std::uint8_t>(word + 2),
                    .size = 2,
                    .operand = encode_tail(cpu) >> 16};
        case link_node:  // registers.next: predecessor + 1
            return store(node(registers.next - 1U), 1, cpu + 1);
        case node_spin:
            return spin_until_set(mine + 1);
        case node_read_next:
            return load(mine, 1);
        case prefetch_next:  // registers.next: successor + 1, here and below
            return {.op = Op::prefetch_write, .address = node(registers.next - 1U), .size = 1, .local = true};
        case head_spin:
            return spin_until_clear(word, locked_mask | pending_mask);
        case claim_cmpxchg:
            return cmpxchg(word, encode_tail(cpu), locked_value);
        case set_locked:
            return store(word, 1, locked_value);
        case next_spin:
            return spin_until_set(mine);
        case pass_to_next:  // the successor touches its node->locked no more until it has seen this
            return store(node(registers.next - 1U) + 1U, 1, 1, true);
        case node_count_down:
            return store(mine + 2, 1, 0, true);
        default:
            throw std::logic_error("no access of the queue spinlock");
    }
}

Access QspinlockSteps::unlock() const { return store(word, 1, 0); }

unsigned QspinlockSteps::resume(unsigned cpu, Registers& registers, std::uint32_t seen, bool gave_up) const {
    switch (registers.pc) {
        case lock_cmpxchg:
            if (seen == 0) {
                registers.pc = lock_returned;
                return acquired;
            }
            if (seen == pending_value) {
                registers.pc = pending_handover_spin;
            } else {
                registers.pc = (seen & ~locked_mask) != 0 ? node_count_up : set_pending;
            }
            return nothing;
        case pending_handover_spin:
            registers.pc = gave_up || (seen & ~locked_mask) != 0 ? node_count_up : set_pending;
            return nothing;
        case set_pending:
        case set_pending_reread:
        case undo_pending:
        case pending_spin:
        case clear_pending_set_locked:
            return resume_pending(registers, seen);
        default:
            return resume_queue(cpu, registers, seen);
    }
}

unsigned QspinlockSteps::resume_pending(Registers& registers, std::uint32_t seen) const {
    switch (registers.pc) {
        case set_pending:
            registers.value = seen & pending_value;
            registers.pc = set_pending_reread;
            return nothing;
        case set_pending_reread: {
            const std::uint32_t value = registers.value | (seen & ~pending_mask);
            registers.value = 0;
            if ((value & ~locked_mask) != 0) {
                registers.pc = (value & pending_mask) == 0 ? undo_pending : node_count_up;
                return nothing;
            }
            registers.pc = (value & locked_mask) != 0 ? pending_spin : clear_pending_set_locked;
            return queued;
        }
        case undo_pending:
            registers.pc = node_count_up;
            return nothing;
        case pending_spin:
            registers.pc = clear_pending_set_locked;
            return nothing;
        default:
            registers.pc = lock_returned;
            return acquired;
    }
}

unsigned QspinlockSteps::resume_queue(unsigned cpu, Registers& registers, std::uint32_t seen) const {
    const auto go = [&registers](Pc pc, unsigned events = nothing) {
        registers.pc = pc;
        return events;
    };
    switch (registers.pc) {
        case node_count_up:
            return go(node_init_locked);
        case node_init_locked:
            return go(node_init_next);
        case node_init_next:
            return go(trylock_read);
        case trylock_read:
            return go(seen == 0 ? trylock_cmpxchg : xchg_tail);
        case trylock_cmpxchg:
            return seen == 0 ? go(node_count_down, acquired) : go(xchg_tail);
        case xchg_tail:
            if (seen == 0) return go(head_spin, queued);
            registers.next = static_cast<std::uint8_t>(decode_tail(seen << 16) + 1);
            return go(link_node, queued);
        case link_node:
            registers.next = 0;
            return go(node_spin);
        case node_spin:
            return go(node_read_next);
        case node_read_next:
            registers.next = static_cast<std::uint8_t>(seen);
            return go(seen != 0 ? prefetch_next : head_spin);
        case prefetch_next:
            return go(head_spin);
        case head_spin:
            return go((seen & tail_mask) == encode_tail(cpu) ? claim_cmpxchg : set_locked);
        case claim_cmpxchg:
            return seen == encode_tail(cpu) ? go(node_count_down, acquired) : go(set_locked);
        case set_locked:
            return go(registers.next != 0 ? pass_to_next : next_spin, acquired);
        case next_spin:
            registers.next = static_cast<std::uint8_t>(seen);
            return go(pass_to_next);
        case pass_to_next:
            registers.next = 0;
            return go(node_count_down);
        default:
            return go(lock_returned);
    }
}

std::string_view QspinlockSteps::label(std::uint8_t pc) {
    static constexpr std::array<std::string_view, lock_returned> names{"done",
                                                                       "lock_cmpxchg",
                                                                       "pending_handover_spin",
                                                                       "set_pending",
                                                                       "set_pending_reread",
                                                                       "undo_pending",
                                                                       "pending_spin",
                                                                       "clear_pending_set_locked",
                                                                       "node_count_up",
                                                                       "node_init_locked",
                                                                       "node_init_next",
                                                                       "trylock_read",
                                                                       "trylock_cmpxchg",
                                                                       "xchg_tail",
                                                                       "link_node",
                                                                       "node_spin",
                                                                       "node_read_next",
                                                                       "prefetch_next",
                                                                       "head_spin",
                                                                       "claim_cmpxchg",
                                                                       "set_locked",
                                                                       "next_spin",
                                                                       "pass_to_next",
                                                                       "node_count_down"};
    return names.at(pc);
}

Layout Qspinlock::layout(unsigned cpus) const {
    Layout layout{
        .bytes = steps_.nodes + QspinlockSteps::node_bytes * cpus, .resting_bytes = 4, .line_of = {0, 0, 0, 0}};
    for (unsigned byte = 0; byte < QspinlockSteps::node_bytes * cpus; ++byte) {
        layout.line_of.push_back(static_cast<std::uint8_t>(1 + byte / QspinlockSteps::node_bytes));
    }
    return layout;
}

std::uint8_t Qspinlock::entry(Mode) const { return QspinlockSteps::lock_cmpxchg; }

Access Qspinlock::next(unsigned cpu, const Registers& registers) const {
    return registers.pc == unlock ? steps_.unlock() : steps_.next(cpu, registers);
}

unsigned Qspinlock::resume(unsigned cpu, Registers& registers, Mode, std::uint32_t seen, bool gave_up) const {
    if (registers.pc == unlock) return released | finished;
    return steps_.resume(cpu, registers, seen, gave_up);
}

std::string_view Qspinlock::label(std::uint8_t pc) const { return pc == unlock ? "unlock" : QspinlockSteps::label(pc); }

}  // namespace forksim::oracle
