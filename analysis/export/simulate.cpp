#include "analysis/export/simulate.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "models/run.hpp"

namespace forksim {

double throughput_of(const Record& record) {
    if (record.counts.empty() || record.window.ps == 0) return 0;
    return static_cast<double>(record.counts[0]) / (static_cast<double>(record.window.ps) / 1e12);
}

Simulated simulate(const RunSubject& subject, const SimulationPlan& plan,
                   const std::function<void(const Estimate&)>& progress, const std::function<bool()>& stop) {
    Simulated all;
    std::vector<std::unique_ptr<Record>> records(plan.replications.most);  // until they are merged
    ReplicationWork work;
    work.run = [&](std::uint32_t index) {
        records[index] = std::make_unique<Record>(
            run_replication(subject.program, subject.model, subject.topology, plan.config, {plan.seed, index}));
        return throughput_of(*records[index]);
    };
    work.accept = [&](std::uint32_t index) {
        if (index == 0)
            all.record = std::move(*records[0]);
        else
            all.record.merge(*records[index]);
        records[index].reset();
    };
    work.progress = progress;
    work.stop = stop;
    all.outcome = replicate(plan.replications, plan.jobs, work);
    return all;
}

}  // namespace forksim
