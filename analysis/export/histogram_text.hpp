#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/export/build_result.hpp"
#include "sim/error.hpp"
#include "sim/histogram.hpp"

namespace forksim {

/// One histogram that the user asked for.
struct NamedHistogram {
    std::string name;  ///< of the lock, site or path
    std::string of;    ///< "wait", "hold", "latency"
    Histogram histogram;
};

/// Every name that histograms_of() knows: locks, sites (FUNCTION/STEP), paths; sorted.
std::vector<std::string> histogram_names(const Program& program, const ModelSpec& model);

/// What is known under `name`: waits and holds of a lock or of a site with all its callers, or the latency of a
/// path, in this order where several have the name. Throws InputError, with the nearest known name, if nothing has.
std::vector<NamedHistogram> histograms_of(std::string_view name, const RunSubject& subject, const Record& record);

/// "no lock, site or path is called 'x' (did you mean 'y'?)".
InputError unknown_histogram(std::string_view name, const std::vector<std::string>& known);

/// One bar: durations of [from, to) ns.
struct Bar {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    std::uint64_t count = 0;
};

/// Octaves of whole nanoseconds, [0, 1), [1, 2), [2, 4), ..., from the first that holds something to the last. A bin
/// of the histogram (0.8 % wide) that straddles two octaves counts in the one in which it begins.
std::vector<Bar> octaves_of(const Histogram& histogram);

/// Bars as bpftrace's hist() draws them, 72 columns wide; K, M and G are powers of 1024.
std::string histogram_text(const NamedHistogram& histogram);

}  // namespace forksim
