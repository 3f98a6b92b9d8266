#include "sim/distribution.hpp"

#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "sim/random.hpp"

namespace forksim {

namespace {

// Plain double arithmetic on every machine; results below the smallest double are 0.
using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

constexpr double one = 65536;  // an entry of 1
constexpr double cv_max = 8;
constexpr double cv_min = 1e-3;  // smaller spreads would drown in the rounding of samples

/// Which end of the distribution a tail is cut from.
enum class End : std::uint8_t { lower, upper };

// Each of these is the part of the mean (1) that lies in the tail of probability p at one end; 0 < p <= 1/2.

double uniform_tail(End end, double from, double p) {
    const double width = 2 - 2 * from;
    return end == End::lower ? p * (from + width * p / 2) : p * (from + width - width * p / 2);
}

double exponential_tail(End end, double p) {
    return end == End::lower ? p + (1 - p) * std::log1p(-p) : p - p * std::log(p);
}

double lognormal_tail(End end, double cv, double p) {
    const double sigma = std::sqrt(std::log1p(cv * cv));
    const double sqrt2 = std::sqrt(2.0);
    const double z = -sqrt2 * boost::math::erfc_inv(2 * p, Policy());
    return std::erfc((end == End::lower ? sigma - z : -sigma - z) / sqrt2) / 2;
}

double gamma_tail(End end, double cv, double p) {
    const double shape = 1 / (cv * cv);
    if (end == End::lower) {
        return boost::math::gamma_p(shape + 1, boost::math::gamma_p_inv(shape, p, Policy()), Policy());
    }
    return boost::math::gamma_q(shape + 1, boost::math::gamma_q_inv(shape, p, Policy()), Policy());
}

/// Where a cell lies, counted from its end of the unit interval in 2^-32.
struct Cell {
    std::uint64_t from;
    std::uint64_t width;
};

Cell cell_at(unsigned octave, unsigned cell) {
    const bool rest = octave == QuantileTable::octaves - 1;
    const unsigned bits = rest ? 31 - octave : 30 - octave;  // of the octave's length
    const std::uint64_t width = std::uint64_t{1} << (bits - QuantileTable::cell_bits);
    const std::uint64_t start = rest ? 0 : std::uint64_t{1} << bits;
    return {start + cell * width, width};
}

template <class Tail>
QuantileTable build(Tail tail) {
    constexpr double unit = 4294967296.0;
    QuantileTable table;
    std::uint64_t mean = 0;
    for (const End end : {End::lower, End::upper}) {
        for (unsigned i = 0; i < QuantileTable::half_size; ++i) {
            const Cell cell = cell_at(i >> QuantileTable::cell_bits, i & ((1u << QuantileTable::cell_bits) - 1));
            const double below = cell.from == 0 ? 0 : tail(end, static_cast<double>(cell.from) / unit);
            const double above = tail(end, static_cast<double>(cell.from + cell.width) / unit);
            const double value = std::max(0.0, (above - below) / (static_cast<double>(cell.width) / unit));
            if (!(value < one - 1)) throw std::invalid_argument("reaches beyond 65535 times its mean");
            const auto entry = static_cast<std::uint32_t>(std::llround(value * one));
            table.entries[(end == End::upper ? QuantileTable::half_size : 0) + i] = entry;
            mean += cell.width * entry;
        }
    }
    // The entries average to 1 because the tails do; only their rounding is left.
    constexpr std::uint64_t exact = std::uint64_t{1} << 48;
    constexpr std::uint64_t rounding = std::uint64_t{1} << 32;
    FORKSIM_CHECK(mean > exact - rounding && mean < exact + rounding, "a quantile table has a wrong mean");
    return table;
}

Time rounded(double ps) { return {std::llround(ps)}; }

double to_double(Time t) { return static_cast<double>(t.ps); }

Time weighted_mean(const std::vector<Time>& values, const std::vector<double>& weights) {
    double sum = 0;
    double weight = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        sum += to_double(values[i]) * weights[i];
        weight += weights[i];
    }
    return rounded(sum / weight);
}

std::vector<double> weights_of(const Empirical& e) {
    return e.weights.empty() ? std::vector<double>(e.values.size(), 1.0) : e.weights;
}

void require(bool condition, const char* reason) {
    if (!condition) throw std::invalid_argument(reason);
}

void require_time(Time t) { require(t >= Time{} && t <= time_limit, "a time must be between 0 and 4000 s"); }

void require_cv(double cv) { require(cv >= 0 && cv <= cv_max, "cv must be between 0 and 8"); }

struct Validate {
    void operator()(const Constant& d) const { require_time(d.value); }
    void operator()(const Uniform& d) const {
        require_time(d.from);
        require_time(d.to);
        require(d.from <= d.to, "`from` must not exceed `to`");
    }
    void operator()(const Exponential& d) const { require_time(d.mean); }
    void operator()(const Lognormal& d) const {
        require_time(d.mean);
        require_cv(d.cv);
    }
    void operator()(const Gamma& d) const {
        require_time(d.mean);
        require_cv(d.cv);
    }
    void operator()(const Bimodal& d) const {
        require_time(d.a);
        require_time(d.b);
        require(d.p_b >= 0 && d.p_b <= 1, "a probability must be between 0 and 1");
    }
    void operator()(const Empirical& d) const {
        require(!d.values.empty(), "needs at least one value");
        require(d.weights.empty() || d.weights.size() == d.values.size(), "needs as many weights as values");
        for (const Time value : d.values) require_time(value);
        double sum = 0;
        for (const double weight : d.weights) {
            require(weight >= 0, "a weight must not be negative");
            sum += weight;
        }
        require(d.weights.empty() || (sum > 0 && std::isfinite(sum)), "the weights must have a finite sum above 0");
    }
};

struct Mean {
    Time operator()(const Constant& d) const { return d.value; }
    Time operator()(const Uniform& d) const { return {(d.from.ps + d.to.ps + 1) / 2}; }
    Time operator()(const Exponential& d) const { return d.mean; }
    Time operator()(const Lognormal& d) const { return d.mean; }
    Time operator()(const Gamma& d) const { return d.mean; }
    Time operator()(const Bimodal& d) const { return weighted_mean({d.a, d.b}, {1 - d.p_b, d.p_b}); }
    Time operator()(const Empirical& d) const { return weighted_mean(d.values, weights_of(d)); }
};

}  // namespace

