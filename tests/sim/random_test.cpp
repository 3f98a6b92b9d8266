#include "sim/random.hpp"

#include <Random123/threefry.h>
#undef threefry2x64  // a macro of Random123
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>

namespace forksim {

TEST_CASE("threefry2x64-13 agrees with Random123") {
    r123::Threefry2x64_R<13> reference;
    Words counter{0, 0};
    Words key{0, 0};
    for (int i = 0; i < 1000; ++i) {
        const auto expected = reference({{counter[0], counter[1]}}, {{key[0], key[1]}});
        const Words got = threefry2x64(counter, key);
        REQUIRE(got[0] == expected[0]);
        REQUIRE(got[1] == expected[1]);
        key = counter;
        counter = got;
    }
}

TEST_CASE("the number of a name is FNV-1a finalised with MurmurHash3") {
    // FNV-1a of "", "a" and "foobar" is published: cbf29ce484222325, af63dc4c8601ec8c, 85944171f73967e8.
    const auto finalise = [](std::uint64_t h) {
        h = (h ^ (h >> 33)) * 0xFF51AFD7ED558CCD;
        h = (h ^ (h >> 33)) * 0xC4CEB9FE1A85EC53;
        return h ^ (h >> 33);
    };
    CHECK(hash_name("") == finalise(0xCBF29CE484222325));
    CHECK(hash_name("a") == finalise(0xAF63DC4C8601EC8C));
    CHECK(hash_name("foobar") == finalise(0x85944171F73967E8));
}

TEST_CASE("a draw is a pure function of its four arguments, and each of them matters") {
    constexpr Words same = draw(1, 2, 3, 4);
    static_assert(same == draw(1, 2, 3, 4));
    CHECK(draw(1, 2, 3, 4) == same);
    CHECK(draw(0, 2, 3, 4) != same);
    CHECK(draw(1, 0, 3, 4) != same);
    CHECK(draw(1, 2, 0, 4) != same);
    CHECK(draw(1, 2, 3, 0) != same);
    CHECK(draw(2, 1, 3, 4) != same);
    CHECK(draw(3, 2, 1, 4) != same);
}

TEST_CASE("flipping one bit of a mixed word flips half of the result") {
    // 64 * 2 * 200 trials of 64 bits: the share of flipped bits has a standard deviation of 0.0004.
    std::uint64_t flipped = 0;
    std::uint64_t trials = 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
        for (int bit = 0; bit < 64; ++bit) {
            const std::uint64_t flip = std::uint64_t{1} << bit;
            flipped += static_cast<std::uint64_t>(std::popcount(mix(i, ~i) ^ mix(i ^ flip, ~i)));
            flipped += static_cast<std::uint64_t>(std::popcount(mix(i, ~i) ^ mix(i, ~i ^ flip)));
            trials += 128;
        }
    }
    CHECK(static_cast<double>(flipped) / static_cast<double>(trials) == doctest::Approx(0.5).epsilon(0.005));
    CHECK(mix(1, 2) != mix(2, 1));
}

TEST_CASE("draws of neighbouring iterations and of neighbouring steps are uniform and uncorrelated") {
    constexpr int n = 100000;
    const auto fraction = [](std::uint64_t bits) { return static_cast<double>(bits >> 32) / 4294967296.0 - 0.5; };
    double sum = 0;
    double lag = 0;
    double across = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
        const double here = fraction(draw(7, i, 11, 0)[0]);
        sum += here;
        lag += here * fraction(draw(7, i + 1, 11, 0)[0]);
        across += here * fraction(draw(7, i, 12, 0)[0]);
    }
    // Standard deviations: 1 / sqrt(12 n) = 0.00091 and 1 / (12 sqrt(n)) = 0.00026; five of them allowed.
    CHECK(std::abs(sum / n) < 0.0046);
    CHECK(std::abs(lag / n) < 0.0013);
    CHECK(std::abs(across / n) < 0.0013);
}

}  // namespace forksim
