#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/topology.hpp"

namespace forksim {

/// "46.6ns", "2us", "0ns": exact, in the largest of ps, ns, us, ms, s that leaves at least 1. Requires time >= 0.
std::string format_duration(Time time);

/// Reads NUMBER UNIT without a space between them, NUMBER being digits with an optional decimal point, UNIT one of ps,
/// ns, us, ms, s. Nothing unless the text is that, a whole number of picoseconds and at most 1 s.
std::optional<Time> parse_duration(std::string_view text);

/// "0.62". Requires a fraction with at most four digits after the point.
std::string format_fraction(double fraction);

/// Reads a decimal number in (0, 1]; nothing for anything else.
std::optional<double> parse_fraction(std::string_view text);

/// "0ns:1us 2us:2us": AFTER:EXIT of each state, or "none".
std::string format_idle_states(std::span<const IdleState> states);

/// Reads what format_idle_states prints; nothing unless AFTER ascends.
std::optional<std::vector<IdleState>> parse_idle_states(std::string_view text);

/// Reads a whole number without sign; nothing for anything else or for more than `high`.
std::optional<std::uint32_t> parse_count(std::string_view text, std::uint32_t high);

/// Read the names of shape.hpp; nothing for any other.
std::optional<Virt> parse_virt(std::string_view text);
std::optional<Coherence> parse_coherence(std::string_view text);

}  // namespace forksim
