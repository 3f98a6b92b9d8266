// Whole runs against queueing theory: lines that cost nothing to move, so that holds and thinking are all there is.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>
#include <tuple>

#include "tests/system/closed_queues.hpp"
#include "tests/system/runs.hpp"

namespace forksim::test {
namespace {

constexpr double microsecond = 1e-6;
constexpr std::uint64_t seeds[] = {1, 2, 3, 4, 5};

/// one-lock or a variant of it: a mean think time of 10 us, services of 1 us.
Request one_lock(const std::string& scenario, std::uint32_t customers, std::uint64_t seed) {
    Request request;
    request.scenario = scenario;
    request.cpus = customers;
    request.seed = seed;
    request.warmup = "1ms";
    request.duration = customers < 4 ? "60ms" : "20ms";
    return request;
}

/// At each seed, and over all of them.
void compare(std::uint32_t customers, const std::string& scenario, const Repairman& exact) {
    CAPTURE(customers);
    std::vector<Record> all;
    for (const std::uint64_t seed : seeds) {
        CAPTURE(seed);
        const std::vector<Record> records = replications(compile(one_lock(scenario, customers, seed)), 20);
        check_mean(throughput(records), exact.throughput, 0.015);
        if (customers > 1) check_mean(waiting(records, 0), exact.waiting, 0.08);
        all.insert(all.end(), records.begin(), records.end());
    }
    check_mean(throughput(all), exact.throughput, 0.006);
    if (customers > 1) check_mean(waiting(all, 0), exact.waiting, 0.03);
}

/// A station of a network: how often a customer comes by in one cycle, and for how long.
struct Station {
    std::string kind;
    int visits;
    double service_us;
};

/// A fixed route through the stations, each visit to one with the same mean: the order does not matter to the theory.
///
/// Thinking takes long enough that no station is busy all the time. Else nearly all customers stand in one first-come,
/// first-served queue, hardly ever overtake each other, and keep for thousands of cycles the pattern of visits in which
/// they began: a steady state, but one that no simulation reaches.
struct RandomNetwork {
    std::uint32_t customers;
    std::string think;  // a distribution; only its mean matters to the theory
    double think_us;
    std::vector<Station> stations;
    std::vector<std::size_t> route;

    explicit RandomNetwork(std::uint64_t number) {
        std::mt19937_64 random(number);  // the same numbers from every library
        const auto below = [&](std::uint64_t n) { return random() % n; };
        customers = static_cast<std::uint32_t>(1 + below(64));
        const std::size_t count = 2 + below(3);
        double longest_us = 0;
        for (std::size_t s = 0; s < count; ++s) {
            stations.push_back({below(3) == 0 ? "rwlock" : "spinlock", static_cast<int>(1 + below(3)),
                                0.1 * static_cast<double>(1 + below(30))});
            for (int v = 0; v < stations[s].visits; ++v) route.push_back(s);
            longest_us = std::max(longest_us, stations[s].visits * stations[s].service_us);
        }
        think_us = std::ceil(customers * longest_us * (0.8 + 0.1 * static_cast<double>(below(8))));
        const char* const thinks[] = {"{exponential: MEAN}", "{lognormal: {mean: MEAN, cv: 1.5}}",
                                      "{gamma: {mean: MEAN, cv: 0.5}}", "MEAN"};
        think = replaced(thinks[below(4)], "MEAN", std::to_string(static_cast<int>(think_us)) + "us");
        for (std::size_t i = route.size(); i-- > 1;) std::swap(route[i], route[below(i + 1)]);
    }

    std::vector<double> demands() const {
        std::vector<double> result;
        for (const Station& s : stations) result.push_back(s.visits * s.service_us * microsecond);
        return result;
    }

    std::size_t lock(const Compiled& compiled, std::size_t station) const {
        return lock_index(compiled, std::string("S").append(std::to_string(station)));
    }

