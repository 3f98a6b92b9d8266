#include "analysis/stats/student_t.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "sim/check.hpp"

namespace forksim {

double student_t(double confidence, std::uint32_t degrees) {
    FORKSIM_CHECK(confidence > 0 && confidence < 1 && degrees >= 1, "no such Student t interval");
    const boost::math::students_t distribution(degrees);
    const double exact = boost::math::quantile(boost::math::complement(distribution, (1 - confidence) / 2));
    return std::nearbyint(exact * 1e9) / 1e9;
}

}  // namespace forksim
