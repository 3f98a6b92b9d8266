#pragma once
#include <cstdint>

namespace forksim {

/// The half-width of a two-sided Student t interval in standard errors: P(|T| <= result) = `confidence`.
/// Rounded to nine decimals, so that the last bits of libm never reach a report.
/// REQUIRES 0 < confidence < 1 and degrees >= 1 (degrees of freedom).
double student_t(double confidence, std::uint32_t degrees);

}  // namespace forksim
