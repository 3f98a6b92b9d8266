#include "sim/histogram.hpp"

#include <cmath>

namespace forksim {

std::uint8_t Histogram::add_block(std::size_t octave) {
    blocks_[octave] = static_cast<std::uint8_t>(counts_.size() >> bin_bits);
    counts_.resize(counts_.size() + bins_per_octave);
    return blocks_[octave];
}

void Histogram::merge(const Histogram& other) {
    for (std::size_t octave = 0; octave < octaves; ++octave) {
        if (other.blocks_[octave] == no_block) continue;
        const std::uint8_t block = blocks_[octave] == no_block ? add_block(octave) : blocks_[octave];
        const std::size_t to = std::size_t{block} << bin_bits;
        const std::size_t from = std::size_t{other.blocks_[octave]} << bin_bits;
        for (std::size_t bin = 0; bin < bins_per_octave; ++bin) counts_[to + bin] += other.counts_[from + bin];
    }
    count_ += other.count_;
    sum_ += other.sum_;
    squares_ += other.squares_;
    min_ = earlier(min_, other.min_);
    max_ = later(max_, other.max_);
}

double Histogram::mean_ps() const { return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_); }

double Histogram::stddev_ps() const {
    if (count_ == 0) return 0;
    // With mean = m + r / n in whole m and r: sum of (v - mean)^2 = sum of v^2 - m (sum + r) - r^2 / n.
    // All but the last, small term is exact, so nothing cancels.
    const uint128 m = sum_ / count_;
    const uint128 r = sum_ % count_;
    const auto n = static_cast<double>(count_);
    const double about_m = static_cast<double>(squares_ - m * (sum_ + r));
    const double fraction = static_cast<double>(r);
    return std::sqrt(std::max(0.0, (about_m - fraction * fraction / n) / n));
}

Time Histogram::percentile(double p) const {
    FORKSIM_CHECK(p >= 0 && p <= 100, "not a percentage");
    if (count_ == 0 || p == 0) return min();
    const double exact = p * static_cast<double>(count_) / 100;
    const auto rank = static_cast<std::uint64_t>(std::ceil(exact * (1 - 1e-14)));
    std::uint64_t seen = 0;
    Time answer = max_;
    for_each_bin([&](Time, Time highest, std::uint64_t n) {
        if (seen < rank && seen + n >= rank) answer = earlier(highest, max_);
        seen += n;
    });
    return answer;
}

}  // namespace forksim
