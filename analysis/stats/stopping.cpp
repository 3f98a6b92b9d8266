#include "analysis/stats/stopping.hpp"

#include "sim/check.hpp"

namespace forksim {

StoppingRule::StoppingRule(const ReplicationPlan& plan) : plan_(plan) {
    FORKSIM_CHECK(plan.precision > 0 && plan.least >= 1 && plan.most >= plan.least, "impossible replication plan");
}

void StoppingRule::add(double value) {
    FORKSIM_CHECK(reason_ == StopReason::not_yet, "a replication after the last one");
    sample_.add(value);
    const Estimate e = sample_.estimate();
    held_ = e.within(plan_.precision / (1 + plan_.precision)) ? held_ + 1 : 0;
    if (plan_.least == plan_.most) {
        if (e.n == plan_.most) reason_ = StopReason::fixed;
    } else if (e.n >= plan_.least && held_ > plan_.look_ahead) {
        reason_ = StopReason::precise;
    } else if (e.n == plan_.most) {
        reason_ = StopReason::cap;
    }
}

const char* name_of(StopReason reason) {
    switch (reason) {
        case StopReason::not_yet:
            return "not_yet";
        case StopReason::precise:
            return "precise";
        case StopReason::cap:
            return "cap";
        case StopReason::fixed:
            return "fixed";
        case StopReason::interrupted:
            return "interrupted";
    }
    return "";
}

}  // namespace forksim
