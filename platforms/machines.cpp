#include "platforms/machines.hpp"

#include <algorithm>
#include <array>

namespace forksim {
namespace {

constexpr Time us(std::int64_t n) { return Time::from_us(n); }

// Idle states are estimates: polling about 1 us, C1 about 2 us, C6 60-130 us (scale of public measurements); the
// residencies are those of the intel_idle driver and of AMD's firmware tables.
constexpr std::array<IdleState, 0> no_idle_states{};
constexpr std::array idle_intel{IdleState{us(0), us(1)}, IdleState{us(2), us(2)}, IdleState{us(600), us(95)}};
constexpr std::array idle_amd{IdleState{us(0), us(1)}, IdleState{us(2), us(2)}, IdleState{us(800), us(100)}};
constexpr std::array idle_arm{IdleState{us(0), us(2)}};

// SMT fractions are estimates: two busy threads make about 1.24 times the work of one; PAUSE frees most of a core.
constexpr double busy = 0.62;
constexpr double spin = 0.85;

constexpr Time ps(std::int64_t n) { return {n}; }

// Estimates. PAUSE takes about 140 cycles from Skylake on (40 to 60 ns), about 10 before (3 to 6 ns), 40 to 65 on Zen 2
// and 3 (12 to 29 ns). An Arm CPU waits for the loss of the line (wfe), or does not wait at all (yield).
constexpr Time pause_skylake = ps(45'000);
constexpr Time pause_broadwell = ps(5'000);
constexpr Time pause_zen = ps(15'000);
constexpr Time no_pause = ps(0);

constexpr Coherence local = Coherence::local;
constexpr Coherence home = Coherence::home;

// Columns as declared: key, alias, source; smt, llc, socket, cross_socket, llc_hit, pause in ps; cores per LLC,
// coherence, MHz, idle states, SMT fractions. `socket` of the two dual EPYCs is the median of the socket that holds the
// line's home in the matrix, which is the second one of the 7742 and the first one of the 7R13.
constexpr std::array table{
    Machine{"uniform", "", "no machine: the same distance between every pair of cores",  //
            ps(50'000), ps(50'000), ps(50'000), ps(50'000), ps(25'000), no_pause, 0, local, 1000, no_idle_states, 1, 1},
    Machine{"xeon-e5-2695v4", "broadwell", "2x Xeon E5-2695v4 (Broadwell)",  //
            ps(7'640), ps(43'540), ps(0), ps(118'070), ps(21'770), pause_broadwell, 0, local, 2100, idle_intel, busy,
            spin},
    Machine{"xeon-8275cl", "", "2x Xeon 8275CL (Cascade Lake, c5.metal)",  //
            ps(7'610), ps(46'600), ps(0), ps(134'070), ps(23'300), pause_skylake, 0, local, 3000, idle_intel, busy,
            spin},
    Machine{"xeon-6242", "", "2x Xeon Gold 6242 (Cascade Lake)",  //
            ps(7'430), ps(47'970), ps(0), ps(141'370), ps(23'980), pause_skylake, 0, local, 2800, idle_intel, busy,
            spin},
    Machine{"cascadelake", "", "mean of the rows 2x Xeon Gold 6242 and 2x Xeon 8275CL (Cascade Lake)",  //
            ps(7'520), ps(47'280), ps(0), ps(137'720), ps(23'640), pause_skylake, 0, local, 2800, idle_intel, busy,
            spin},
    Machine{"xeon-8375c", "icelake", "2x Xeon 8375C (Ice Lake, c6i.metal)",  //
            ps(8'040), ps(51'260), ps(0), ps(107'830), ps(25'630), pause_skylake, 0, local, 2900, idle_intel, busy,
            spin},
    Machine{"epyc-7742", "rome", "2x EPYC 7742 (Rome), per socket from its matrix",  //
            ps(8'050), ps(25'330), ps(132'110), ps(266'640), ps(12'670), pause_zen, 4, home, 2250, idle_amd, busy,
            spin},
    Machine{"epyc-7r13", "milan", "2x EPYC 7R13 (Milan, c6a.metal), per socket from its matrix",  //
            ps(9'780), ps(22'690), ps(107'600), ps(197'160), ps(11'350), pause_zen, 8, home, 2650, idle_amd, busy,
            spin},
    Machine{"epyc-7773x", "milanx", "1x EPYC 7773X (Milan-X)",  //
            ps(10'100), ps(26'080), ps(116'590), ps(0), ps(13'040), pause_zen, 8, home, 2200, idle_amd, busy, spin},
    Machine{"epyc-128c", "", "ESTIMATE: the row 2x EPYC 7R13 (Milan) with 1.1 times its distances beyond one LLC",  //
            ps(9'780), ps(22'690), ps(118'360), ps(216'880), ps(11'350), pause_zen, 8, home, 2250, idle_amd, busy,
            spin},
    Machine{"graviton2", "", "1x Graviton2 (Neoverse N1, c6gd.metal)",  //
            ps(0), ps(47'200), ps(0), ps(0), ps(23'600), no_pause, 0, local, 2500, idle_arm, 1, 1},
    Machine{"graviton3", "", "1x Graviton3 (Neoverse V1, c7g.16xlarge)",  //
            ps(0), ps(46'400), ps(0), ps(0), ps(23'200), no_pause, 0, local, 2600, idle_arm, 1, 1},
    Machine{"kunpeng-920", "kunpeng", "1x Kunpeng 920-6426",  //
            ps(0), ps(35'660), ps(80'520), ps(0), ps(17'830), no_pause, 32, local, 2600, idle_arm, 1, 1},
};

}  // namespace

std::span<const Machine> machines() { return table; }

const Machine* find_machine(std::string_view key) {
    if (key.empty()) return nullptr;
    const auto* const found =
        std::ranges::find_if(table, [&](const Machine& m) { return m.key == key || m.alias == key; });
    return found == table.end() ? nullptr : found;
}

}  // namespace forksim
