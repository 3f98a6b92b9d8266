#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/order/lock_order.hpp"
#include "scenarios/scenario.hpp"
#include "sim/record.hpp"

namespace forksim {

/// How often edges were gone in a run: of the sites where the inner lock is taken.
struct EdgeWeight {
    double per_op = 0;           ///< acquisitions per operation
    bool at_most = false;        ///< some of those were made without the outer lock
    double contended_share = 0;  ///< of the acquisitions, 0..1
    double wait_ps = 0;          ///< mean wait of the contended ones
};

/// A short run of a scenario: one replication of its seed, at most 2 ms of warm-up and 10 ms of window. Throws
/// ModelStuck.
Record brief_run(const Compiled& compiled);

/// What a run says of several edges between the same two locks, given as indices.
class EdgeWeights {
  public:
    EdgeWeights(const Compiled& compiled, const LockOrder& order, Record record);
    EdgeWeight of(std::span<const std::uint32_t> edges) const;

  private:
    const LockOrder* order_;
    Record record_;
    std::vector<Acquisition> acquisitions_;
};

/// The edges by the two locks that they join, in the order of LockOrder::edges.
std::vector<std::vector<std::uint32_t>> edges_by_locks(const LockOrder& order);

}  // namespace forksim
