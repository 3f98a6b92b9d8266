#pragma once
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "sim/check.hpp"
#include "sim/time.hpp"

namespace forksim {

/// The pending events of a simulation in which every leaf has at most one: a winner tree of packed keys.
///
/// A key is (time << bits) | leaf, so the order of the keys is the order of events: by time, then by
/// leaf number. Whoever numbers the leaves decides ties. Updating a leaf costs log2(leaves) minima
/// with the sibling, without a branch that depends on the data.
class EventTree {
  public:
    /// A tree of `leaves` empty leaves, numbered from 0.
    /// Throws std::invalid_argument unless 1 <= leaves <= max_leaves.
    explicit EventTree(std::uint32_t leaves) : leaves_(leaves) {
        if (leaves < 1 || leaves > max_leaves) throw std::invalid_argument("EventTree: 1 to 4096 leaves");
        bits_ = static_cast<int>(std::bit_width(leaves - 1));
        leaf_mask_ = (std::uint64_t{1} << bits_) - 1;
        keys_.assign(std::size_t{2} * leaves, empty_key);
    }

    /// Schedules the event of `leaf` at `t`, replacing what was there; Time::never() removes it.
    /// Other times beyond time_limit, which no run gets past, count as time_limit.
    /// REQUIRES leaf < leaves() and t >= 0.
    void set(std::uint32_t leaf, Time t) {
        FORKSIM_CHECK(leaf < leaves_, "no such leaf");
        std::uint64_t winner = (static_cast<std::uint64_t>(t.ps) << bits_) | leaf;
        if (static_cast<std::uint64_t>(t.ps) > static_cast<std::uint64_t>(time_limit.ps)) winner = key_beyond(leaf, t);
        std::uint64_t* const keys = keys_.data();
        std::size_t node = std::size_t{leaves_} + leaf;
        keys[node] = winner;
        while (node > 1) {
            const std::uint64_t sibling = keys[node ^ 1];
            winner = winner < sibling ? winner : sibling;
            node >>= 1;
            keys[node] = winner;
        }
    }

    /// When `leaf` is due, or never.
    Time time_of(std::uint32_t leaf) const {
        FORKSIM_CHECK(leaf < leaves_, "no such leaf");
        return time_in(keys_[std::size_t{leaves_} + leaf]);
    }

    /// When the next event is due, or never.
    Time next_time() const { return time_in(keys_[1]); }

    /// The leaf of the next event. REQUIRES !empty().
    std::uint32_t next_leaf() const { return static_cast<std::uint32_t>(keys_[1] & leaf_mask_); }

    bool empty() const { return keys_[1] == empty_key; }
    std::uint32_t leaves() const { return leaves_; }

    /// time_limit in ps needs 52 bits, which leaves 12 for the leaf.
    static constexpr std::uint32_t max_leaves = 4096;

  private:
    static constexpr std::uint64_t empty_key = ~std::uint64_t{0};
    // Every time up to the limit fits above the bits of the largest leaf number, and below the empty key.
    static_assert(static_cast<std::uint64_t>(time_limit.ps) < (empty_key >> std::bit_width(max_leaves - 1)));

    Time time_in(std::uint64_t key) const {
        return key == empty_key ? Time::never() : Time{static_cast<std::int64_t>(key >> bits_)};
    }
    std::uint64_t key_beyond(std::uint32_t leaf, Time t) const {
        FORKSIM_CHECK(t >= Time{}, "an event before the beginning");
        return t == Time::never() ? empty_key : (static_cast<std::uint64_t>(time_limit.ps) << bits_) | leaf;
    }

    std::uint32_t leaves_;
    int bits_ = 0;  // of a key that hold the leaf
    std::uint64_t leaf_mask_ = 0;
    // [1] is the winner, n the smaller of [2 n] and [2 n + 1], [leaves_ + leaf] a leaf: that holds for any number of
    // leaves, and those in the first half of a row lie one level higher than in a full tree. [0] is unused.
    std::vector<std::uint64_t> keys_;
};

}  // namespace forksim
