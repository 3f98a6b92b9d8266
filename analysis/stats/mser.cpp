#include "analysis/stats/mser.hpp"

#include <limits>
#include <vector>

#include "sim/uint128.hpp"

namespace forksim {
namespace {

constexpr std::size_t batch = 5;
constexpr std::size_t fewest_batches = 10;
constexpr std::size_t fewest_left = 5;

std::vector<std::uint64_t> batch_sums(std::span<const std::uint64_t> series) {
    std::vector<std::uint64_t> sums(series.size() / batch);
    for (std::size_t i = 0; i < sums.size() * batch; ++i) sums[i / batch] += series[i];
    return sums;
}

}  // namespace

std::optional<Truncation> mser5(std::span<const std::uint64_t> series) {
    const std::vector<std::uint64_t> sums = batch_sums(series);
    if (sums.size() < fewest_batches) return std::nullopt;
    // From the end: the sum and the sum of squares of what is left when `cut` batches are dropped.
    uint128 sum = 0;
    uint128 squares = 0;
    std::size_t best = 0;
    double smallest = std::numeric_limits<double>::infinity();
    for (std::size_t cut = sums.size(); cut-- > 0;) {
        sum += sums[cut];
        squares += uint128{sums[cut]} * sums[cut];
        const std::size_t left = sums.size() - cut;
        if (left < fewest_left) continue;
        // left^2 times the sum of squared deviations, over left^3: the squared standard error but for a constant
        const double spread = static_cast<double>(left * squares - sum * sum);
        const auto n = static_cast<double>(left);
        const double error = spread / (n * n * n);
        if (error <= smallest) {
            smallest = error;
            best = cut;
        }
    }
    return Truncation{static_cast<std::uint32_t>(best * batch), 2 * best <= sums.size()};
}

}  // namespace forksim
