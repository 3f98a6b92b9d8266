#include "tests/system/closed_queues.hpp"

#include <cmath>
#include <cstddef>
#include <utility>

namespace forksim::test {
namespace {

Repairman from_throughput(std::uint32_t customers, double think, double service, double throughput) {
    // Little's law for the thinkers and for the server gives who is left.
    return {throughput, customers - throughput * (think + service)};
}

}  // namespace

Repairman exponential_repairman(std::uint32_t customers, double think, double service) {
    double term = 1;  // N! / (N-k)! * (service / think)^k
    double sum = 1;
    for (std::uint32_t k = 1; k <= customers; ++k) {
        term *= (customers - k + 1) * service / think;
        sum += term;
    }
    return from_throughput(customers, think, service, (1 - 1 / sum) / service);
}

std::vector<double> arrivals_in_constant(std::uint32_t thinking, double think, double service) {
    const double p = -std::expm1(-service / think);  // that one of them arrives
    std::vector<double> binomial{1};
    for (std::uint32_t n = 0; n < thinking; ++n) {
        std::vector<double> next(binomial.size() + 1, 0.0);
        for (std::size_t k = 0; k < binomial.size(); ++k) {
            next[k] += binomial[k] * (1 - p);
            next[k + 1] += binomial[k] * p;
        }
        binomial = std::move(next);
    }
    return binomial;
}

std::vector<double> arrivals_in_exponential(std::uint32_t thinking, double think, double service) {
    std::vector<double> result;
    double reached = 1;  // that at least so many arrive before the service ends
    for (std::uint32_t k = 0; k <= thinking; ++k) {
        const double rate = (thinking - k) / think;
        const double arrives = rate / (rate + 1 / service);
        result.push_back(reached * (1 - arrives));
        reached *= arrives;
    }
    return result;
}

Repairman embedded_repairman(std::uint32_t customers, double think, double service, Arrivals arrivals) {
    // State: how many a departing customer leaves behind, 0 .. N-1. From 0, the next service begins with the next
    // arrival, so state 0 moves on as state 1 does. A step from j leads down to j-1 at the lowest, so the balance
    // across the cut between j-1 and j gives p[j] from the states below: p[j] * P(j -> j-1) = sum over i < j of p[i] *
    // P(i -> j or more).
    std::vector<double> p(customers, 0.0);
    std::vector<std::vector<double>> come(customers);
    for (std::uint32_t i = 0; i < customers; ++i) come[i] = arrivals(customers - (i == 0 ? 1 : i), think, service);
    p[0] = 1;
    double sum = 1;
    for (std::uint32_t j = 1; j < customers; ++j) {
        double up = 0;
        for (std::uint32_t i = 0; i < j; ++i) {
            const std::uint32_t stays = i == 0 ? 0 : i - 1;  // left behind if nobody arrives
            for (std::size_t k = j - stays; k < come[i].size(); ++k) up += p[i] * come[i][k];
        }
        p[j] = up / come[j][0];
        sum += p[j];
    }
    const double cycle = service + p[0] / sum * think / customers;
    return from_throughput(customers, think, service, 1 / cycle);
}

Repairman constant_repairman(std::uint32_t customers, double think, double service) {
    return embedded_repairman(customers, think, service, arrivals_in_constant);
}

Network mean_value_analysis(std::uint32_t customers, double think, const std::vector<double>& demands) {
    Network network;
    std::vector<double> queue(demands.size(), 0.0);  // mean number at each station, the one in service included
    for (std::uint32_t n = 1; n <= customers; ++n) {
        double cycle = think;
        std::vector<double> residence(demands.size());
        for (std::size_t i = 0; i < demands.size(); ++i) {
            residence[i] = demands[i] * (1 + queue[i]);
            cycle += residence[i];
        }
        network.throughput = n / cycle;
        for (std::size_t i = 0; i < demands.size(); ++i) queue[i] = network.throughput * residence[i];
    }
    for (std::size_t i = 0; i < demands.size(); ++i)
        network.waiting.push_back(queue[i] - network.throughput * demands[i]);
    return network;
}

}  // namespace forksim::test
