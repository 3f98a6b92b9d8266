#include "sim/distribution.hpp"

#include <doctest/doctest.h>

#include <boost/math/distributions/exponential.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/lognormal.hpp>
#include <boost/math/distributions/uniform.hpp>
#include <cmath>
#include <stdexcept>
#include <string>

#include "sim/random.hpp"

namespace forksim {

namespace {

constexpr double unit = 4294967296.0;  // 2^32

/// The random bits that make up the fraction u / 2^32.
std::uint64_t bits_for(std::uint64_t u) { return u << 32; }

/// Calls visit(first u, number of u) for each cell of a quantile table, from both ends towards the middle.
template <class Visit>
void for_each_cell(Visit visit) {
    const auto both = [&visit](std::uint64_t from, std::uint64_t width) {
        visit(from, width);
        visit((std::uint64_t{1} << 32) - from - width, width);
    };
    for (std::uint64_t i = 0; i < 32; ++i) both(i * 8, 8);
    for (std::uint64_t octave = 256; octave < (std::uint64_t{1} << 31); octave *= 2) {
        for (std::uint64_t i = 0; i < 32; ++i) both(octave + i * (octave / 32), octave / 32);
    }
}

/// Mean and variance of sample(), relative to the mean, over all 2^32 fractions.
struct Moments {
    double mean = 0;
    double variance = 0;
};

Moments moments(const TableSet& tables, Sampler sampler) {
    Moments m;
    for_each_cell([&](std::uint64_t from, std::uint64_t width) {
        const Time value = sample(tables, sampler, bits_for(from));
        const double x = static_cast<double>(value.ps) / static_cast<double>(sampler.mean_ps);
        m.mean += x * static_cast<double>(width) / unit;
        m.variance += x * x * static_cast<double>(width) / unit;
    });
    m.variance -= m.mean * m.mean;
    return m;
}

void check_moments(const Distribution& distribution, double cv) {
    TableSet tables;
    const Moments m = moments(tables, tables.add(distribution));
    CHECK(std::abs(m.mean - 1) < 0.0002);
    CHECK(std::abs(m.variance / (cv * cv) - 1) < 0.01);
}

/// Each cell must give one value, between the quantiles at its ends; `expected` has mean 1.
template <class Expected>
void check_quantiles(const Distribution& distribution, const Expected& expected) {
    TableSet tables;
    const Sampler sampler = tables.add(distribution);
    REQUIRE(sampler.table == 0);
    for_each_cell([&](std::uint64_t from, std::uint64_t width) {
        const auto last = static_cast<std::uint32_t>(from + width - 1);
        const std::uint32_t entry = tables.quantiles(0).at(static_cast<std::uint32_t>(from));
        REQUIRE(entry == tables.quantiles(0).at(last));
        const double value = entry / 65536.0;
        const double rounding = 0.51 / 65536;
        const double end = static_cast<double>(from + width);
        if (from > 0) {
            const bool upper = from >= (std::uint64_t{1} << 31);
            const double p = upper ? (unit - static_cast<double>(from)) / unit : static_cast<double>(from) / unit;
            REQUIRE(value >= (upper ? quantile(complement(expected, p)) : quantile(expected, p)) - rounding);
        }
        if (end < unit) {
            REQUIRE(value <= (end > unit / 2 ? quantile(complement(expected, (unit - end) / unit))
                                             : quantile(expected, end / unit)) +
                                 rounding);
        }
    });
}

boost::math::lognormal lognormal(double cv) {
    const double sigma2 = std::log1p(cv * cv);
    return boost::math::lognormal(-sigma2 / 2, std::sqrt(sigma2));
}

constexpr double cvs[] = {0.05, 0.1, 0.25, 0.5, 1, 1.5, 2};
constexpr Time mean = Time::from_us(1);

}  // namespace

TEST_CASE("every cell lies between the quantiles of the distribution") {
    check_quantiles(Exponential{mean}, boost::math::exponential(1));
    check_quantiles(Uniform{mean / 2, mean}, boost::math::uniform(2 / 3.0, 4 / 3.0));
    for (const double cv : cvs) {
        CAPTURE(cv);
        check_quantiles(Lognormal{mean, cv}, lognormal(cv));
        check_quantiles(Gamma{mean, cv}, boost::math::gamma_distribution<>(1 / (cv * cv), cv * cv));
    }
}

TEST_CASE("samples have the mean within 0.02 % and the variance within 1 % of the closed form") {
    check_moments(Exponential{mean}, 1);
    check_moments(Uniform{Time{}, mean}, 1 / std::sqrt(3.0));
    check_moments(Uniform{mean, 3 * mean}, 1 / std::sqrt(12.0));
    for (const double cv : cvs) {
        CAPTURE(cv);
        check_moments(Lognormal{mean, cv}, cv);
        check_moments(Gamma{mean, cv}, cv);
    }
}

TEST_CASE("a gamma of cv 1 is the exponential, entry by entry") {
    TableSet tables;
    const Sampler gamma = tables.add(Gamma{mean, 1});
    const Sampler exponential = tables.add(Exponential{mean});
    CHECK(tables.quantiles(gamma.table).entries == tables.quantiles(exponential.table).entries);
}

TEST_CASE("tables have the same bits on every compiler, machine and level of optimisation") {
    TableSet tables;
    const auto number = [&tables](const Distribution& distribution) {
        return fingerprint(tables.quantiles(tables.add(distribution).table));
    };
    CHECK(number(Uniform{Time{}, mean}) == 0xBF2EA2133C42A487);
    CHECK(number(Exponential{mean}) == 0x42D38937C2249148);
    CHECK(number(Lognormal{mean, 0.25}) == 0x5BE0B4E53296E18A);
    CHECK(number(Lognormal{mean, 2}) == 0x3AFCA9370E29831D);
    CHECK(number(Gamma{mean, 0.05}) == 0xB161F078213D67BB);
    CHECK(number(Gamma{mean, 0.5}) == 0x90FE7DD8B9359F74);
    CHECK(number(Gamma{mean, 2}) == 0x8364AFA6F94795D0);
}

TEST_CASE("twice the mean gives exactly twice every sample, from 4.096 ns") {
    TableSet tables;
    const Sampler samplers[] = {tables.add(Exponential{mean}), tables.add(Lognormal{mean, 0.7}),
                                tables.add(Gamma{mean, 2}), tables.add(Uniform{Time{}, mean}),
                                tables.add(Bimodal{mean, 9 * mean, 0.25})};
    for (const Sampler& sampler : samplers) {
        for (std::uint64_t i = 0; i < 5000; ++i) {
            const Words random = draw(17, i, 0, 0);
            Sampler once = sampler;
            once.mean_ps = 4096 + static_cast<std::int64_t>(random[1] >> (24 + random[1] % 40));
            Sampler twice = once;
            twice.mean_ps *= 2;
            REQUIRE(sample(tables, twice, random[0]) == 2 * sample(tables, once, random[0]));
        }
    }
}

TEST_CASE("scaling rounds to the nearest, with 12 to 13 bits of the mean") {
    CHECK(scale(1000, 65536) == Time{1000});
    CHECK(scale(1000, 32768) == Time{500});
    CHECK(scale(1001, 32768) == Time{501});              // 500.5
    CHECK(scale(1'000'000, 65536) == Time{7813 * 128});  // 7812.5 steps of 2^7, as 2^19 <= mean < 2^20
    CHECK(scale(1'000'000, 65535) == Time{7812 * 128});
    CHECK(scale(0, 99999) == Time{0});
    // A second times 100: needs more than 64 bits.
    CHECK(scale(1'000'000'000'000, 100 << 16).ps == doctest::Approx(1e14).epsilon(1e-5));
}

TEST_CASE("samples never fall as the random bits grow") {
    TableSet tables;
    for (const Sampler sampler : {tables.add(Lognormal{mean, 2}), tables.add(Bimodal{9 * mean, mean, 0.25}),
                                  tables.add(Uniform{mean, 2 * mean})}) {
        Time before;
        for (std::uint64_t u = 0; u < (std::uint64_t{1} << 32); u += u < 4096 ? 1 : 65537) {
            const Time now = sample(tables, sampler, bits_for(u));
            REQUIRE(now >= before);
            before = now;
        }
    }
}

TEST_CASE("a bimodal switches at the exact fraction") {
    TableSet tables;
    const Sampler sampler = tables.add(Bimodal{Time::from_ns(100), Time::from_ns(500), 0.25});
    CHECK(sampler.mean_ps == 200'000);
    const Time a = sample(tables, sampler, 0);
    const Time b = sample(tables, sampler, ~std::uint64_t{0});
    CHECK(std::abs(a.ps - 100'000) <= 16);  // rounded to 2^-13 of the mean
    CHECK(std::abs(b.ps - 500'000) <= 16);
    constexpr std::uint64_t three_quarters = std::uint64_t{3} << 30;
    CHECK(sample(tables, sampler, bits_for(three_quarters) - 1) == a);
    CHECK(sample(tables, sampler, bits_for(three_quarters)) == b);
    // The rarer value may be the smaller one, and either may be impossible.
    const Sampler swapped = tables.add(Bimodal{Time::from_ns(500), Time::from_ns(100), 0.75});
    CHECK(swapped.table == tables.add(Bimodal{Time::from_ns(100), Time::from_ns(500), 0.25}).table);
    CHECK(sample(tables, tables.add(Bimodal{Time{7}, Time{8}, 0}), 12345) == Time{7});
    CHECK(sample(tables, tables.add(Bimodal{Time{7}, Time{8}, 1}), 12345) == Time{8});
}

TEST_CASE("an empirical distribution takes each value as often as its weight says") {
    TableSet tables;
    const Empirical measured{{Time::from_ns(40), Time::from_ns(10), Time::from_ns(20), Time::from_ns(10)},
                             {1, 1, 4, 2}};
    const Sampler sampler = tables.add(measured);
    CHECK(sampler.mean_ps == 18'750);  // (40 + 10 + 4 * 20 + 2 * 10) / 8
    const auto at_eighths = [&](std::uint64_t n) { return sample(tables, sampler, bits_for(n << 29)).ps; };
    for (const std::uint64_t n : {0u, 1u, 2u}) CHECK(std::abs(at_eighths(n) - 10'000) <= 2);
    for (const std::uint64_t n : {3u, 4u, 5u, 6u}) CHECK(std::abs(at_eighths(n) - 20'000) <= 2);
    CHECK(std::abs(at_eighths(7) - 40'000) <= 2);
    CHECK(tables.add(Empirical{{Time{5}, Time{5}}, {}}).table == Sampler::constant);
    CHECK(mean_of(Empirical{{Time{4}, Time{8}}, {}}) == Time{6});
}

TEST_CASE("shapes are shared, whatever their mean") {
    TableSet tables;
    CHECK(tables.add(Lognormal{mean, 0.5}).table == tables.add(Lognormal{7 * mean, 0.5}).table);
    CHECK(tables.add(Uniform{mean, 3 * mean}).table == tables.add(Uniform{5 * mean, 15 * mean}).table);
    CHECK(tables.add(Bimodal{mean, 3 * mean, 0.5}).table == tables.add(Bimodal{2 * mean, 6 * mean, 0.5}).table);
    CHECK(tables.size() == 3);
    CHECK(tables.add(Gamma{mean, 0.5}).table != tables.add(Lognormal{mean, 0.5}).table);
    CHECK(tables.add(Lognormal{mean, 0.6}).table != tables.add(Lognormal{mean, 0.5}).table);
    CHECK(tables.size() == 5);
}

TEST_CASE("a distribution without spread is a constant and needs no table") {
    TableSet tables;
    const Distribution fixed[] = {Constant{mean},      Uniform{mean, mean},      Lognormal{mean, 0},
                                  Gamma{mean, 0.0005}, Bimodal{mean, mean, 0.5}, Empirical{{mean}, {3}}};
    for (const Distribution& distribution : fixed) {
        const Sampler sampler = tables.add(distribution);
        CHECK(sampler.table == Sampler::constant);
        CHECK(sample(tables, sampler, 0x123456789ABCDEF0) == mean);
    }
    CHECK(sample(tables, tables.add(Exponential{Time{}}), ~std::uint64_t{0}) == Time{});
    CHECK(tables.size() == 0);
}

TEST_CASE("parameters out of range are refused with the reason") {
    TableSet tables;
    CHECK_THROWS_WITH_AS(tables.add(Constant{Time{-1}}), "a time must be between 0 and 4000 s", std::invalid_argument);
    CHECK_THROWS_WITH_AS(tables.add(Uniform{mean, Time{}}), "`from` must not exceed `to`", std::invalid_argument);
    CHECK_THROWS_WITH_AS(tables.add(Gamma{mean, 8.1}), "cv must be between 0 and 8", std::invalid_argument);
    CHECK_THROWS_WITH_AS(tables.add(Lognormal{mean, std::nan("")}), "cv must be between 0 and 8",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(tables.add(Bimodal{mean, mean, 1.5}), "a probability must be between 0 and 1",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(tables.add(Empirical{}), "needs at least one value", std::invalid_argument);
    CHECK_THROWS_WITH_AS(tables.add(Empirical{{mean}, {1, 2}}), "needs as many weights as values",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(tables.add(Empirical{{mean}, {0}}), "the weights must have a finite sum above 0",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(tables.add(Exponential{Time::from_s(1000)}), "reaches beyond 4000 s", std::invalid_argument);
    CHECK_THROWS_WITH_AS(tables.add(Bimodal{Time{}, Time::from_s(1), 1e-6}), "reaches beyond 65535 times its mean",
                         std::invalid_argument);
}

TEST_CASE("every cv that is accepted gives a table") {
    for (const double cv : {0.001, 0.003, 0.02, 3.0, 5.0, 8.0}) {
        CAPTURE(cv);
        TableSet tables;
        CHECK(std::abs(moments(tables, tables.add(Gamma{mean, cv})).mean - 1) < 0.0002);
        CHECK(std::abs(moments(tables, tables.add(Lognormal{mean, cv})).mean - 1) < 0.0002);
    }
}

}  // namespace forksim
