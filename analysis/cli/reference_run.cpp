#include "analysis/cli/reference_run.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "analysis/cli/helper_process.hpp"
#include "scenarios/library_path.hpp"
#include "sim/error.hpp"

namespace forksim {
namespace {

/// The helper's one line, or what happened to it.
std::string complaint_of(const HelperAnswer& answer) {
    std::string text = answer.errors.substr(0, answer.errors.find_last_not_of('\n') + 1);
    if (text.empty()) text = "the reference engine ended with status " + std::to_string(answer.exit_status);
    return text;
}

ReferenceRecord run_one(const std::vector<std::string>& arguments, const RunSubject& subject) {
    const HelperAnswer answer = run_helper(helper_executable(), arguments);
    switch (answer.exit_status) {
        case 0:
            return parse_reference(answer.output, subject.program, subject.model.locks.size());
        case 2:
            throw InputError(complaint_of(answer));
        case 3:
            throw ModelStuck(complaint_of(answer));
        default:
            throw InternalError(complaint_of(answer));
    }
}

}  // namespace

std::vector<std::string> reference_arguments(const Request& request, const SimulationPlan& plan, std::uint32_t index) {
    std::vector<std::string> arguments{"run", request.scenario};
    const auto add = [&](const char* option, const std::string& value) {
        arguments.emplace_back(option);
        arguments.push_back(value);
    };
    if (request.platform) add("--platform", *request.platform);
    if (request.cpus) add("--cpus", std::to_string(*request.cpus));
    for (const std::string& patch : request.base_patches) add("--base-patch", patch);
    for (const std::string& patch : request.patches) add("--patch", patch);
    for (const std::string& setting : request.sets) add("--set", setting);
    if (request.duration) add("--duration", *request.duration);
    if (request.warmup) add("--warmup", *request.warmup);
    add("--seed", std::to_string(plan.seed));
    add("--replication", std::to_string(index));
    return arguments;
}

ReferenceSimulated simulate_reference(const Request& request, const RunSubject& subject, const SimulationPlan& plan,
                                      const std::function<void(const Estimate&)>& progress,
                                      const std::function<bool()>& stop) {
    ReferenceSimulated all;
    std::vector<std::unique_ptr<ReferenceRecord>> records(plan.replications.most);
    ReplicationWork work;
    work.run = [&](std::uint32_t index) {
        records[index] = std::make_unique<ReferenceRecord>(run_one(reference_arguments(request, plan, index), subject));
        return throughput_of(records[index]->record);
    };
    work.accept = [&](std::uint32_t index) {
        if (index == 0)
            all.measured = std::move(*records[0]);
        else
            all.measured.merge(*records[index]);
        records[index].reset();
    };
    work.progress = progress;
    work.stop = stop;
    all.outcome = replicate(plan.replications, plan.jobs, work);
    return all;
}

}  // namespace forksim
