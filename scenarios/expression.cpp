// Expressions: a parser by recursive descent. The text is short (see evaluate), so the recursion is bounded.
#include <cmath>
#include <cstdlib>
#include <string>

#include "scenarios/values.hpp"

namespace forksim::language {
namespace {

struct Failure {
    std::string message;
    std::string hint;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

Quantity plain(double number) { return {number, 0, 0, false}; }

Quantity times(Quantity a, double factor) { return {a.number * factor, a.ps * factor, a.jiffies * factor, a.is_time}; }

/// a^n by multiplication, so that every machine rounds alike.
double power(double a, int n) {
    double result = 1;
    for (int i = 0; i < std::abs(n); ++i) result *= a;
    return n < 0 ? 1 / result : result;
}

class Parser {
  public:
    Parser(std::string_view text, const Names& names) : text_(text), names_(names) {}

    Quantity whole() {
        const Quantity value = sum();
        skip_blanks();
        if (at_ < text_.size()) throw Failure{"unexpected " + shown(text_.substr(at_)), ""};
        const double size = std::abs(value.is_time ? value.ps + value.jiffies : value.number);
        if (!(size <= 1e18)) throw Failure{"is not a usable number", ""};
        return value;
    }

  private:
    Quantity sum() {
        Quantity value = product();
        while (true) {
            const bool plus = take('+');
            if (!plus && !take('-')) return value;
            const Quantity other = times(product(), plus ? 1 : -1);
            if (value.is_time != other.is_time) throw Failure{"adds a time and a plain number", "give both a unit"};
            value = {value.number + other.number, value.ps + other.ps, value.jiffies + other.jiffies, value.is_time};
        }
    }

    Quantity product() {
        Quantity value = signed_power();
        while (true) {
            const bool multiply = take('*');
            if (!multiply && !take('/')) return value;
            const Quantity other = signed_power();
            value = multiply ? multiplied(value, other) : divided(value, other);
        }
    }

    static Quantity multiplied(const Quantity& a, const Quantity& b) {
        if (a.is_time && b.is_time) throw Failure{"multiplies two times", ""};
        return a.is_time ? times(a, b.number) : times(b, a.number);
    }

    static Quantity divided(const Quantity& a, const Quantity& b) {
        const double size = b.is_time ? b.ps : b.number;
        if (b.is_time && (!a.is_time || a.jiffies != 0 || b.jiffies != 0)) throw Failure{"divides by a time", ""};
        if (size == 0) throw Failure{"divides by zero", ""};
        if (b.is_time) return plain(a.ps / b.ps);
        return {a.number / size, a.ps / size, a.jiffies / size, a.is_time};
    }

    Quantity signed_power() {
        if (take('-')) return times(signed_power(), -1);
        const Quantity base = primary();
        if (!take('^')) return base;
        const Quantity exponent = signed_power();
        const double n = exponent.number;
        if (base.is_time || exponent.is_time || n != std::floor(n) || std::abs(n) > 1000) {
            throw Failure{"'^' needs a plain number and a whole exponent up to 1000", ""};
        }
        return plain(power(base.number, static_cast<int>(n)));
    }

    Quantity primary() {
        skip_blanks();
        if (take('(')) {
            const Quantity value = sum();
            if (!take(')')) throw Failure{"lacks a ')'", ""};
            return value;
        }
        if (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) return literal();
        const std::size_t begin = at_;
        while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
        const std::string_view name = text_.substr(begin, at_ - begin);
        if (name.empty()) throw Failure{"is not a number", ""};
        if (const auto it = names_.find(name); it != names_.end()) return it->second;
        std::vector<std::string> known;
        for (const auto& [known_name, value] : names_) known.push_back(known_name);
        throw Failure{"unknown name " + shown(name), known.empty() ? "" : suggestion(name, known)};
    }

    /// A number with its unit, if any, directly behind it.
    Quantity literal() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
        if (at_ < text_.size() && text_[at_] == '.') ++at_;
        while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
        if (at_ + 1 < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
            const std::size_t digits = at_ + (text_[at_ + 1] == '-' || text_[at_ + 1] == '+' ? 2 : 1);
            if (digits < text_.size() && is_digit(text_[digits])) {
                at_ = digits;
                while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
            }
        }
        const std::string digits(text_.substr(begin, at_ - begin));
        if (digits == "." || digits.size() > 40) throw Failure{"is not a number", ""};
        const double number = std::strtod(digits.c_str(), nullptr);
        return with_unit(number);
    }

    Quantity with_unit(double number) {
        const std::size_t begin = at_;
        while (at_ < text_.size() && (is_letter(text_[at_]) || text_[at_] == '%')) ++at_;
        const std::string_view unit = text_.substr(begin, at_ - begin);
        if (unit.empty()) return plain(number);
        if (unit == "%") return plain(number / 100);
        if (unit == "j") return {0, 0, number, true};
        const double size = unit == "ps"   ? 1
                            : unit == "ns" ? 1e3
                            : unit == "us" ? 1e6
                            : unit == "ms" ? 1e9
                            : unit == "s"  ? 1e12
                                           : 0;
        if (size == 0) throw Failure{"unknown unit " + shown(unit), "times are written 60ns, 1.4us, 15ms, 2s or 5j"};
        // The nearest whole picosecond is what was meant, if the product is that close to one.
        const double ps = number * size;
        const double nearest_ps = std::floor(ps + 0.5);
        if (std::abs(ps - nearest_ps) > 1e-3 && ps < 1e12) throw Failure{"is finer than a picosecond", ""};
        return {0, nearest_ps, 0, true};
    }

    bool take(char c) {
        skip_blanks();
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    void skip_blanks() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    }

    std::string_view text_;
    const Names& names_;
    std::size_t at_ = 0;
};

}  // namespace

Evaluated evaluate(std::string_view text, const Names& names) {
    if (text.size() > 200) return {{}, "is longer than 200 characters", ""};
    try {
        return {Parser(text, names).whole(), "", ""};
    } catch (const Failure& failure) {
        return {{}, failure.message, failure.hint};
    }
}

}  // namespace forksim::language
