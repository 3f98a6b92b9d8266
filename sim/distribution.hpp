#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <variant>
#include <vector>

#include "sim/check.hpp"
#include "sim/time.hpp"
#include "sim/uint128.hpp"

namespace forksim {

// What a duration may be. All times are 0 .. time_limit.

struct Constant {
    Time value;
};
/// Every value from `from` to `to`, from <= to.
struct Uniform {
    Time from;
    Time to;
};
struct Exponential {
    Time mean;
};
/// `cv` is the coefficient of variation, standard deviation / mean, 0 .. 8; below 0.001 it counts as 0.
struct Lognormal {
    Time mean;
    double cv;
};
/// `cv` is the coefficient of variation, as for Lognormal; the shape parameter is 1 / cv^2.
struct Gamma {
    Time mean;
    double cv;
};
/// `b` with probability `p_b` (0 .. 1, used in steps of 2^-32), else `a`.
struct Bimodal {
    Time a;
    Time b;
    double p_b;
};
/// Each value with a probability in proportion to its weight (>= 0, not all 0); at least one value.
/// No weights: all equal.
struct Empirical {
    std::vector<Time> values;
    std::vector<double> weights;
};

using Distribution = std::variant<Constant, Uniform, Exponential, Lognormal, Gamma, Bimodal, Empirical>;

/// The exact mean of a distribution, rounded to a picosecond.
Time mean_of(const Distribution& distribution);

/// Quantiles of a continuous distribution of mean 1, with 16 fractional bits.
///
/// The unit interval is cut into two halves, each half into octaves towards its end (1/4..1/2, 1/8..1/4, ...;
/// the last takes the rest), each octave into equal cells. An entry is the mean of the distribution within
/// its cell, so the mean of the table is that of the distribution.
struct QuantileTable {
    static constexpr unsigned octaves = 24;
    static constexpr unsigned cell_bits = 5;
    static constexpr unsigned half_size = octaves << cell_bits;

    std::array<std::uint32_t, std::size_t{2} * half_size> entries;

    /// The entry at the fraction u / 2^32; never falls as u grows.
    std::uint32_t at(std::uint32_t u) const {
        const std::uint32_t upper = u >> 31;
        const std::uint32_t r = (u ^ (0 - upper)) << 1;  // distance from the end of the half, 31 bits on top
        const auto octave = static_cast<unsigned>(std::countl_zero(r | (1u << (32 - octaves))));
        const unsigned cell = (r << std::min(octave + 1, octaves - 1)) >> (32 - cell_bits);
        return entries[upper * half_size + (octave << cell_bits) + cell];
    }
};

/// Values of a discrete distribution with the exact threshold (in 2^-32) up to which each is taken, ascending.
struct StepTable {
    std::vector<std::uint32_t> last;     ///< the largest u that gives this entry
    std::vector<std::uint32_t> entries;  ///< value / mean with 16 fractional bits

    std::uint32_t at(std::uint32_t u) const {
        return entries[static_cast<std::size_t>(std::lower_bound(last.begin(), last.end(), u) - last.begin())];
    }
    bool operator==(const StepTable&) const = default;
};

/// A distribution made ready for drawing. Scaling `mean_ps` scales the distribution.
struct Sampler {
    static constexpr std::int32_t constant = -1;

    std::int64_t mean_ps = 0;
    std::int32_t table = constant;  ///< constant: draws nothing; >= 0 quantile table; <= -2 step table
};

/// The tables of a model; distributions of the same shape share one.
class TableSet {
  public:
    /// Builds or finds the table. A shape without spread (cv = 0, from = to, ...) becomes a constant.
    /// Throws std::invalid_argument, with the reason, for parameters out of range and for a distribution
    /// that reaches beyond 65535 times its mean or beyond time_limit.
    Sampler add(const Distribution& distribution);

