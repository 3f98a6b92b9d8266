#include "models/objects/list.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "sim/random.hpp"
#include "tests/models/objects/counted_copies.hpp"

using namespace forksim;
using namespace forksim::test;

namespace {

std::uint32_t pick(std::uint64_t n, std::uint64_t what, std::size_t below) {
    return static_cast<std::uint32_t>(draw(2, n, what, 0)[0] % below);
}

}  // namespace

TEST_CASE("a list holds its members in the order in which they joined, and costs what counted copies say") {
    constexpr Cpu cpus = 5;
    for (const Access head : {Access::write, Access::store}) {
        const Topology machine = uniform_machine(cpus);
        Lines lines(machine);
        const LineId head_line = lines.add(0);
        List list(lines, head_line, head, cpus, 3);
        CountedCopies copies;
        // Members by their own number, from head to tail; 0 is the head.
        struct Member {
            std::uint64_t name;
            List::Node node;
        };
        std::vector<Member> members;
        std::uint64_t names = 0;
        for (List::Node n = list.next(List::head()); n != List::head(); n = list.next(n)) {
            copies.made({names + 1, 0}, static_cast<Cpu>(names % cpus));
            ++names;
            members.push_back({names, n});
        }
        REQUIRE(members.size() == 3);
        for (std::uint32_t step = 0; step < 3000; ++step) {
            const Cpu cpu = pick(step, 1, cpus);
            const Time now = Time::from_us(step + 1);
            TouchCost cost{lines, cpu, now, 512};
            copies.begin(cpu, now);
            if (members.empty() || pick(step, 2, 100) < ((step / 100) % 2 == 0 ? 60u : 40u)) {
                copies.store({0, 0}, head == Access::write ? 1024 : 512);
                if (!members.empty()) copies.store({members.back().name, 0});
                copies.made({++names, 0}, cpu);
                members.push_back({names, list.add_tail(cost)});
            } else {
                const std::size_t i = pick(step, 3, members.size());
                copies.store({members[i].name, 0}, 1024);
                copies.store({i + 1 < members.size() ? members[i + 1].name : 0, 0});
                copies.store({i > 0 ? members[i - 1].name : 0, 0});
                list.del(members[i].node, cost);
                copies.lost({members[i].name, 0});
                members.erase(members.begin() + static_cast<std::ptrdiff_t>(i));
            }
            REQUIRE(cost.at == copies.end());
            List::Node node = List::head();
            for (const Member& member : members) {
                REQUIRE(list.next(node) == member.node);
                REQUIRE(list.prev(member.node) == node);
                node = member.node;
            }
            REQUIRE(list.next(node) == List::head());
            REQUIRE(list.prev(List::head()) == node);
        }
    }
}

TEST_CASE("leaving a list costs three transfers where everybody sits elsewhere and none where all sit here") {
    const Topology machine = uniform_machine(4);
    Lines lines(machine);
    List list(lines, lines.add(0), Access::store, 4, 0);
    std::vector<List::Node> nodes;
    for (Cpu cpu = 0; cpu < 4; ++cpu) {
        TouchCost cost{lines, cpu, Time::from_us(cpu + 1), 512};
        nodes.push_back(list.add_tail(cost));
    }
    // Node 1 was last written by CPU 2, who joined behind it; its neighbours 0 and 2 by CPUs 1 and 3.
    TouchCost elsewhere{lines, 0, Time::from_us(10), 512};
    list.del(nodes[1], elsewhere);
    CHECK(elsewhere.at == Time::from_us(10) + Time{1000 + 500 + 500});
    // Node 2's neighbours are now node 0, which this CPU has just written, and node 3, which its CPU filled in.
    TouchCost near{lines, 0, Time::from_us(20), 512};
    list.del(nodes[2], near);
    CHECK(near.at == Time::from_us(20) + Time{500});
    TouchCost again{lines, 0, Time::from_us(30), 512};
    list.del(nodes[3], again);
    CHECK(again.at == Time::from_us(30) + Time{500});  // node 3 is here, so is node 0; the head is CPU 3's
}
