// Whether the warm-up was long enough: warned of a transient, not of noise.
#include "analysis/export/warmup.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <random>

#include "analysis/export/simulate.hpp"
#include "tests/scenarios/scratch.hpp"

namespace forksim {
namespace {

constexpr Time warmup = Time::from_ms(30);  // 50 of the 200 spans
constexpr Time duration = Time::from_ms(90);

/// Ten replications, each with noise of a correlation of its own from one of the 200 spans to the next, around a mean.
Record series_with(std::uint32_t seed, double correlation, const std::function<double(double ms)>& mean) {
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(0, 1);
    Record record;
    record.replications = 10;
    record.count_over_time.resize(time_bins);
    for (int r = 0; r < 10; ++r) {
        double state = noise(random);
        std::uint64_t in_window = 0;
        for (std::uint32_t i = 0; i < time_bins; ++i) {
            state = correlation * state + std::sqrt(1 - correlation * correlation) * noise(random);
            const double ms = 120.0 * i / time_bins;
            const auto count = static_cast<std::uint64_t>(mean(ms) + 20 * state + 0.5);
            record.count_over_time[i] += count;
            if (i >= 50) in_window += count;
        }
        record.counts_by_replication.push_back({in_window});
    }
    return record;
}

int warned_of_noise(double correlation) {
    int warned = 0;
    for (std::uint32_t seed = 0; seed < 500; ++seed) {
        const Record noise = series_with(seed, correlation, [](double) { return 1000.0; });
        warned += warmup_warning(noise, warmup, duration).has_value();
    }
    return warned;
}

double settling(double ms, double constant) { return 1000 * (1 - 0.5 * std::exp(-ms / constant)); }

}  // namespace

TEST_CASE("of 500 stationary runs fewer than one in fifty is warned of, whatever the correlation in time") {
    for (const double correlation : {0.0, 0.5, 0.9, 0.98}) {
        CAPTURE(correlation);
        CHECK(warned_of_noise(correlation) < 10);
    }
}

TEST_CASE("a transient that lasts into the window is warned of, one that ends with the warm-up is not") {
    for (std::uint32_t seed = 0; seed < 50; ++seed) {
        CAPTURE(seed);
        const auto late =
            warmup_warning(series_with(seed, 0.5, [](double ms) { return settling(ms, 15); }), warmup, duration);
        REQUIRE(late);
        CHECK(late->find(" % higher ") != std::string::npos);
        CHECK(!warmup_warning(series_with(seed, 0.5, [](double ms) { return settling(ms, 4); }), warmup, duration));
    }
}

TEST_CASE("the warning names the point and what lies behind it, by hand") {
    // Half speed for 60 ms, of which 30 lie in the window: 50 spans of 500 and 100 of 1000 are 125 000. At full speed
    // it would be 150 000: 20 % more.
    Record step = series_with(0, 0, [](double) { return 0.0; });
    for (std::uint32_t i = 0; i < time_bins; ++i) step.count_over_time[i] = i < 100 ? 5'000 : 10'000;
    for (auto& counts : step.counts_by_replication) counts[0] = 125'000;
    CHECK(
        *warmup_warning(step, warmup, duration) ==
        "warm-up too short: throughput settled 60.00ms after the start (MSER-5), and was 20.00 % higher from there on "
        "(--warmup)");
}

TEST_CASE("a throughput that never settles is warned of") {
    const Record rising = series_with(0, 0, [](double ms) { return 1000 + 10 * ms; });
    const auto warning = warmup_warning(rising, warmup, duration);
    REQUIRE(warning);
    CHECK(warning->find("had not settled in the first half of the run (MSER-5)") != std::string::npos);
    CHECK(warning->find(" % higher in the second") != std::string::npos);
}

TEST_CASE("nothing is said of one replication, nor where no count over time was kept") {
    Record record = series_with(0, 0, [](double ms) { return settling(ms, 15); });
    record.counts_by_replication.resize(1);
    CHECK(!warmup_warning(record, warmup, duration));
    CHECK(!warmup_warning(Record{}, warmup, duration));
}

TEST_CASE("tasks that begin late are a transient of a real run, until the warm-up is longer than their sleep") {
    const std::string text =
        "scenario: s\nkernel: bare\nplatform: uniform-4\nworkload:\n"
        "  - tasks: early\n    count: 2\n    forever: [{work: {exponential: 5us}}, {count: n}]\n"
        "  - tasks: late\n    count: 2\n    do: [{sleep: 4ms}, {forever: [{work: {exponential: 5us}}, {count: n}]}]\n"
        "measure: {duration: 8ms, replications: 10}\n";
    for (const int warmup_ms : {1, 5}) {
        const Compiled compiled =
            test::compile_text(text, [&](Request& request) { request.warmup = std::to_string(warmup_ms) + "ms"; });
        const RunSubject subject{compiled.program, compiled.model, compiled.topology};
        SimulationPlan plan;
        plan.config = compiled.core;
        plan.replications.least = plan.replications.most = 10;
        const Simulated all = simulate(subject, plan, {});
        RunInfo info;
        info.warmup = compiled.core.warmup;
        info.duration = compiled.core.duration;
        const Result result = build_result(info, subject, all.record, all.outcome);
        CHECK(result.warnings.size() == (warmup_ms == 1 ? 1 : 0));
    }
}

}  // namespace forksim
