#include "tests/oracles/machine.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace forksim::oracle {
namespace {

constexpr std::uint8_t bit(unsigned cpu) { return static_cast<std::uint8_t>(1U << cpu); }

constexpr std::uint32_t bytes_mask(unsigned size) { return size >= 4 ? ~0U : (1U << (8 * size)) - 1U; }

void put(State& state, unsigned address, unsigned size, std::uint32_t value) {
    for (unsigned i = 0; i < size; ++i) state.memory[address + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

bool satisfied(const Access& access, std::uint32_t value) {
    return ((value & access.mask) == access.expected) == access.until_equal;
}

/// The value that a locked instruction leaves behind.
std::uint32_t changed(const Access& access, std::uint32_t old) {
    switch (access.op) {
        case Op::cmpxchg:
            return old == access.expected ? access.operand : old;
        case Op::xchg:
            return access.operand;
        case Op::add:
            return old + access.operand;
        default:
            return old | access.operand;
    }
}

Store* slots(State& state, unsigned cpu) { return &state.buffer[cpu * buffered_stores]; }
const Store* slots(const State& state, unsigned cpu) { return &state.buffer[cpu * buffered_stores]; }
bool buffer_empty(const State& state, unsigned cpu) { return slots(state, cpu)[0].size == 0; }
bool buffer_full(const State& state, unsigned cpu) { return slots(state, cpu)[buffered_stores - 1].size != 0; }

}  // namespace

std::uint32_t word(const State& state, unsigned address, unsigned size) {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < size; ++i) value |= static_cast<std::uint32_t>(state.memory[address + i]) << (8 * i);
    return value;
}

Machine::Machine(const Algorithm& algorithm, Rounds rounds, MachineOptions options)
    : algorithm_(algorithm), rounds_(std::move(rounds)), options_(options) {
    if (rounds_.empty() || rounds_.size() > max_cpus) throw std::invalid_argument("1 to 4 CPUs");
    for (const auto& of_cpu : rounds_) {
        if (of_cpu.empty() || of_cpu.size() > 255) throw std::invalid_argument("1 to 255 rounds per CPU");
    }
    layout_ = algorithm.layout(cpus());
    if (layout_.bytes == 0 || layout_.bytes > max_bytes || layout_.resting_bytes > layout_.bytes ||
        layout_.line_of.size() != layout_.bytes ||
        *std::max_element(layout_.line_of.begin(), layout_.line_of.end()) >= max_lines) {
        throw std::invalid_argument("layout out of range");
    }
    if (options_.first_owner >= static_cast<int>(cpus())) throw std::invalid_argument("first owner is no CPU");
}

State Machine::start() const {
    State state;
    for (unsigned cpu = 0; cpu < cpus(); ++cpu) begin_round(state, cpu);
    if (options_.first_owner >= 0 && (options_.tracked & 1U) != 0) {
        state.line[0] = owned | bit(static_cast<unsigned>(options_.first_owner));
    }
    return state;
}

void Machine::begin_round(State& state, unsigned cpu) const {
    Registers& registers = state.cpu[cpu];
    const std::uint8_t round = registers.round;
    registers = {};
    registers.round = round;
    if (round == rounds_[cpu].size()) return;
    registers.round = static_cast<std::uint8_t>(round + 1);
    registers.pc = algorithm_.entry(rounds_[cpu][round]);
}

bool Machine::done(const State& state, unsigned cpu) const { return state.cpu[cpu].pc == 0; }

bool Machine::all_done(const State& state) const {
    for (unsigned cpu = 0; cpu < cpus(); ++cpu) {
        if (!done(state, cpu) || !buffer_empty(state, cpu)) return false;
    }
    return true;
}

bool Machine::has_copy(const State& state, unsigned cpu, const Access& access) const {
    const unsigned line = layout_.line_of[access.address];
    return ((options_.tracked >> line) & 1U) == 0 || (state.line[line] & bit(cpu)) != 0;
}

/// A CPU sees its own buffered stores; byte-wise, so that a load may see some bytes from there and some from memory.
std::uint32_t Machine::load(const State& state, unsigned cpu, const Access& access) const {
    std::uint32_t value = word(state, access.address, access.size);
    if (!options_.store_buffers) return value;
    for (unsigned i = 0; i < buffered_stores; ++i) {
        const Store& store = slots(state, cpu)[i];
        for (unsigned b = 0; b < store.size; ++b) {
            const unsigned at = store.address + b - access.address;  // wraps to a large number if below
            if (at >= access.size) continue;
            value = (value & ~(0xffU << (8 * at))) | (((store.value >> (8 * b)) & 0xffU) << (8 * at));
        }
    }
    return value;
}

bool Machine::enabled(const State& state, Move move) const {
    if (move.what == Move::drain) return !buffer_empty(state, move.cpu);
    if (done(state, move.cpu)) return false;
    const Access access = next(state, move.cpu);
    if (move.what == Move::give_up) {
        return options_.spins_give_up && access.may_give_up && !satisfied(access, load(state, move.cpu, access));
    }
    if (access.op == Op::store) return !options_.store_buffers || !buffer_full(state, move.cpu);
    if (access.op == Op::spin) {
        return satisfied(access, load(state, move.cpu, access)) || !has_copy(state, move.cpu, access);
    }
    return !is_atomic(access.op) || buffer_empty(state, move.cpu);
}

std::vector<Move> Machine::moves(const State& state) const {
    std::vector<Move> all;
    for (unsigned cpu = 0; cpu < cpus(); ++cpu) {
        for (const Move::What what : {Move::execute, Move::give_up, Move::drain}) {
            const Move move{static_cast<std::uint8_t>(cpu), what};
            if (enabled(state, move)) all.push_back(move);
        }
    }
    return all;
}

void Machine::move_line(State& state, unsigned cpu, unsigned address, bool write, Effect& effect) const {
    const unsigned number = layout_.line_of[address];
    if (((options_.tracked >> number) & 1U) == 0) return;
    std::uint8_t& line = state.line[number];
    const bool mine = (line & bit(cpu)) != 0;
    if (mine && (!write || (line & owned) != 0)) return;
    effect.transferred = static_cast<int>(number);
    if (write || line == 0) {
        line = owned | bit(cpu);
    } else {
        line = static_cast<std::uint8_t>((line & ~owned) | bit(cpu));
    }
}

Effect Machine::apply(State& state, Move move) const {
    Effect effect;
    const unsigned cpu = move.cpu;
    if (move.what == Move::drain) {
        Store* const first = slots(state, cpu);
        put(state, first->address, first->size, first->value);
        move_line(state, cpu, first->address, true, effect);
        std::copy(first + 1, first + buffered_stores, first);
        first[buffered_stores - 1] = {};
        check_rest(state, effect);
        return effect;
    }
    state.started |= bit(cpu);
    const Access access = next(state, cpu);
    const std::uint32_t seen = load(state, cpu, access);
    touch(state, cpu, access, effect);
    if (access.op == Op::spin && move.what == Move::execute && !satisfied(access, seen)) return effect;
    const Mode as = mode(state, cpu);
    effect.events = algorithm_.resume(cpu, state.cpu[cpu], as, seen, move.what == Move::give_up);
    record(state, cpu, effect);
    check_rest(state, effect);
    return effect;
}

/// What the access does to memory and to its line.
void Machine::touch(State& state, unsigned cpu, const Access& access, Effect& effect) const {
    if (is_load(access.op)) {
        move_line(state, cpu, access.address, false, effect);
    } else if (access.op == Op::prefetch_write) {
        move_line(state, cpu, access.address, true, effect);
    } else if (access.op == Op::store && options_.store_buffers) {
        Store* slot = slots(state, cpu);
        while (slot->size != 0) ++slot;
        *slot = {access.address, access.size, static_cast<std::uint16_t>(access.operand)};
    } else {
        std::uint32_t value = access.operand;
        if (access.op != Op::store) value = changed(access, word(state, access.address, access.size));
        put(state, access.address, access.size, value & bytes_mask(access.size));
        move_line(state, cpu, access.address, true, effect);
    }
}

void Machine::record(State& state, unsigned cpu, Effect& effect) const {
    if ((effect.events & queued) != 0) {
        const auto slot = std::find(state.arrivals.begin(), state.arrivals.end(), std::uint8_t{0});
        if (slot == state.arrivals.end()) throw std::logic_error("an algorithm queued one CPU twice");
        *slot = static_cast<std::uint8_t>(cpu + 1);
    }
    if ((effect.events & acquired) != 0) grant(state, cpu, effect);
    if ((effect.events & released) != 0) {
        if ((state.holders & bit(cpu)) == 0) effect.violation = "release of a lock that is not held";
        state.holders = static_cast<std::uint8_t>(state.holders & ~bit(cpu));
    }
    if ((effect.events & finished) != 0) begin_round(state, cpu);
}

void Machine::check_rest(const State& state, Effect& effect) const {
    if (effect.violation != nullptr || !all_done(state)) return;
    const bool clean = std::all_of(state.memory.begin(), state.memory.begin() + layout_.resting_bytes,
                                   [](std::uint8_t byte) { return byte == 0; });
    if (!clean) effect.violation = "the lock is not at rest after the last release";
}

void Machine::grant(State& state, unsigned cpu, Effect& effect) const {
    for (unsigned other = 0; other < cpus(); ++other) {
        if ((state.holders & bit(other)) == 0) continue;
        if (!shared(mode(state, cpu)) || !shared(mode(state, other))) effect.violation = "mutual exclusion";
    }
    state.holders |= bit(cpu);
    auto& arrivals = state.arrivals;
    const auto me = std::find(arrivals.begin(), arrivals.end(), static_cast<std::uint8_t>(cpu + 1));
    if (me == arrivals.end()) {
        effect.barged = arrivals[0] != 0;
        if (effect.barged && algorithm_.promises_no_barging()) effect.violation = "a late arrival barged";
        return;
    }
    if (me != arrivals.begin()) effect.violation = "queued later, granted before";
    std::copy(me + 1, arrivals.end(), me);
    arrivals.back() = 0;
}

}  // namespace forksim::oracle
