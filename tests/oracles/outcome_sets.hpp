#pragma once
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace forksim::oracle {

/// Sets of what can still happen from a state on: (order of the grants, number of transfers). Equal sets are stored
/// once and named by a number, and the results of the operations are remembered, so that millions of states cost little
/// more than one number each.
class OutcomeSets {
  public:
    using Id = std::uint32_t;

    /// A grant order as a number: two bits per grant, the first grant lowest, above the last a one.
    using Order = std::uint32_t;
    static constexpr Order no_grants = 1;
    static constexpr unsigned max_grants = 15;
    static constexpr unsigned max_transfers = 127;

    /// All transfer counts of one order: bit n of `counts` for n transfers.
    struct Entry {
        Order order;
        std::uint64_t counts[2];
    };

    OutcomeSets();

    static constexpr Id none = 0;      ///< nothing can happen: the empty set
    static constexpr Id finished = 1;  ///< no grants, no transfers

    Id join(Id a, Id b);

    /// The outcomes of a move that grants to `cpu` (-1: to nobody), costs a transfer or not, and then goes on with
    /// `rest`. Throws std::overflow_error beyond max_grants or max_transfers.
    Id before(Id rest, int cpu, bool transfer);

    std::span<const Entry> entries(Id id) const { return {pool_.data() + begin_[id], pool_.data() + begin_[id + 1]}; }

  private:
    Id intern(const std::vector<Entry>& set);

    std::vector<Entry> pool_;           ///< the entries of all sets, each set by ascending order
    std::vector<std::uint32_t> begin_;  ///< [id] first entry in pool_, and one more
    std::unordered_multimap<std::uint64_t, Id> by_hash_;
    std::unordered_map<std::uint64_t, Id> joined_;
    std::unordered_map<std::uint64_t, Id> before_;
    std::vector<Entry> work_;
};

}  // namespace forksim::oracle
