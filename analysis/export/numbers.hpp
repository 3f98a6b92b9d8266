#pragma once
#include <cstdint>
#include <string>

#include "sim/uint128.hpp"

namespace forksim {

// How numbers are written. Independent of the locale.

/// For programs: at most 12 significant digits, the shortest form of them ("0.1", "465000", "1e+20").
/// "null" for infinities and NaN.
std::string number_12(double value);

/// For programs: picoseconds as nanoseconds, exactly ("1234.567", "12", "0.5").
std::string exact_ns(uint128 ps);
std::string exact_ns(std::int64_t ps);

/// For people: a time with its unit, in four significant digits ("48.00ns", "1.934us", "12.34ms", "0ns").
/// At most 8 characters up to 10 000 s.
std::string time_text(double ps);

/// For people: a share as a percentage with one decimal ("12.3"), without the sign. "-" for NaN.
std::string percent_text(double share);

/// For people: a number in at most four significant digits, or whole if larger ("3.000", "0.0625", "465123").
/// "-" for infinities and NaN.
std::string short_text(double value);

}  // namespace forksim
