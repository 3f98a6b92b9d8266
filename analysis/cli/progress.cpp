#include "analysis/cli/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "analysis/export/numbers.hpp"

namespace forksim {

Progress::Progress(const Log& log, const ReplicationPlan& plan)
    : plan_(plan), wanted_(log.verbosity() != Verbosity::quiet && ::isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
    if (drawn_) std::fputs("\r\033[K", stderr);
}

void Progress::update(const Estimate& so_far) {
    if (!wanted_ || std::chrono::steady_clock::now() - start_ < std::chrono::seconds(1)) return;
    std::fprintf(stderr, "\r%s\033[K", progress_line(plan_, so_far).c_str());
    drawn_ = true;
}

std::string progress_line(const ReplicationPlan& plan, const Estimate& so_far) {
    constexpr std::size_t width = 20;
    const std::uint32_t expected = so_far.n < plan.least ? plan.least : plan.most;
    const std::size_t filled = std::min(width, std::size_t{so_far.n} * width / expected);
    std::string line = '[' + std::string(filled, '#') + std::string(width - filled, '.') + "] " +
                       std::to_string(so_far.n) + " of " + std::to_string(plan.least);
    if (plan.most != plan.least) line += ".." + std::to_string(plan.most);
    line += " replications";
    if (so_far.n >= 2 && so_far.mean != 0)
        line += ", +-" + short_text(100 * so_far.half_width / std::abs(so_far.mean)) + " %";
    return line;
}

}  // namespace forksim
