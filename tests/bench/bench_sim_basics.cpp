// What the core's data structures cost: nanoseconds per operation, the best of five rounds.
// Each operation depends on the one before, as in the event loop.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>

#include "sim/distribution.hpp"
#include "sim/event_tree.hpp"
#include "sim/histogram.hpp"
#include "sim/random.hpp"
#include "sim/timer_heap.hpp"

namespace forksim {

namespace {

constexpr int operations = 1'000'000;

/// Runs `operation` (uint64_t -> uint64_t, fed with its own result) and prints what one call takes.
template <class Operation>
void measure(const char* name, Operation operation) {
    double best = 1e9;
    std::uint64_t value = 1;
    for (int round = 0; round < 5; ++round) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < operations; ++i) value = operation(value);
        const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
        best = std::min(best, took.count() / operations);
    }
    std::printf("%-44s %7.2f ns   (%016llx)\n", name, best, static_cast<unsigned long long>(value));
}

/// A cheap generator, so that what is measured is not the random numbers.
constexpr std::uint64_t next_random(std::uint64_t x) { return x * 6364136223846793005 + 1442695040888963407; }

void event_tree(std::uint32_t cpus) {
    EventTree tree(3 * cpus);
    std::uint64_t random = cpus;
    for (std::uint32_t leaf = 0; leaf < 3 * cpus; ++leaf) {
        random = next_random(random);
        tree.set(leaf, Time{static_cast<std::int64_t>(random >> 44)});
    }
    char name[64];
    std::snprintf(name, sizeof name, "event tree, %u CPUs: next event, set", cpus);
    measure(name, [&](std::uint64_t) {
        random = next_random(random);
        const Time now = tree.next_time();
        tree.set(tree.next_leaf(), now + Time{static_cast<std::int64_t>(random >> 44)});
        return static_cast<std::uint64_t>(now.ps);
    });
}

void timer_heap(std::uint64_t pending) {
    TimerHeap<std::uint32_t> heap;
    std::uint64_t random = pending;
    const auto delay = [&random] {
        random = next_random(random);
        return Time{static_cast<std::int64_t>(random >> 44)};
    };
    for (std::uint64_t i = 0; i < pending; ++i) heap.push(delay(), i, 0);
    char name[64];
    std::snprintf(name, sizeof name, "timer heap, %llu pending: pop, push", static_cast<unsigned long long>(pending));
    measure(name, [&](std::uint64_t) {
        const Time now = heap.next_time();
        const std::uint32_t payload = heap.pop();
        heap.push(now + delay(), 0, payload);
        return static_cast<std::uint64_t>(now.ps);
    });
}

void draws() {
    TableSet tables;
    const Sampler exponential = tables.add(Exponential{Time::from_us(1)});
    const Sampler bimodal = tables.add(Bimodal{Time::from_ns(100), Time::from_us(1), 0.25});
    measure("draw", [](std::uint64_t x) { return draw(x, 1, 2, 3)[0]; });
    measure("draw, sample exponential", [&](std::uint64_t x) {
        return static_cast<std::uint64_t>(sample(tables, exponential, draw(x, 1, 2, 3)[0]).ps);
    });
    measure("draw, sample bimodal", [&](std::uint64_t x) {
        return static_cast<std::uint64_t>(sample(tables, bimodal, draw(x, 1, 2, 3)[0]).ps);
    });
}

void histogram() {
    Histogram histogram;
    measure("random number, histogram record", [&](std::uint64_t x) {
        x = next_random(x);
        histogram.record(Time{static_cast<std::int64_t>(x >> (40 + x % 8))});
        return x;
    });
    measure("random number alone", [](std::uint64_t x) {
        x = next_random(x);
        return x + (x >> (40 + x % 8));
    });
    std::printf("%-44s %7.0f ps\n", "(mean recorded)", histogram.mean_ps());
}

}  // namespace

}  // namespace forksim

int main() {
    for (const std::uint32_t cpus : {20u, 80u, 512u}) forksim::event_tree(cpus);
    for (const std::uint64_t pending : {16u, 1024u}) forksim::timer_heap(pending);
    forksim::draws();
    forksim::histogram();
}
