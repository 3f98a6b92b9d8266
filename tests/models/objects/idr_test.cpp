#include "models/objects/idr.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <set>
#include <vector>

#include "sim/error.hpp"
#include "sim/random.hpp"
#include "tests/models/objects/counted_copies.hpp"

using namespace forksim;
using namespace forksim::test;

namespace {

std::uint32_t pick(std::uint64_t n, std::uint64_t what, std::size_t below) {
    return static_cast<std::uint32_t>(draw(3, n, what, 0)[0] % below);
}

/// What an idr of three levels does to lines, from nothing but the set of numbers taken: a node is there while it has
/// a number, and has a free slot while one of its numbers is free. Numbers go up; they do not come round.
class CountedIdr {
  public:
    explicit CountedIdr(CountedCopies& copies) : copies_(copies) {}

    void alloc(std::uint32_t id, Cpu cpu) {
        std::vector<bool> is_new(3, false);
        for (std::uint32_t level = 2;; --level) {
            if (level < 2 && among(id, level) == 0) {  // made on the way down
                is_new[level] = true;
                for (std::uint32_t line = 0; line < 9; ++line) copies_.made(name(id, level, line), cpu);
                copies_.store(slot(id, level + 1));
                copies_.store(name(id, level + 1, 0));
            }
            copies_.load(name(id, level, 0));
            if (level > 0) copies_.load(slot(id, level));
            copies_.load(name(id, level, 8));
            if (level == 0) break;
        }
        taken_.insert(id);
        copies_.store(name(id, 0, 0));
        copies_.store(slot(id, 0));
        copies_.store(name(id, 0, 8));
        for (std::uint32_t level = 1; level < 3 && is_full(id, level - 1); ++level) copies_.store(name(id, level, 8));
    }
    void replace(std::uint32_t id) {
        down(id);
        copies_.load(name(id, 0, 8));
        copies_.store(slot(id, 0));
    }
    void remove(std::uint32_t id) {
        down(id);
        for (std::uint32_t level = 0; level < 3; ++level) {  // up to the first that has a free slot below here already
            copies_.load(name(id, level, 8));
            if (level > 0 && !is_full(id, level - 1)) break;
            copies_.store(name(id, level, 8));
        }
        taken_.erase(id);
        copies_.store(name(id, 0, 0));
        copies_.store(slot(id, 0));
        for (std::uint32_t level = 0; level < 2 && among(id, level) == 0; ++level) {
            copies_.store(slot(id, level + 1));
            copies_.store(name(id, level + 1, 0));
        }
    }
    std::set<std::uint32_t>& taken() { return taken_; }

  private:
    static constexpr std::uint32_t below(std::uint32_t level) { return 1u << (6 * level + 6); }
    static CountedCopies::Name name(std::uint32_t id, std::uint32_t level, std::uint32_t line) {
        return {std::uint64_t{level} << 32 | id / below(level), line};
    }
    static CountedCopies::Name slot(std::uint32_t id, std::uint32_t level) {
        const std::uint32_t offset = id % below(level) / (below(level) / 64);
        // 40 bytes of header, 64 pointers, 24 bytes of tags
        return name(id, level, (40 + offset * 8) / 64);
    }
    std::ptrdiff_t among(std::uint32_t id, std::uint32_t level) const {
        const std::uint32_t first = id / below(level) * below(level);
        return std::distance(taken_.lower_bound(first), taken_.lower_bound(first + below(level)));
    }
    bool is_full(std::uint32_t id, std::uint32_t level) const { return among(id, level) == below(level); }
    void down(std::uint32_t id) {
        for (std::uint32_t level = 2;; --level) {
            copies_.load(name(id, level, 0));
            if (level == 0) return;
            copies_.load(slot(id, level));
        }
    }

    CountedCopies& copies_;
    std::set<std::uint32_t> taken_;
};

}  // namespace

