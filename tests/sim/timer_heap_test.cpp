#include "sim/timer_heap.hpp"

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "sim/random.hpp"

namespace forksim {

TEST_CASE("timers leave the heap by time, then tie key, then order of insertion") {
    TimerHeap<std::string> heap;
    heap.push(Time{20}, 0, "20");
    heap.push(Time{10}, 7, "10, tie 7, first");
    heap.push(Time{10}, 7, "10, tie 7, second");
    heap.push(Time{10}, 3, "10, tie 3");
    CHECK(heap.next_time() == Time{10});
    CHECK(heap.top() == "10, tie 3");
    CHECK(heap.pop() == "10, tie 3");
    CHECK(heap.pop() == "10, tie 7, first");
    CHECK(heap.pop() == "10, tie 7, second");
    CHECK(heap.pop() == "20");
    CHECK(heap.empty());
    CHECK(heap.next_time() == Time::never());
}

TEST_CASE("a timer is cancelled once, and its handle stays harmless after that") {
    TimerHeap<int> heap;
    const TimerHandle first = heap.push(Time{1}, 0, 1);
    const TimerHandle second = heap.push(Time{2}, 0, 2);
    CHECK(heap.cancel(first));
    CHECK_FALSE(heap.cancel(first));
    CHECK_FALSE(heap.cancel(TimerHandle{}));
    const TimerHandle third = heap.push(Time{3}, 0, 3);  // takes the slot of the first
    CHECK(third.slot == first.slot);
    CHECK_FALSE(heap.pending(first));
    CHECK(heap.pending(third));
    CHECK(heap.pop() == 2);
    CHECK_FALSE(heap.cancel(second));
    CHECK(heap.pop() == 3);
}

TEST_CASE("cancelled and popped timers give back their payload and their slot") {
    TimerHeap<std::shared_ptr<int>> heap;
    const auto payload = std::make_shared<int>(0);
    for (int round = 0; round < 1000; ++round) {
        const TimerHandle kept = heap.push(Time{round}, 0, payload);
        const TimerHandle cancelled = heap.push(Time{round}, 1, payload);
        CHECK(heap.cancel(cancelled));
        heap.pop();
        REQUIRE(kept.slot < 2);
        REQUIRE(cancelled.slot < 2);
    }
    CHECK(payload.use_count() == 1);
}

TEST_CASE("random pushes, cancels and pops agree with a sorted map") {
    TimerHeap<std::uint64_t> heap;
    using Key = std::tuple<Time, std::uint64_t, std::uint64_t>;
    std::map<Key, TimerHandle> expected;
    for (std::uint64_t step = 0; step < 20000; ++step) {
        const Words random = draw(1, step, 0, 0);
        const bool grow = (step / 2000) % 2 == 0;
        if (expected.empty() || random[0] % 8 < (grow ? 5u : 2u)) {
            const Time at{static_cast<std::int64_t>(random[1] >> 58)};
            const std::uint64_t tie = random[1] % 4;
            expected[{at, tie, step}] = heap.push(at, tie, step);
        } else if (random[0] % 8 < 6) {
            auto victim = expected.lower_bound({Time{static_cast<std::int64_t>(random[1] >> 58)}, 0, 0});
            if (victim == expected.end()) victim = expected.begin();
            REQUIRE(heap.cancel(victim->second));
            expected.erase(victim);
        } else {
            REQUIRE(heap.pop() == std::get<2>(expected.begin()->first));
            expected.erase(expected.begin());
        }
        REQUIRE(heap.size() == expected.size());
        if (expected.empty()) continue;
        REQUIRE(heap.next_time() == std::get<0>(expected.begin()->first));
        REQUIRE(heap.top() == std::get<2>(expected.begin()->first));
    }
}

}  // namespace forksim
