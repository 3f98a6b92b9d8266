#pragma once
#include <compare>
#include <cstdint>
#include <limits>

namespace forksim {

/// A point in simulated time or a duration, in whole picoseconds.
///
/// One type serves both, as in most simulators: a run starts at zero. One replication simulates at
/// most `time_limit`; the reader and the simulator check it, so sums of a few times cannot overflow.
struct Time {
    std::int64_t ps = 0;

    static constexpr Time from_ns(std::int64_t ns) { return {ns * 1000}; }
    static constexpr Time from_us(std::int64_t us) { return {us * 1'000'000}; }
    static constexpr Time from_ms(std::int64_t ms) { return {ms * 1'000'000'000}; }
    static constexpr Time from_s(std::int64_t s) { return {s * 1'000'000'000'000}; }

    /// Later than every event: "not scheduled".
    static constexpr Time never() { return {std::numeric_limits<std::int64_t>::max()}; }

    constexpr auto operator<=>(const Time&) const = default;
    constexpr Time& operator+=(Time d) {
        ps += d.ps;
        return *this;
    }
    constexpr Time& operator-=(Time d) {
        ps -= d.ps;
        return *this;
    }
};

constexpr Time operator+(Time a, Time b) { return {a.ps + b.ps}; }
constexpr Time operator-(Time a, Time b) { return {a.ps - b.ps}; }
constexpr Time operator*(std::int64_t n, Time t) { return {n * t.ps}; }
constexpr Time operator/(Time t, std::int64_t n) { return {t.ps / n}; }
constexpr Time later(Time a, Time b) { return a < b ? b : a; }
constexpr Time earlier(Time a, Time b) { return a < b ? a : b; }

/// The most that one replication may simulate: 4 000 s.
inline constexpr Time time_limit = Time::from_s(4000);

}  // namespace forksim
