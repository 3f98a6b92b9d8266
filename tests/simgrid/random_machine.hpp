#pragma once
#include <cstdint>

#include "sim/random.hpp"
#include "sim/time.hpp"
#include "sim/topology.hpp"

namespace forksim {

enum class Times : std::uint8_t {
    odd,     ///< drawn to the picosecond
    coarse,  ///< constant multiples of 50 ns: many CPUs act at one instant
};

/// Numbers drawn in sequence: what is simulated draws by key, but what to simulate need not.
class Dice {
  public:
    Dice(std::uint64_t seed, Times times) : seed_(seed), times_(times) {}
    /// from .. to
    std::uint64_t roll(std::uint64_t from, std::uint64_t to) {
        return from + draw(seed_, rolled_++, hash_name("dice"), 0)[0] % (to - from + 1);
    }
    std::uint32_t number(std::uint32_t from, std::uint32_t to) { return static_cast<std::uint32_t>(roll(from, to)); }
    Time time(Time from, Time to) {
        const Time drawn{
            static_cast<std::int64_t>(roll(static_cast<std::uint64_t>(from.ps), static_cast<std::uint64_t>(to.ps)))};
        return times_ == Times::odd ? drawn : Time{(drawn.ps / 50'000 + (drawn.ps > 10'000 ? 1 : 0)) * 50'000};
    }
    Times times() const { return times_; }
    bool chance(std::uint32_t percent) { return roll(1, 100) <= percent; }

  private:
    std::uint64_t seed_;
    std::uint64_t rolled_ = 0;
    Times times_;
};

/// 2 to 24 CPUs on one or two sockets.
Topology random_topology(Dice& dice);

}  // namespace forksim
