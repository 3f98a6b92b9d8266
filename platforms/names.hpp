#pragma once
#include <span>
#include <string>
#include <string_view>

namespace forksim {

/// "; did you mean 'x'?" with the entry of `known` nearest to `wrong`, or nothing when none is near
/// (at most a third of the letters differ, two at least).
std::string did_you_mean(std::string_view wrong, std::span<const std::string> known);

}  // namespace forksim
