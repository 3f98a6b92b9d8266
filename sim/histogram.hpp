#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/check.hpp"
#include "sim/time.hpp"
#include "sim/uint128.hpp"

namespace forksim {

/// A log-linear histogram of durations: bins of 1 ps below 256 ps, then 128 equal bins per octave (0.8 %).
///
/// Count, sum, sum of squares, minimum and maximum are exact. Counts are kept for the octaves that were
/// met only (1 kB each), so thousands of histograms stay small. The sum of squares is exact in 128 bits for
/// 2e7 values of time_limit, or any number of values that together last less than 8e22 ps.
class Histogram {
  public:
    Histogram() { blocks_.fill(no_block); }

    /// Counts one duration. REQUIRES 0 <= t <= time_limit.
    void record(Time t) {
        const auto v = static_cast<std::uint64_t>(t.ps);  // negative: beyond the limit
        FORKSIM_CHECK(v <= static_cast<std::uint64_t>(time_limit.ps), "time out of range");
        const std::size_t i = index(v);
        std::uint8_t block = blocks_[i >> bin_bits];
        if (block == no_block) block = add_block(i >> bin_bits);
        ++counts_[(std::size_t{block} << bin_bits) + (i & (bins_per_octave - 1))];
        ++count_;
        sum_ += v;
        squares_ += uint128{v} * v;
        min_ = earlier(min_, t);
        max_ = later(max_, t);
    }

    /// Adds all that `other` has counted.
    void merge(const Histogram& other);

    std::uint64_t count() const { return count_; }
    uint128 sum_ps() const { return sum_; }
    Time min() const { return count_ == 0 ? Time{} : min_; }  ///< 0 if nothing was counted
    Time max() const { return max_; }                         ///< 0 if nothing was counted

    double mean_ps() const;    ///< 0 if nothing was counted
    double stddev_ps() const;  ///< of the counted values as a whole population; from exact integers

    /// The smallest recordable value that at least `p` percent of the counted ones do not exceed: the upper end
    /// of its bin, but at most max(); min() for p = 0. A rank within 1e-14 of a whole number counts as that
    /// number (99.9 % of 1000 are 999). REQUIRES 0 <= p <= 100. Returns 0 if nothing was counted.
    Time percentile(double p) const;

    /// Calls visit(Time lowest, Time highest, uint64_t count) for each bin that is not empty, ascending;
    /// the bin holds the values lowest .. highest, both included.
    template <class Visit>
    void for_each_bin(Visit visit) const {
        for (std::size_t octave = 0; octave < octaves; ++octave) {
            if (blocks_[octave] == no_block) continue;
            for (std::size_t bin = 0; bin < bins_per_octave; ++bin) {
                const std::uint64_t n = counts_[(std::size_t{blocks_[octave]} << bin_bits) + bin];
                if (n != 0) visit(lowest(octave, bin), lowest(octave, bin + 1) - Time{1}, n);
            }
        }
    }

  private:
    static constexpr int bin_bits = 7;
    static constexpr std::size_t bins_per_octave = std::size_t{1} << bin_bits;
    static constexpr std::uint8_t no_block = 0xFF;
    static constexpr std::size_t octaves = 46;  // time_limit has 52 bits: 2^51 lies in octave 51 - 6
    static_assert(std::bit_width(static_cast<std::uint64_t>(time_limit.ps)) == 52);

    // Bins are numbered through: octave 0 holds 0..127, octave k > 0 holds 2^(k+6) .. 2^(k+7) - 1.
    static constexpr std::size_t index(std::uint64_t v) {
        const int e = static_cast<int>(std::bit_width(v | bins_per_octave)) - (bin_bits + 1);
        return (static_cast<std::size_t>(e) << bin_bits) + static_cast<std::size_t>(v >> e);
    }
    static constexpr Time lowest(std::size_t octave, std::size_t bin) {
        if (octave == 0) return {static_cast<std::int64_t>(bin)};
        return {static_cast<std::int64_t>((bins_per_octave + bin) << (octave - 1))};
    }

    std::uint8_t add_block(std::size_t octave);

    uint128 sum_ = 0;
    uint128 squares_ = 0;  // in ps^2
    std::uint64_t count_ = 0;
    Time min_ = Time::never();
    Time max_;
    std::vector<std::uint64_t> counts_;         // blocks of one octave, in the order they were met
    std::array<std::uint8_t, octaves> blocks_;  // where the counts of an octave are, in blocks
};

}  // namespace forksim