    std::string scenario() const {
        std::ostringstream out;
        out << "scenario: network\nplatform: {uniform: " << customers << ", distance: 0ns}\nlocks:\n";
        for (std::size_t s = 0; s < stations.size(); ++s) out << "  S" << s << ": {kind: " << stations[s].kind << "}\n";
        out << "workload:\n  - tasks: customer\n    count: {per: cpu}\n    affinity: pu\n    forever:\n"
            << "      - {work: " << think << ", name: think}\n";
        for (std::size_t i = 0; i < route.size(); ++i) {
            const Station& s = stations[route[i]];
            out << "      - {section: S" << route[i] << (s.kind == "rwlock" ? ", mode: write" : "") << ", name: visit"
                << i << ", body: [{work: {exponential: " << s.service_us << "us}, name: serve" << i << "}]}\n";
        }
        out << "      - count: cycles\n";
        return out.str();
    }
};

}  // namespace

TEST_CASE("one-lock is the machine repairman M/M/1//N, in throughput and in queue length") {
    for (const std::uint32_t customers : {1u, 2u, 8u, 14u, 20u, 64u})
        compare(customers, "one-lock", exponential_repairman(customers, 10 * microsecond, microsecond));
}

TEST_CASE("with services of constant length one-lock is M/D/1//N") {
    const TempFolder folder;
    const std::string file =
        folder.write("one-lock-constant.yaml",
                     replaced(shipped_text("scenarios/one-lock.yaml"), "{work: {exponential: 1us}", "{work: 1us"));
    for (const std::uint32_t customers : {1u, 2u, 8u, 12u, 20u, 64u})
        compare(customers, file, constant_repairman(customers, 10 * microsecond, microsecond));
}

TEST_CASE("where moving a line costs nothing, every first-come, first-served kind of lock is the same server") {
    const TempFolder folder;
    const std::string one_lock_text = shipped_text("scenarios/one-lock.yaml");
    const auto outcome = [&](const std::string& kind, const std::string& mode) {
        const std::string text = replaced(replaced(one_lock_text, "kind: spinlock", "kind: " + kind), "- section: L\n",
                                          "- section: L\n" + mode);
        const Record record = merged(replications(compile(one_lock(folder.write("kind.yaml", text), 20, 1)), 4));
        const ResourceRecord& lock = record.resources[0];
        return std::tuple(record.counts[0], lock.queue_integral, lock.hold_sum, lock.longest_queue,
                          record.paths.at(0).sum_ps());
    };
    const auto spinlock = outcome("spinlock", "");
    CHECK((spinlock == outcome("ticket", "")));
    CHECK((spinlock == outcome("rwlock", "        mode: write\n")));
}

TEST_CASE("random closed networks of two to four locks match exact mean value analysis") {
    const TempFolder folder;
    for (std::uint64_t number = 1; number <= 16; ++number) {
        const RandomNetwork network(number);
        CAPTURE(network.scenario());
        const Network exact = mean_value_analysis(network.customers, network.think_us * microsecond, network.demands());
        Request request;
        request.scenario = folder.write("network.yaml", network.scenario());
        request.warmup = "2ms";
        request.duration = "6ms";
        std::vector<Record> all;
        for (const std::uint64_t seed : seeds) {
            CAPTURE(seed);
            request.seed = seed;
            const Compiled compiled = compile(request);
            const std::vector<Record> records = replications(compiled, 30);
            check_mean(throughput(records), exact.throughput, 0.06);
            for (std::size_t s = 0; s < network.stations.size() && network.customers > 1; ++s) {
                CAPTURE(s);
                check_mean(waiting(records, network.lock(compiled, s)), exact.waiting[s], 2);
            }
            all.insert(all.end(), records.begin(), records.end());
        }
        check_mean(throughput(all), exact.throughput, 0.03);
    }
}

TEST_CASE("the 95 % interval covers the exact throughput in about 95 % of experiments") {
    // 400 experiments: the number that cover is binomial with mean 380 and standard deviation 4.4 if the interval is
    // what it says. Four of those to either side: 362.6 .. 397.4.
    const double exact = exponential_repairman(8, 10 * microsecond, microsecond).throughput;
    int covered = 0;
    for (std::uint64_t seed = 1001; seed <= 1400; ++seed) {
        Request request = one_lock("one-lock", 8, seed);
        request.duration = "1ms";
        request.warmup = "100us";
        const Estimate estimate = throughput(replications(compile(request), 10));
        if (std::abs(estimate.mean - exact) <= estimate.half_width) ++covered;
    }
    CHECK(covered >= 363);
    CHECK(covered <= 397);
}

}  // namespace forksim::test
