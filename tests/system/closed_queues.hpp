#pragma once
#include <cstdint>
#include <vector>

/// Queueing theory, to hold simulations against: closed systems of customers who think, then queue for servers.
/// Nothing here knows the simulator. Times are in seconds, rates per second.
namespace forksim::test {

/// A single server in a closed system, in steady state.
struct Repairman {
    double throughput = 0;  ///< services per second
    double waiting = 0;     ///< mean number of customers that queue, the one in service not counted
};

/// M/M/1//N: `customers` think for exponential times of mean `think`, then need an exponential time of mean `service`.
/// Palm 1947; Kleinrock, Queueing Systems I, 3.8.
Repairman exponential_repairman(std::uint32_t customers, double think, double service);

/// M/D/1//N: the same with services of constant length, by the Markov chain embedded at the departures.
Repairman constant_repairman(std::uint32_t customers, double think, double service);

/// The probabilities of 0 .. thinking customers to arrive during one service.
using Arrivals = std::vector<double> (*)(std::uint32_t thinking, double think, double service);
std::vector<double> arrivals_in_constant(std::uint32_t thinking, double think, double service);
std::vector<double> arrivals_in_exponential(std::uint32_t thinking, double think, double service);

/// M/G/1//N by the embedded chain, for services during which so many arrive.
Repairman embedded_repairman(std::uint32_t customers, double think, double service, Arrivals arrivals);

/// A closed network in steady state.
struct Network {
    double throughput = 0;        ///< cycles per second
    std::vector<double> waiting;  ///< by station: mean number that queue, the one in service not counted
};

/// Exact mean value analysis of a product-form network of single servers: `demands` are the mean times that a customer
/// needs of each station per cycle (visits times service). Reiser and Lavenberg, JACM 27 (1980).
Network mean_value_analysis(std::uint32_t customers, double think, const std::vector<double>& demands);

}  // namespace forksim::test
