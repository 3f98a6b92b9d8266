#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/diagnostics.hpp"
#include "sim/distribution.hpp"
#include "sim/time.hpp"

namespace forksim::language {

/// Where a number comes from: doubt about results is computed from it.
enum class Source : std::uint8_t {
    none,       ///< not stated
    counted,    ///< counted in the kernel's source
    published,  ///< measured by others and published
    estimated,  ///< a guess with reasons
};
const char* name_of(Source source);  ///< "" for none

/// The value of an expression: a plain number, or a time in picoseconds and jiffies.
struct Quantity {
    double number = 0;   ///< plain number
    double ps = 0;       ///< time: exact up to 2^53 ps, which is above the limit of 4000 s
    double jiffies = 0;  ///< time: multiples of 1 / hz, known only with the kernel's configuration
    bool is_time = false;
    bool operator==(const Quantity&) const = default;
};

/// Names that expressions may use: the `let:` block of a document.
using Names = std::map<std::string, Quantity, std::less<>>;

/// What an expression evaluates to, or why it does not.
struct Evaluated {
    std::optional<Quantity> value;
    std::string message;  ///< set when there is no value
    std::string hint;
};

/// Evaluates numbers (`3`, `0.5`, `1%`), times (`60ns`, `1.4us`, `15ms`, `2s`, `5j`), names, + - * / ^ and
/// parentheses: `2^-20`, `1/(n*50)`, `2*hold`. Times and numbers never mix silently.
Evaluated evaluate(std::string_view text, const Names& names);

/// A number with its provenance.
struct Number {
    double value = 0;
    Source source = Source::none;
    std::optional<std::pair<double, double>> range;  ///< believed to lie between, low <= high
    bool operator==(const Number&) const = default;
};

/// A time or a distribution of times, as written.
struct Duration {
    enum class Shape : std::uint8_t { constant, uniform, exponential, lognormal, gamma, bimodal, empirical };
    Shape shape = Shape::constant;
    Quantity a;                    ///< the time, its mean, `from`, or bimodal's `a`
    Quantity b;                    ///< `to`, or bimodal's `b`
    double parameter = 0;          ///< cv, or bimodal's p_b
    std::vector<Quantity> values;  ///< empirical
    std::vector<double> weights;   ///< empirical; empty: all equal
    Source source = Source::none;
    std::optional<std::pair<Quantity, Quantity>> range;  ///< believed to lie between
    bool operator==(const Duration&) const = default;
};

/// The time in picoseconds; `jiffy` is 1 / hz.
Time to_time(const Quantity& quantity, Time jiffy);

/// Multiplies every time of `duration`, and its range, by `factor` >= 0.
void scale(Duration& duration, double factor);

/// `duration` ready for the tables. A constant becomes lognormal with coefficient of variation `cv` if cv > 0.
Distribution to_distribution(const Duration& duration, Time jiffy, double cv);

/// As a reader would write it: "60ns", "lognormal 15ms cv 0.5".
std::string to_text(const Quantity& quantity);
std::string to_text(const Duration& duration);
std::string number_text(double value);  ///< at most 6 significant digits, no trailing zeros

}  // namespace forksim::language