Time mean_of(const Distribution& distribution) {
    std::visit(Validate{}, distribution);
    return std::visit(Mean{}, distribution);
}

Sampler TableSet::add(const Distribution& distribution) {
    const Time mean = mean_of(distribution);
    const Sampler fixed{mean.ps, Sampler::constant};
    if (std::holds_alternative<Constant>(distribution)) return fixed;
    if (const auto* d = std::get_if<Bimodal>(&distribution)) return add_steps({d->a, d->b}, {1 - d->p_b, d->p_b});
    if (const auto* d = std::get_if<Empirical>(&distribution)) return add_steps(d->values, weights_of(*d));

    if (mean == Time{}) return fixed;
    if (std::holds_alternative<Exponential>(distribution)) return add_quantiles(mean, {Family::exponential, 0});
    if (const auto* d = std::get_if<Uniform>(&distribution)) {
        if (d->from == d->to) return fixed;
        return add_quantiles(mean, {Family::uniform, 2 * to_double(d->from) / (to_double(d->from) + to_double(d->to))});
    }
    const auto* lognormal = std::get_if<Lognormal>(&distribution);
    const double cv = lognormal != nullptr ? lognormal->cv : std::get<Gamma>(distribution).cv;
    if (cv < cv_min) return fixed;
    return add_quantiles(mean, {lognormal != nullptr ? Family::lognormal : Family::gamma, cv});
}

Sampler TableSet::add_quantiles(Time mean, Shape shape) {
    auto found = by_shape_.find(shape);
    if (found == by_shape_.end()) {
        quantiles_.push_back(build([shape](End end, double p) {
            switch (shape.family) {
                case Family::uniform:
                    return uniform_tail(end, shape.parameter, p);
                case Family::exponential:
                    return exponential_tail(end, p);
                case Family::lognormal:
                    return lognormal_tail(end, shape.parameter, p);
                default:
                    return gamma_tail(end, shape.parameter, p);
            }
        }));
        found = by_shape_.emplace(shape, static_cast<std::int32_t>(quantiles_.size() - 1)).first;
    }
    const std::uint64_t largest = quantiles(found->second).at(~std::uint32_t{0});
    const uint128 limit = uint128{static_cast<std::uint64_t>(time_limit.ps)} << 16;
    require(uint128{static_cast<std::uint64_t>(mean.ps)} * largest <= limit, "reaches beyond 4000 s");
    return {mean.ps, found->second};
}

Sampler TableSet::add_steps(const std::vector<Time>& values, const std::vector<double>& weights) {
    std::vector<std::size_t> ascending(values.size());
    std::iota(ascending.begin(), ascending.end(), std::size_t{0});
    std::stable_sort(ascending.begin(), ascending.end(),
                     [&values](std::size_t i, std::size_t j) { return values[i] < values[j]; });
    double total = 0;
    for (const std::size_t i : ascending) total += weights[i];

    // Up to where each value is taken, in 2^-32; values of no probability are left out, equal ones merged.
    std::vector<std::pair<Time, std::uint64_t>> steps;
    double sum = 0;
    std::uint64_t from = 0;
    for (const std::size_t i : ascending) {
        sum += weights[i];
        const auto to = static_cast<std::uint64_t>(std::llround(sum / total * 4294967296.0));
        if (to == from) continue;
        if (!steps.empty() && steps.back().first == values[i]) steps.pop_back();
        steps.emplace_back(values[i], to);
        from = to;
    }
    if (steps.size() == 1) return {steps.front().first.ps, Sampler::constant};

    const auto mean = static_cast<std::uint64_t>(weighted_mean(values, weights).ps);
    StepTable table;
    for (const auto& [value, to] : steps) {
        const uint128 scaled = uint128{static_cast<std::uint64_t>(value.ps)} << 16;
        require(mean != 0 && scaled / mean < 0xFFFF0000, "reaches beyond 65535 times its mean");
        table.entries.push_back(static_cast<std::uint32_t>((scaled + mean / 2) / mean));
        table.last.push_back(static_cast<std::uint32_t>(to - 1));
    }
    const auto position = std::find(steps_.begin(), steps_.end(), table) - steps_.begin();
    if (position == static_cast<std::ptrdiff_t>(steps_.size())) steps_.push_back(std::move(table));
    return {static_cast<std::int64_t>(mean), static_cast<std::int32_t>(-2 - position)};
}

std::uint64_t fingerprint(const QuantileTable& table) {
    std::uint64_t h = 0;
    for (const std::uint32_t entry : table.entries) h = mix(h, entry);
    return h;
}

}  // namespace forksim
