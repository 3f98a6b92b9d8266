#include "analysis/compare/verdict.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

using namespace forksim;

namespace {

PairedDifference between(double low, double high) {
    PairedDifference d;
    d.n = 10;
    d.mean = (low + high) / 2;
    d.half_width = (high - low) / 2;
    return d;
}

std::string said(const PairedDifference& difference, const std::optional<Spread>& model = {}) {
    return name_of(verdict_of(difference, model, 0.5));
}

}  // namespace

TEST_CASE("a verdict is read off the sampling interval where there is no other") {
    CHECK(said(between(1, 2)) == "faster");
    CHECK(said(between(-2, -1)) == "slower");
    CHECK(said(between(-1, 2)) == "undetermined");
    CHECK(said(between(-0.4, 0.4)) == "equal");
    CHECK(said(between(0.1, 0.4)) == "equal");  // within the margin comes first
    CHECK(said(between(0.1, 0.6)) == "faster");
}

TEST_CASE("what the model leaves open outweighs a narrow sampling interval") {
    CHECK(said(between(1, 2), Spread{50, 0.5, 3}) == "faster");
    CHECK(said(between(1, 2), Spread{50, -0.1, 3}) == "undetermined");
    CHECK(said(between(-0.1, 0.1), Spread{50, -0.3, 0.8}) == "undetermined");
    CHECK(said(between(-2, -1), Spread{50, -4, -0.2}) == "slower");
}

TEST_CASE("identical needs no interval") {
    PairedDifference d = between(0, 0);
    d.identical = true;
    CHECK(said(d) == "identical");
    CHECK(said(d, Spread{50, -1, 1}) == "identical");
}

TEST_CASE("one replication decides nothing") {
    CHECK(said(difference_of(std::vector<double>{100}, std::vector<double>{150}, 1)) == "undetermined");
}