    const QuantileTable& quantiles(std::int32_t table) const { return quantiles_[static_cast<std::size_t>(table)]; }
    const StepTable& steps(std::int32_t table) const { return steps_[static_cast<std::size_t>(-2 - table)]; }
    std::size_t size() const { return quantiles_.size() + steps_.size(); }

  private:
    enum class Family : std::uint8_t { uniform, exponential, lognormal, gamma };
    struct Shape {
        Family family;
        double parameter;  // uniform: from / mean; lognormal, gamma: cv
        auto operator<=>(const Shape&) const = default;
    };
    Sampler add_quantiles(Time mean, Shape shape);
    Sampler add_steps(const std::vector<Time>& values, const std::vector<double>& weights);

    std::vector<QuantileTable> quantiles_;
    std::vector<StepTable> steps_;
    std::map<Shape, std::int32_t> by_shape_;
};

/// Of scale(): how many low bits of a product of this mean are rounded away.
inline int scale_shift(std::uint64_t mean) { return std::max(0, static_cast<int>(std::bit_width(mean)) - 13); }

/// As scale(), for a mean whose scale_shift() is known.
inline Time scale_by(std::uint64_t mean, int shift, std::uint32_t entry) {
    const std::uint64_t half = std::uint64_t{1} << (15 + shift);
    if ((mean | entry) <= 0x7FFFFFFF) [[likely]]  // the same without 128 bits
        return {static_cast<std::int64_t>((mean * entry + half) >> (16 + shift) << shift)};
    return {
        static_cast<std::int64_t>(static_cast<std::uint64_t>((uint128{mean} * entry + half) >> (16 + shift)) << shift)};
}

/// mean * entry / 2^16, rounded to 12 to 13 bits of the mean, so that twice the mean gives exactly twice the
/// value for every mean from 4.096 ns; below that, to 1 ps.
inline Time scale(std::int64_t mean_ps, std::uint32_t entry) {
    FORKSIM_CHECK(mean_ps >= 0, "negative mean");
    const auto mean = static_cast<std::uint64_t>(mean_ps);
    return scale_by(mean, scale_shift(mean), entry);
}

/// One value of the distribution, from the upper 32 of 64 random bits; never falls as `bits` grows.
inline Time sample(const TableSet& tables, Sampler sampler, std::uint64_t bits) {
    if (sampler.table == Sampler::constant) return {sampler.mean_ps};
    const auto u = static_cast<std::uint32_t>(bits >> 32);
    const std::uint32_t entry =
        sampler.table >= 0 ? tables.quantiles(sampler.table).at(u) : tables.steps(sampler.table).at(u);
    return scale(sampler.mean_ps, entry);
}

/// A sampler with its table at hand, for what is drawn in every event: the same values. `tables` must outlive it.
class ReadySampler {
  public:
    ReadySampler(const TableSet& tables, Sampler sampler) : mean_(static_cast<std::uint64_t>(sampler.mean_ps)) {
        FORKSIM_CHECK(sampler.mean_ps >= 0, "negative mean");
        shift_ = scale_shift(mean_);
        constant_ = sampler.table == Sampler::constant;
        if (sampler.table > Sampler::constant) quantiles_ = &tables.quantiles(sampler.table);
        if (sampler.table < Sampler::constant) steps_ = &tables.steps(sampler.table);
    }

    /// The value, or one from the upper 32 of the 64 random bits that `draw()` gives if there is more than one.
    template <class Draw>
    Time value(Draw draw) const {
        if (constant_) return {static_cast<std::int64_t>(mean_)};
        const auto u = static_cast<std::uint32_t>(draw() >> 32);
        return scale_by(mean_, shift_, quantiles_ != nullptr ? quantiles_->at(u) : steps_->at(u));
    }

  private:
    std::uint64_t mean_;  // ps
    int shift_;
    bool constant_;
    const QuantileTable* quantiles_ = nullptr;
    const StepTable* steps_ = nullptr;
};

/// Numbers a table by its content, to compare tables across compilers and machines.
std::uint64_t fingerprint(const QuantileTable& table);

}  // namespace forksim
