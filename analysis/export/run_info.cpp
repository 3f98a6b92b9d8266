#include "analysis/export/run_info.hpp"

namespace forksim {

SimulationPlan plan_of(const Compiled& compiled, unsigned jobs) {
    const Measure& m = compiled.measure;
    SimulationPlan plan;
    plan.config = compiled.core;
    plan.seed = m.seed;
    plan.replications.precision = m.precision;
    plan.replications.least = m.replications_min;
    plan.replications.most = m.replications_max;
    plan.jobs = jobs;
    return plan;
}

RunInfo info_of(const Compiled& compiled, const SimulationPlan& plan, const std::string& engine,
                const std::string& version) {
    const Banner& banner = compiled.banner;
    RunInfo run;
    run.version = version;
    run.scenario = banner.scenario;
    run.hash = compiled.hash;
    run.kernel = banner.kernel;
    run.base_patches = banner.base_patches;
    run.patches = banner.patches;
    run.settings = banner.sets;
    run.platform = banner.platform;
    run.composition = banner.composition;
    run.cpus = banner.cpus;
    run.seed = plan.seed;
    run.worlds = banner.worlds;
    run.world = banner.world;
    run.engine = engine;
    run.tie_break = plan.config.tie_break;
    run.preempt = plan.config.preempt;
    run.warmup = plan.config.warmup;
    run.duration = plan.config.duration;
    run.plan = plan.replications;
    return run;
}

}  // namespace forksim
