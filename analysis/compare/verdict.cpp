#include "analysis/compare/verdict.hpp"

#include <algorithm>

namespace forksim {

Verdict verdict_of(const PairedDifference& difference, const std::optional<Spread>& model, double margin) {
    if (difference.identical) return Verdict::identical;
    const double low = model ? std::min(difference.low(), model->low) : difference.low();
    const double high = model ? std::max(difference.high(), model->high) : difference.high();
    if (low >= -margin && high <= margin) return Verdict::equal;
    if (low > 0) return Verdict::faster;
    if (high < 0) return Verdict::slower;
    return Verdict::undetermined;
}

const char* name_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::identical:
            return "identical";
        case Verdict::equal:
            return "equal";
        case Verdict::faster:
            return "faster";
        case Verdict::slower:
            return "slower";
        case Verdict::undetermined:
            break;
    }
    return "undetermined";
}

}  // namespace forksim
