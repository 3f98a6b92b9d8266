#include "analysis/stats/student_t.hpp"

#include <doctest/doctest.h>

using forksim::student_t;

TEST_CASE("Student t quantiles are those of the printed tables") {
    // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2, two-sided 95 % and 99 %.
    CHECK(student_t(0.95, 1) == doctest::Approx(12.706).epsilon(0.00005));
    CHECK(student_t(0.95, 4) == doctest::Approx(2.776).epsilon(0.0002));
    CHECK(student_t(0.95, 9) == doctest::Approx(2.262).epsilon(0.0002));
    CHECK(student_t(0.95, 30) == doctest::Approx(2.042).epsilon(0.0002));
    CHECK(student_t(0.99, 9) == doctest::Approx(3.250).epsilon(0.0002));
    CHECK(student_t(0.90, 100) == doctest::Approx(1.660).epsilon(0.0003));
}

TEST_CASE("one degree of freedom gives the closed form of the Cauchy distribution") {
    CHECK(student_t(0.5, 1) == 1);  // tan(pi / 4)
}
