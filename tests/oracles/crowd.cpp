#include "tests/oracles/crowd.hpp"

#include <algorithm>
#include <bitset>
#include <optional>
#include <random>
#include <stdexcept>
#include <vector>

namespace forksim::oracle {
namespace {

constexpr unsigned most_cpus = 64;

class Crowd {
  public:
    Crowd(const Algorithm& algorithm, const CrowdScript& script)
        : algorithm_(algorithm), script_(script), layout_(algorithm.layout(script.cpus)), random_(script.seed) {
        memory_.resize(layout_.bytes);
        std::size_t lines = 0;
        for (const std::uint8_t line : layout_.line_of) lines = std::max<std::size_t>(lines, line + 1U);
        lines_.resize(lines);
        cpus_.resize(script.cpus);
        for (unsigned cpu = 0; cpu < script.cpus; ++cpu) cpus_[cpu].registers.pc = algorithm.entry(Mode::exclusive);
    }

    Time run() {
        while (grants_.size() < script_.turns) {
            const std::optional<unsigned> cpu = earliest();
            if (!cpu) throw std::logic_error("nobody can go on");
            execute(*cpu);
        }
        const std::size_t half = grants_.size() / 2;
        return (grants_.back() - grants_[half]) / static_cast<std::int64_t>(grants_.size() - 1 - half);
    }

  private:
    struct Line {
        std::bitset<most_cpus> copies;
        bool exclusive = false;
        Time free;
    };
    struct CpuState {
        Registers registers;
        Time issue;
    };

    std::uint32_t value(const Access& access) const {
        std::uint32_t all = 0;
        for (unsigned i = 0; i < access.size; ++i) all |= std::uint32_t{memory_[access.address + i]} << (8 * i);
        return all;
    }
    bool can_move(unsigned cpu) const {
        const Access access = algorithm_.next(cpu, cpus_[cpu].registers);
        if (access.op != Op::spin) return true;
        return ((value(access) & access.mask) == access.expected) == access.until_equal ||
               !lines_[layout_.line_of[access.address]].copies.test(cpu);
    }
    std::optional<unsigned> earliest() {
        std::vector<unsigned> best;
        for (unsigned cpu = 0; cpu < cpus_.size(); ++cpu) {
            if (!best.empty() && cpus_[best[0]].issue < cpus_[cpu].issue) continue;
            if (!can_move(cpu)) continue;
            if (!best.empty() && cpus_[cpu].issue < cpus_[best[0]].issue) best.clear();
            best.push_back(cpu);
        }
        if (best.empty()) return {};
        return best[random_() % best.size()];
    }

    void execute(unsigned cpu) {
        CpuState& me = cpus_[cpu];
        const Access access = algorithm_.next(cpu, me.registers);
        Line& line = lines_[layout_.line_of[access.address]];
        std::vector<bool> waited(cpus_.size());
        for (unsigned other = 0; other < cpus_.size(); ++other) waited[other] = !can_move(other);

        const std::uint32_t seen = value(access);
        const bool writes = !is_load(access.op);
        Time end = later(me.issue, line.free);
        if (!line.copies.test(cpu) || (writes && !line.exclusive)) end += script_.transfer;
        line.free = end;
        line.exclusive = writes || line.copies.none() || (line.exclusive && line.copies.test(cpu));
        if (line.exclusive) line.copies.reset();
        line.copies.set(cpu);
        if (writes) change(access, seen);

        const bool spins_on = access.op == Op::spin && ((seen & access.mask) == access.expected) != access.until_equal;
        me.issue = end;
        if (!spins_on) go_on(cpu, seen, end);
        for (unsigned other = 0; other < cpus_.size(); ++other)
            if (other != cpu && waited[other] && can_move(other)) cpus_[other].issue = later(cpus_[other].issue, end);
    }

    void change(const Access& access, std::uint32_t old) {
        std::uint32_t now = access.operand;
        if (access.op == Op::cmpxchg) now = old == access.expected ? access.operand : old;
        if (access.op == Op::add) now = old + access.operand;
        if (access.op == Op::bit_or) now = old | access.operand;
        if (access.op == Op::prefetch_write) now = old;
        for (unsigned i = 0; i < access.size; ++i)
            memory_[access.address + i] = static_cast<std::uint8_t>(now >> (8 * i));
    }

    void go_on(unsigned cpu, std::uint32_t seen, Time end) {
        CpuState& me = cpus_[cpu];
        const unsigned events = algorithm_.resume(cpu, me.registers, Mode::exclusive, seen, false);
        if ((events & acquired) != 0) {
            if (holder_) throw std::logic_error("mutual exclusion");
            holder_ = cpu;
            grants_.push_back(end);
        }
        if ((events & released) != 0) holder_.reset();
        if ((events & finished) != 0) {
            me.registers = {};
            me.registers.pc = algorithm_.entry(Mode::exclusive);
            me.issue += script_.pause;
        } else if (algorithm_.begins_release(me.registers.pc)) {
            me.issue += script_.hold;
        }
    }

    const Algorithm& algorithm_;
    CrowdScript script_;
    Layout layout_;
    std::mt19937 random_;
    std::vector<std::uint8_t> memory_;
    std::vector<Line> lines_;
    std::vector<CpuState> cpus_;
    std::optional<unsigned> holder_;
    std::vector<Time> grants_;
};

}  // namespace

Time time_per_turn(const Algorithm& algorithm, const CrowdScript& script) {
    if (script.cpus == 0 || script.cpus > most_cpus || script.turns < 4)
        throw std::invalid_argument("crowd out of range");
    return Crowd(algorithm, script).run();
}

}  // namespace forksim::oracle
