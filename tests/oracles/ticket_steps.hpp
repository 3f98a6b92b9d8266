#pragma once
#include <cstdint>
#include <string_view>

#include "tests/oracles/algorithm.hpp"

namespace forksim::oracle {

/// The ticket spinlock of Linux up to 4.1, access by access: arch_spin_lock() and arch_spin_unlock() of
/// arch/x86/include/asm/spinlock.h of that time, for fewer than 256 CPUs (one byte each). Line 0: the word, the ticket
/// being served in byte 0, the next free one in byte 1.
class TicketSteps : public Algorithm {
  public:
    enum Pc : std::uint8_t { take_ticket = 1, poll, unlock };

    Layout layout(unsigned) const override { return {.bytes = 2, .resting_bytes = 0, .line_of = {0, 0}}; }
    std::uint8_t entry(Mode) const override { return take_ticket; }

    Access next(unsigned, const Registers& registers) const override {
        switch (registers.pc) {
            case take_ticket:
                return {.op = Op::add, .size = 2, .operand = 0x100};
            case poll:
                return {.op = Op::spin, .size = 1, .expected = registers.value};
            default:
                return {.op = Op::store, .size = 1, .operand = (registers.value + 1) & 0xff};
        }
    }

    unsigned resume(unsigned, Registers& registers, Mode, std::uint32_t seen, bool) const override {
        switch (registers.pc) {
            case take_ticket:
                registers.value = seen >> 8;
                registers.pc = (seen & 0xff) == seen >> 8 ? unlock : poll;
                return registers.pc == unlock ? queued | acquired : queued;
            case poll:
                registers.pc = unlock;
                return acquired;
            default:
                return released | finished;
        }
    }

    std::string_view label(std::uint8_t pc) const override {
        return pc == take_ticket ? "take_ticket" : pc == poll ? "poll" : "unlock";
    }
    bool begins_release(std::uint8_t pc) const override { return pc == unlock; }
    bool promises_no_barging() const override { return true; }
};

}  // namespace forksim::oracle
