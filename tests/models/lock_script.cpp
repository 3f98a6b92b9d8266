#include "tests/models/lock_script.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>

namespace forksim::test {

std::vector<Grant> LockRun::of(Task t) const {
    std::vector<Grant> mine;
    std::copy_if(grants.begin(), grants.end(), std::back_inserter(mine), [t](const Grant& g) { return g.task == t; });
    return mine;
}

std::vector<Task> LockRun::order() const {
    std::vector<Task> tasks;
    for (const Grant& grant : grants) tasks.push_back(grant.task);
    return tasks;
}

double LockRun::fairness(std::size_t tasks) const {
    std::vector<double> counts;
    for (const Grant& grant : grants) {
        if (grant.task >= counts.size()) counts.resize(grant.task + 1);
        counts[grant.task] += 1;
    }
    double sum = 0;
    double squares = 0;
    for (const double count : counts) {
        sum += count;
        squares += count * count;
    }
    return sum * sum / (static_cast<double>(tasks) * squares);
}

LockProgram::LockProgram(Topology machine, const std::vector<LockKind>& kinds) : KernelBuilder(std::move(machine)) {
    for (const LockKind kind : kinds) lock(kind, "lock" + std::to_string(spec.locks.size()));
    counter("turns");
}

Steps LockProgram::section(Time after, Time hold, AcquireMode mode, std::uint32_t lock) {
    Steps body = steps();
    if (hold > Time{}) body.work(hold, site_of(lock));
    Steps s = steps();
    if (after > Time{}) s.work(after);
    return s.then(section(lock, body, mode));
}

Steps LockProgram::seq_read(std::uint32_t seqcount, const Steps& body) {
    struct WithJump : Steps {
        explicit WithJump(const Steps& s) : Steps(s) {}
        using Steps::op;
    };
    Steps s = steps();
    s.sync(SyncCode::seq_begin, seqcount, std::uint64_t{0}, site_of(seqcount));
    s.then(body).sync(SyncCode::seq_retry, seqcount, std::uint64_t{0}, site_of(seqcount));
    return WithJump(s).op(Code::jump, 0);
}

Steps LockProgram::seq_write(std::uint32_t seqcount, const Steps& body) {
    Steps s = steps();
    s.sync(SyncCode::seq_write_begin, seqcount, std::uint64_t{0}, site_of(seqcount));
    return s.then(body).sync(SyncCode::seq_write_end, seqcount, std::uint64_t{0}, site_of(seqcount));
}

LockRun LockProgram::run(std::uint64_t stream) const {
    KernelRun kernel = run_kernel(*this, stream);
    LockRun run;
    run.record = std::move(kernel.record);
    std::map<std::pair<Task, std::uint32_t>, std::size_t> held;
    auto release = kernel.releases.begin();
    const auto match_until = [&](Time now) {
        for (; release != kernel.releases.end() && release->at <= now; ++release) {
            const auto it = held.find({release->who, release->lock});
            if (it == held.end()) return;  // of the grant that comes next, at the same instant
            run.grants[it->second].released = release->at;
            held.erase(it);
        }
    };
    for (const Taken& taken : kernel.grants) {
        match_until(taken.at);
        held[{taken.who, taken.lock}] = run.grants.size();
        run.grants.push_back({taken.who, taken.lock, taken.since, taken.at, Time::never()});
    }
    match_until(Time::never());
    return run;
}

}  // namespace forksim::test
