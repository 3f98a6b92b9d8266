#pragma once
#include <cstdint>

#include "tests/oracles/algorithm.hpp"

/// Accesses and lists as algorithms with sleepers use them.
namespace forksim::oracle {

inline Access load(std::uint8_t address, std::uint8_t size = 1) {
    return {.op = Op::load, .address = address, .size = size};
}
/// A load after which either of two things may happen: giving up stands for the second.
inline Access choose(std::uint8_t address) {
    return {.op = Op::load, .address = address, .size = 1, .expected = 1, .mask = 0, .may_give_up = true};
}
inline Access store(std::uint8_t address, std::uint32_t value, std::uint8_t size = 1) {
    return {.op = Op::store, .address = address, .size = size, .operand = value};
}
/// Modulo 256.
inline Access add(std::uint8_t address, std::uint32_t value) {
    return {.op = Op::add, .address = address, .size = 1, .operand = value & 0xff};
}
inline Access set_bits(std::uint8_t address, std::uint32_t bits) {
    return {.op = Op::bit_or, .address = address, .size = 1, .operand = bits};
}
inline Access xchg(std::uint8_t address, std::uint32_t value) {
    return {.op = Op::xchg, .address = address, .size = 1, .operand = value};
}
inline Access cmpxchg(std::uint8_t address, std::uint32_t from, std::uint32_t to) {
    return {.op = Op::cmpxchg, .address = address, .size = 1, .operand = to, .expected = from};
}
inline Access spin_until_zero(std::uint8_t address) { return {.op = Op::spin, .address = address, .size = 1}; }
inline Access spin_until_set(std::uint8_t address) {
    return {.op = Op::spin, .address = address, .size = 1, .until_equal = false};
}

/// Goes on at a program counter.
struct Go {
    Registers& registers;
    unsigned operator()(std::uint8_t pc, unsigned events = nothing) const {
        registers.pc = pc;
        return events;
    }
};

/// A list of up to four entries, four bits each, the first lowest; no entry is zero.
template <class F>
void for_each_entry(std::uint32_t entries, F f) {
    for (unsigned shift = 0; shift < 16 && (entries >> shift & 0xf) != 0; shift += 4) f(entries >> shift & 0xf);
}
inline std::uint32_t with_entry(std::uint32_t entries, std::uint32_t entry) {
    unsigned shift = 0;
    while ((entries >> shift & 0xf) != 0) shift += 4;
    return entries | entry << shift;
}
template <class Keep>
std::uint32_t filtered(std::uint32_t entries, Keep keep) {
    std::uint32_t rest = 0;
    for_each_entry(entries, [&](std::uint32_t entry) {
        if (keep(entry)) rest = with_entry(rest, entry);
    });
    return rest;
}

}  // namespace forksim::oracle
