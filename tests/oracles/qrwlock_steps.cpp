#include "tests/oracles/qrwlock_steps.hpp"

#include <array>

namespace forksim::oracle {
namespace {

constexpr std::uint32_t writer_locked = 0xff;
constexpr std::uint32_t writer_waiting = 0x100;
constexpr std::uint32_t writer_mask = writer_locked | writer_waiting;
constexpr std::uint32_t reader_bias = 0x200;

Access cnts(Op op, std::uint32_t operand) { return {.op = op, .operand = operand}; }

Access cnts_cmpxchg(std::uint32_t from) { return {.op = Op::cmpxchg, .operand = writer_locked, .expected = from}; }

}  // namespace

Layout Qrwlock::layout(unsigned cpus) const {
    Layout layout{.bytes = wait_lock_.nodes + QspinlockSteps::node_bytes * cpus, .resting_bytes = 8, .line_of = {}};
    layout.line_of.assign(wait_lock_.nodes, 0);
    for (unsigned byte = 0; byte < QspinlockSteps::node_bytes * cpus; ++byte) {
        layout.line_of.push_back(static_cast<std::uint8_t>(1 + byte / QspinlockSteps::node_bytes));
    }
    return layout;
}

std::uint8_t Qrwlock::entry(Mode mode) const { return mode == Mode::exclusive ? write_cmpxchg : read_add; }

Access Qrwlock::next(unsigned cpu, const Registers& registers) const {
    switch (registers.pc) {
        case read_add:
        case read_add_queued:
            return cnts(Op::add, reader_bias);
        case read_undo:
        case read_unlock:
            return cnts(Op::add, 0U - reader_bias);
        case read_interrupt_spin:
        case read_spin:
            return {.op = Op::spin, .mask = writer_locked};
        case read_unlock_wait_lock:
        case write_unlock_wait_lock:
            return wait_lock_.unlock();
        case write_cmpxchg:
        case write_try_cmpxchg:
            return cnts_cmpxchg(0);
        case write_try_read:
            return cnts(Op::load, 0);
        case write_set_waiting:
            return cnts(Op::bit_or, writer_waiting);
        case write_spin:
            return {.op = Op::spin, .expected = writer_waiting};
        case write_claim_cmpxchg:
            return cnts_cmpxchg(writer_waiting);
        case write_unlock:
            return {.op = Op::store, .size = 1, .operand = 0};
        default:
            return wait_lock_.next(cpu, registers);
    }
}

unsigned Qrwlock::resume(unsigned cpu, Registers& registers, Mode mode, std::uint32_t seen, bool gave_up) const {
    const auto go = [&registers](std::uint8_t pc, unsigned events = nothing) {
        registers.pc = pc;
        return events;
    };
    switch (registers.pc) {
        case read_add:
            if ((seen & writer_mask) == 0) return go(read_unlock, acquired);
            return go(mode == Mode::interrupt_read ? read_interrupt_spin : read_undo);
        case read_interrupt_spin:
            return go(read_unlock, acquired);
        case read_undo:
            return go(QspinlockSteps::lock_cmpxchg);
        case read_add_queued:
            return go(read_spin);
        case read_spin:
            return go(read_unlock_wait_lock, acquired);
        case read_unlock_wait_lock:
            return go(read_unlock);
        case write_cmpxchg:
            return seen == 0 ? go(write_unlock, acquired) : go(QspinlockSteps::lock_cmpxchg);
        case write_try_read:
            return go(seen == 0 ? write_try_cmpxchg : write_set_waiting);
        case write_try_cmpxchg:
            return seen == 0 ? go(write_unlock_wait_lock, acquired) : go(write_set_waiting);
        case write_set_waiting:
            return go(write_spin);
        case write_spin:
            return go(write_claim_cmpxchg);
        case write_claim_cmpxchg:
            return seen == writer_waiting ? go(write_unlock_wait_lock, acquired) : go(write_spin);
        case write_unlock_wait_lock:
            return go(write_unlock);
        case read_unlock:
        case write_unlock:
            return released | finished;
        default:
            return resume_wait_lock(cpu, registers, mode, seen, gave_up);
    }
}

/// Taking wait_lock is queueing for the whole lock, in whichever way it is taken.
unsigned Qrwlock::resume_wait_lock(unsigned cpu, Registers& registers, Mode mode, std::uint32_t seen,
                                   bool gave_up) const {
    const std::uint8_t at = registers.pc;
    unsigned events = wait_lock_.resume(cpu, registers, seen, gave_up);
    if ((events & acquired) != 0) {
        const bool at_once = at == QspinlockSteps::lock_cmpxchg || at == QspinlockSteps::trylock_cmpxchg;
        events = at_once ? queued : nothing;
    }
    if (registers.pc == QspinlockSteps::lock_returned) {
        registers.pc = mode == Mode::exclusive ? write_try_read : read_add_queued;
    }
    return events;
}

std::string_view Qrwlock::label(std::uint8_t pc) const {
    static constexpr std::array<std::string_view, 15> names{"read_add",
                                                            "read_interrupt_spin",
                                                            "read_undo",
                                                            "read_add_queued",
                                                            "read_spin",
                                                            "read_unlock_wait_lock",
                                                            "read_unlock",
                                                            "write_cmpxchg",
                                                            "write_try_read",
                                                            "write_try_cmpxchg",
                                                            "write_set_waiting",
                                                            "write_spin",
                                                            "write_claim_cmpxchg",
                                                            "write_unlock_wait_lock",
                                                            "write_unlock"};
    return pc < read_add ? QspinlockSteps::label(pc) : names.at(pc - read_add);
}

}  // namespace forksim::oracle
