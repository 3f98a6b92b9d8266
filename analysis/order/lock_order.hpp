#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/order/held_walk.hpp"
#include "models/spec.hpp"
#include "sim/program.hpp"

namespace forksim {

/// How the two locks of an edge are related.
enum class Nesting : std::uint8_t {
    other,     ///< two locks
    again,     ///< one instance, read within a read
    downward,  ///< instances of one lock: the parent's before the child's
    upward,    ///< the child's before the parent's
    sideways,  ///< instances that have no order, or one that nobody else knows yet (embryo)
};

/// That `inner` may be waited for while `outer` is held.
struct LockEdge {
    std::uint32_t outer = 0;  ///< index into ModelSpec::locks
    std::uint32_t inner = 0;
    AcquireMode held{};   ///< how outer is held
    AcquireMode taken{};  ///< how inner is taken
    Where where = Where::task;
    bool irq_off = false;  ///< inner is waited for with interrupts off
    Nesting nesting = Nesting::other;
    bool recursive = false;  ///< a read that passes waiting writers, see reads_recursively()
    bool waits = true;       ///< false: a read of a lock that nothing in the program writes
    bool in_cycle = false;
    /// The sites where outer and inner are taken, sorted by name.
    std::vector<std::pair<std::uint16_t, std::uint16_t>> ways;
};

/// Locks each of which may be waited for while the one before is held, the first while the last is.
struct LockCycle {
    std::vector<std::uint32_t> locks;               ///< the first in order of names first
    std::vector<std::vector<std::uint32_t>> edges;  ///< [i]: indices of those from locks[i] to the next
};

/// The lock order of a program.
struct LockOrder {
    std::vector<LockEdge> edges;    ///< by names, then modes
    std::vector<LockCycle> cycles;  ///< shortest first, at most most_cycles
    bool more_cycles = false;
};
inline constexpr std::size_t most_cycles = 100;

/// Whether a read passes waiting writers, so that it waits only for a writer that holds the lock: rwlocks in a softirq
/// (read_lock_is_recursive(), kernel/locking/lockdep.c; queued_read_lock_slowpath(), qrwlock.c), and seqcounts.
bool reads_recursively(LockKind kind, Where where);

/// Edges and cycles by lockdep's rules (Documentation/locking/lockdep-design.rst); see README.md of analysis/.
LockOrder lock_order_of(const Program& program, const ModelSpec& model);

/// For lock_order_of(): the cycles among its edges, whose `in_cycle` is set.
void find_cycles(const ModelSpec& model, LockOrder& order);

}  // namespace forksim
