#include "tests/simgrid/random_machine.hpp"

namespace forksim {

Topology random_topology(Dice& dice) {
    Topology t;
    const std::uint32_t cpus = dice.number(2, 24);
    t.sockets = t.llcs = cpus >= 4 && dice.chance(50) ? 2 : 1;
    const bool smt = cpus % 2 == 0 && dice.chance(20);  // siblings that do not slow each other down
    t.cores = smt ? cpus / 2 : cpus;
    for (Cpu cpu = 0; cpu < cpus; ++cpu) {
        const std::uint32_t core = cpu % t.cores;
        const std::uint32_t socket = core * t.sockets / t.cores;
        t.cpus.push_back({core, socket, socket});
    }
    t.smt = dice.time({8'000}, {12'000});
    t.llc_hit = dice.time({20'000}, {30'000});
    if (dice.chance(50)) t.pause = dice.time({5'000}, {60'000});
    const Time across = dice.time({90'000}, {150'000});
    const Time near = dice.time({45'000}, {60'000});
    const Time far = dice.time({90'000}, {120'000});
    for (std::uint32_t a = 0; a < t.llcs; ++a) {
        t.within_llc.push_back(dice.time({40'000}, {60'000}));
        for (std::uint32_t b = 0; b < t.llcs; ++b) {
            t.between_llcs.push_back(a == b ? Time{} : across);
            t.to_memory.push_back(a == b ? near : far);
        }
    }
    t.coherence = dice.chance(50) ? Coherence::home : Coherence::local;
    t.home_node = dice.number(0, t.sockets - 1);
    if (dice.chance(50))
        t.idle_states = {{Time{}, dice.time({100'000}, {900'000})},
                         {Time::from_us(20), dice.time({1'000'000}, {9'000'000})}};
    return t;
}

}  // namespace forksim
