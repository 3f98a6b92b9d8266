#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

namespace forksim::oracle {

inline constexpr unsigned max_cpus = 4;
inline constexpr unsigned max_bytes = 24;  ///< shared memory of one algorithm
inline constexpr unsigned max_lines = 8;

/// How one round wants the lock. Two rounds may hold it together if both are shared().
enum class Mode : std::uint8_t {
    exclusive,       ///< spinlock, or the write side of a reader-writer lock
    read,            ///< task context
    interrupt_read,  ///< in_interrupt(): may pass a waiting writer
};

constexpr bool shared(Mode mode) { return mode != Mode::exclusive; }

/// [cpu][round]: what each CPU does, one acquisition and release per round. 1..max_cpus CPUs.
using Rounds = std::vector<std::vector<Mode>>;

/// The private memory of one CPU. Its meaning is the algorithm's; a register that is dead must be zero, or
/// equal states are told apart.
struct Registers {
    std::uint8_t pc = 0;     ///< 0: between rounds
    std::uint8_t round = 0;  ///< rounds begun; kept by the machine
    std::uint8_t next = 0;
    std::uint8_t spare = 0;
    std::uint32_t value = 0;

    bool operator==(const Registers&) const = default;
};

enum class Op : std::uint8_t {
    load,
    spin,   ///< a load repeated until its condition holds
    store,  ///< plain: may wait in the store buffer under TSO
    cmpxchg,
    xchg,
    add,
    bit_or,
    prefetch_write,  ///< moves the line and nothing else
};

constexpr bool is_load(Op op) { return op == Op::load || op == Op::spin; }
/// A locked instruction: it drains the store buffer and takes its line exclusively, also when it changes nothing.
constexpr bool is_atomic(Op op) { return op >= Op::cmpxchg && op <= Op::bit_or; }

/// One access to one memory location: the unit of interleaving.
struct Access {
    Op op = Op::load;
    std::uint8_t address = 0;    ///< byte; little-endian
    std::uint8_t size = 4;       ///< 1, 2 or 4 bytes; a store at most 2
    std::uint32_t operand = 0;   ///< store, xchg: new value; cmpxchg: new value; add, bit_or: operand
    std::uint32_t expected = 0;  ///< cmpxchg: old value; spin: compared with (value & mask)
    std::uint32_t mask = ~0U;    ///< spin
    bool until_equal = true;     ///< spin ends when (value & mask) == expected; false: when it differs
    bool may_give_up = false;    ///< the number of spins is bounded
    /// No access by another CPU, now or before this one is executed, can change what this one reads or read what it
    /// writes. Such an access need not be interleaved. A spin may only say so if its condition, once true, stays true.
    bool local = false;
};

/// What an access meant for the lock; bits.
enum Event : std::uint8_t {
    nothing = 0,
    queued = 1,    ///< the place in the queue is now fixed: nobody queued later may be granted before
    acquired = 2,  ///< the section begins
    released = 4,  ///< the section ends
    finished = 8,  ///< the round is over; `pc` is ignored
};

/// The shared memory of an algorithm; all zero at the start.
struct Layout {
    unsigned bytes = 0;                 ///< 1..max_bytes
    unsigned resting_bytes = 0;         ///< the first so many are zero again after the last release
    std::vector<std::uint8_t> line_of;  ///< [byte] the cache line that it stands on, below max_lines. Line 0 is the
                                        ///< lock's; CPUs may differ in their own lines only
};

/// A lock algorithm as an automaton per CPU: which access comes next, and what follows from what it returned.
/// Purely a function of its arguments, so one object serves all states.
class Algorithm {
  public:
    virtual ~Algorithm() = default;

    virtual Layout layout(unsigned cpus) const = 0;

    /// Program counter at which a round in this mode begins; > 0.
    virtual std::uint8_t entry(Mode mode) const = 0;

    /// The access that `cpu` executes at registers.pc.
    virtual Access next(unsigned cpu, const Registers& registers) const = 0;

    /// Goes on after that access. `seen` is the value at the address before it (a spin: the value that ended it or, if
    /// `gave_up`, the last one read). Returns Event bits.
    virtual unsigned resume(unsigned cpu, Registers& registers, Mode mode, std::uint32_t seen, bool gave_up) const = 0;

    /// Name of a program counter, for messages and for Exploration::reached.
    virtual std::string_view label(std::uint8_t pc) const = 0;

    /// Whether the access at `pc` is the first of the release, so that a CPU there is in its section and nothing else.
    virtual bool begins_release(std::uint8_t pc) const = 0;

    /// Whether nobody is ever granted past somebody who has queued.
    virtual bool promises_no_barging() const = 0;
};

}  // namespace forksim::oracle
