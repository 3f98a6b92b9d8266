#pragma once
#include <cstdint>

namespace forksim {

/// What independent replications say about a mean.
struct Estimate {
    std::uint32_t n = 0;    ///< values seen
    double mean = 0;        ///< 0 if n = 0
    double stddev = 0;      ///< of the sample, n - 1 in the denominator; 0 if n < 2
    double half_width = 0;  ///< of the 95 % Student t interval; infinity if n < 2

    /// Is the half-width at most `relative` of the mean? Never for n < 2.
    bool within(double relative) const;
};

/// Gathers values, in the order of replications: the order decides the last bits.
class Sample {
  public:
    void add(double value);
    Estimate estimate() const;

  private:
    std::uint32_t n_ = 0;
    double mean_ = 0;
    double squares_ = 0;  // sum of squared deviations from mean_ (Welford 1962)
};

/// The confidence of every sampling interval that forksim reports.
inline constexpr double confidence = 0.95;

}  // namespace forksim
