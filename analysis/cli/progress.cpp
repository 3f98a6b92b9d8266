#include "analysis/cli/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "analysis/export/numbers.hpp"

namespace forksim {

namespace {

std::string bar(std::uint32_t done, std::uint32_t all) {
    constexpr std::size_t width = 20;
    const std::size_t filled = std::min(width, std::size_t{done} * width / all);
    return '[' + std::string(filled, '#') + std::string(width - filled, '.') + "] " + std::to_string(done) + " of ";
}

}  // namespace

Progress::Progress(const Log& log) : wanted_(log.verbosity() != Verbosity::quiet && ::isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
    if (drawn_) std::fputs("\r\033[K", stderr);
}

void Progress::update(const std::string& line) {
    if (!wanted_ || std::chrono::steady_clock::now() - start_ < std::chrono::seconds(1)) return;
    std::fprintf(stderr, "\r%s\033[K", line.c_str());
    drawn_ = true;
}

std::string progress_line(const ReplicationPlan& plan, const Estimate& so_far) {
    std::string line = bar(so_far.n, so_far.n < plan.least ? plan.least : plan.most) + std::to_string(plan.least);
    if (plan.most != plan.least) line += ".." + std::to_string(plan.most);
    line += " replications";
    if (so_far.n >= 2 && so_far.mean != 0)
        line += ", +-" + short_text(100 * so_far.half_width / std::abs(so_far.mean)) + " %";
    return line;
}

std::string progress_line(std::uint32_t done, std::uint32_t all, const std::string& what) {
    return bar(done, all) + std::to_string(all) + ' ' + what;
}

}  // namespace forksim
