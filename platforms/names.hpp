#pragma once
#include <span>
#include <string>
#include <string_view>

namespace forksim {

/// "; did you mean 'x'?" with the entry of `known` nearest to `wrong`, or nothing when none is near
/// (at most a third of the letters differ, two at least).
std::string did_you_mean(std::string_view wrong, std::span<const std::string> known);

/// Whether a machine may be called so: 1..100 of the characters A-Z a-z 0-9 . _ -
bool is_platform_name(std::string_view name);

}  // namespace forksim
