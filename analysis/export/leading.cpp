#include "analysis/export/leading.hpp"

#include <algorithm>
#include <cmath>

namespace forksim {
namespace {

double demand_of(const LockResult& lock) {
    return std::isnan(lock.usage.serial_ps_per_op) ? -1 : lock.usage.serial_ps_per_op;
}

}  // namespace

std::vector<const LockResult*> by_demand(const Result& result) {
    std::vector<const LockResult*> locks;
    for (const LockResult& lock : result.locks) locks.push_back(&lock);
    std::ranges::stable_sort(locks,
                             [](const LockResult* a, const LockResult* b) { return demand_of(*a) > demand_of(*b); });
    return locks;
}

Leading leading_demand(const Result& result) {
    const std::vector<const LockResult*> locks = by_demand(result);
    Leading leading;
    if (locks.empty() || demand_of(*locks[0]) <= 0) return leading;
    leading.first = locks[0];
    leading.bound_per_s = 1e12 / demand_of(*locks[0]);
    if (locks.size() > 1 && demand_of(*locks[1]) > 0) {
        leading.second = locks[1];
        for (std::size_t i = 1; i < locks.size(); ++i) {
            if (demand_of(*locks[0]) < (1 + unresolved_below) * demand_of(*locks[i]))
                leading.rivals.push_back(locks[i]);
        }
    }
    return leading;
}

}  // namespace forksim
