#pragma once
#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "tests/oracles/algorithm.hpp"

namespace forksim::oracle {

inline constexpr unsigned buffered_stores = 3;  ///< length of a store buffer; a full one makes the CPU wait

/// A store that its CPU has executed and no other CPU sees yet. size 0: none.
struct Store {
    std::uint8_t address = 0;
    std::uint8_t size = 0;
    std::uint16_t value = 0;
};

/// Everything that decides what can still happen. No padding: it is hashed as bytes.
struct State {
    std::array<Registers, max_cpus> cpu{};
    std::array<std::uint8_t, max_bytes> memory{};
    std::array<std::uint8_t, max_lines> line{};     ///< bit c: CPU c has a copy; `owned`: one CPU, and exclusively
    std::array<std::uint8_t, max_cpus> arrivals{};  ///< cpu + 1 of those queued and not granted, in order; then 0
    std::uint8_t holders = 0;                       ///< bit c: CPU c is in its section
    std::uint8_t started = 0;                       ///< bit c: CPU c has made a move
    std::array<std::uint8_t, 2> unused{};
    std::array<Store, max_cpus * buffered_stores> buffer{};  ///< oldest first; last, so that hashing may stop before it
};
static_assert(std::has_unique_object_representations_v<State>);

inline constexpr std::uint8_t owned = 0x80;

/// Memory as a CPU without buffered stores sees it; 1..4 bytes, little-endian.
std::uint32_t word(const State& state, unsigned address, unsigned size);

/// One transition.
struct Move {
    enum What : std::uint8_t {
        execute,  ///< the CPU's next access
        give_up,  ///< a bounded spin ends without its condition
        drain,    ///< the oldest buffered store reaches memory
    };
    std::uint8_t cpu = 0;
    What what = execute;

    bool operator==(const Move&) const = default;
};

struct MachineOptions {
    /// x86 TSO: plain stores wait in a store buffer. Otherwise every access takes effect at once.
    bool store_buffers = false;
    bool spins_give_up = true;  ///< bounded spins may end by their bound
    int first_owner = -1;       ///< who owns line 0 at the start; -1: nobody, so that the first access is a transfer
    unsigned tracked = ~0U;     ///< bit l: the state of line l is kept
};

/// What a move did.
struct Effect {
    unsigned events = 0;              ///< Event bits
    int transferred = -1;             ///< the tracked line that had to be fetched, or -1
    const char* violation = nullptr;  ///< the invariant that broke, if any
    bool barged = false;              ///< granted past somebody who had queued
};

/// CPUs with their store buffers, memory, and the state of its cache lines, executing one algorithm.
///
/// A line has one owner, or a set of CPUs with clean copies, or nobody. An access is a transfer if its CPU has no copy,
/// or has a clean one and wants to write. A read of a line that nobody has makes an owner (MESI's E).
class Machine {
  public:
    /// `algorithm` must outlive the machine. Throws std::invalid_argument for no CPUs, too many, one without rounds, or
    /// a layout out of range.
    Machine(const Algorithm& algorithm, Rounds rounds, MachineOptions options = {});

    Machine(const Algorithm&&, Rounds, MachineOptions = {}) = delete;  // a temporary would not outlive it

    State start() const;

    /// Whether the move would change anything. A spin that would see an unwanted value in a copy it has is none.
    bool enabled(const State& state, Move move) const;

    /// All enabled moves, by CPU.
    std::vector<Move> moves(const State& state) const;

    /// Requires enabled(state, move).
    Effect apply(State& state, Move move) const;

    bool all_done(const State& state) const;
    bool done(const State& state, unsigned cpu) const;

    /// The CPU's next access; requires !done(state, cpu).
    Access next(const State& state, unsigned cpu) const { return algorithm_.next(cpu, state.cpu[cpu]); }

    /// The mode of the round in which `cpu` is or was last.
    Mode mode(const State& state, unsigned cpu) const { return rounds_[cpu][state.cpu[cpu].round - 1U]; }

    unsigned cpus() const { return static_cast<unsigned>(rounds_.size()); }
    unsigned line_of(unsigned address) const { return layout_.line_of[address]; }
    const Rounds& rounds() const { return rounds_; }
    const Algorithm& algorithm() const { return algorithm_; }
    const MachineOptions& options() const { return options_; }

  private:
    bool has_copy(const State& state, unsigned cpu, const Access& access) const;
    std::uint32_t load(const State& state, unsigned cpu, const Access& access) const;
    void touch(State& state, unsigned cpu, const Access& access, Effect& effect) const;
    void move_line(State& state, unsigned cpu, unsigned address, bool write, Effect& effect) const;
    void record(State& state, unsigned cpu, Effect& effect) const;
    void grant(State& state, unsigned cpu, Effect& effect) const;
    void check_rest(const State& state, Effect& effect) const;
    void begin_round(State& state, unsigned cpu) const;

    const Algorithm& algorithm_;
    Rounds rounds_;
    MachineOptions options_;
    Layout layout_;
};

}  // namespace forksim::oracle