TEST_CASE("numbers are unique and go round in a circle past those in use") {
    const Topology machine = uniform_machine(4);
    Lines lines(machine);
    constexpr std::uint32_t ids = 5000;
    constexpr std::uint32_t resident = 350;
    Idr idr(lines, 4, ids, resident);
    std::set<std::uint32_t> taken;
    for (std::uint32_t id = 1; id <= resident; ++id) taken.insert(id);
    std::uint32_t next = resident + 1;
    std::uint32_t rounds = 0;
    for (std::uint32_t step = 0; step < 40000; ++step) {
        TouchCost cost{lines, step % 4, Time::from_us(step + 1), 512};
        const bool grow = pick(step, 1, 100) < ((step / 6000) % 2 == 0 ? 80u : 30u);
        if (grow && taken.size() + 1 < ids) {
            std::uint32_t expected = next;
            while (expected < ids && taken.count(expected) != 0) ++expected;
            if (expected == ids) {
                ++rounds;
                expected = 300;
                while (taken.count(expected) != 0) ++expected;
            }
            const std::uint32_t id = idr.alloc(cost);
            REQUIRE(id == expected);
            taken.insert(id);
            next = id + 1;
        } else {
            // some number from the middle that is no resident
            auto at = taken.lower_bound(resident + 1 + pick(step, 2, ids));
            if (at == taken.end()) at = taken.upper_bound(resident);
            if (at == taken.end()) continue;
            if (pick(step, 3, 2) == 0) idr.replace(*at, cost);
            idr.remove(*at, cost);
            taken.erase(at);
        }
    }
    CHECK(rounds >= 2);
}

TEST_CASE("an idr with no free number says so") {
    const Topology machine = uniform_machine(1);
    Lines lines(machine);
    Idr idr(lines, 1, 100, 90);
    TouchCost cost{lines, 0, Time::from_us(1), 512};
    for (std::uint32_t id = 91; id < 100; ++id) REQUIRE(idr.alloc(cost) == id);
    CHECK(idr.alloc(cost) == 0);
    idr.remove(95, cost);
    CHECK_THROWS_AS(idr.remove(95, cost), InternalError);
    CHECK(idr.alloc(cost) == 95);
}

TEST_CASE("every 64 numbers begin a new leaf, and a lone task begins one each time it ends alone") {
    const Topology machine = uniform_machine(8);
    Lines lines(machine);
    Idr idr(lines, 8, 32768, 255);  // the residents fill four leaves
    CHECK(idr.leaves_made() == 4);
    std::deque<std::uint32_t> live;
    Time now = Time::from_us(1);
    for (std::uint32_t i = 0; i < 6400; ++i) {
        TouchCost cost{lines, i % 8, now += Time::from_us(1), 512};
        live.push_back(idr.alloc(cost));
        if (live.size() < 16) continue;
        idr.remove(live.front(), cost);
        live.pop_front();
    }
    CHECK(idr.leaves_made() == 4 + 100);
    for (const std::uint32_t id : live) {
        TouchCost cost{lines, 0, now += Time::from_us(1), 512};
        idr.remove(id, cost);
    }
    for (std::uint32_t i = 0; i < 10; ++i) {
        TouchCost cost{lines, 0, now += Time::from_us(1), 512};
        idr.remove(idr.alloc(cost), cost);
    }
    CHECK(idr.leaves_made() == 4 + 100 + 10);
}

TEST_CASE("an idr's operations cost what counted copies say") {
    constexpr Cpu cpus = 6;
    const Topology machine = uniform_machine(cpus);
    Lines lines(machine);
    Idr idr(lines, cpus, 100'000, 0);  // three levels
    CountedCopies copies;
    CountedIdr counted(copies);
    for (std::uint32_t line = 0; line < 9; ++line)
        copies.made({std::uint64_t{2} << 32, line}, line % cpus);  // the root
    Time now = Time::from_us(1);
    std::deque<std::uint32_t> live;
    for (std::uint32_t step = 0; step < 40'000; ++step) {
        const Cpu cpu = pick(step, 1, cpus);
        now += Time::from_us(1);
        TouchCost cost{lines, cpu, now, 512};
        copies.begin(cpu, now);
        const std::uint32_t what = pick(step, 2, 3);
        if (live.empty() || (what == 0 && live.size() < ((step / 8000) % 2 == 0 ? 300u : 3u))) {
            const std::uint32_t id = idr.alloc(cost);
            counted.alloc(id, cpu);
            live.push_back(id);
        } else if (what == 1) {
            const std::uint32_t id = live[pick(step, 3, live.size())];
            idr.replace(id, cost);
            counted.replace(id);
        } else {
            const auto at = live.begin() + pick(step, 4, std::min<std::size_t>(live.size(), 20));
            idr.remove(*at, cost);
            counted.remove(*at);
            live.erase(at);
        }
        CAPTURE(step);
        REQUIRE(cost.at == copies.end());
    }
    CHECK(*counted.taken().rbegin() > 8192);  // nodes of the middle level came and went
}
