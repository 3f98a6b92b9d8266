// Where the tests instantiate the simulator with the kernel model.
#include "models/model.hpp"
#include "sim/probe.hpp"
#include "sim/round_robin.hpp"
#include "sim/simulator.hpp"
#include "tests/support/build_program.hpp"

namespace forksim::test {

namespace {

/// The kernel model, writing down marks.
class MarkedKernel : public KernelModel {
  public:
    MarkedKernel(const ModelSpec& spec, const Topology& topology, const std::vector<std::string>& labels)
        : KernelModel(spec, topology), labels_(labels) {}

    template <class C>
    Outcome execute(C& core, Task t, const Op& op) {
        if (op.sub == mark_code) {
            marks.push_back({labels_[op.a], core.cpu_of(t), core.now()});
            return {};
        }
        if (op.sub == raise_code) {
            core.softirq(op.a, core.callback_of(t, static_cast<std::uint32_t>(op.b)));
            return {};
        }
        if (op.sub == break_code) {
            core.resume(op.a, Time{}, t);
            return {};
        }
        return KernelModel::execute(core, t, op);
    }

    std::vector<Mark> marks;

  private:
    const std::vector<std::string>& labels_;
};

struct TakenLog {
    std::vector<Taken> grants;
    std::vector<Taken> releases;

    void granted(Task t, const Grip& grip, Time now) { grants.push_back({t, grip.resource, grip.since, now}); }
    void released(Task t, const Grip& grip, Time now) { releases.push_back({t, grip.resource, grip.since, now}); }
};

}  // namespace

KernelRun run_kernel(const KernelBuilder& b, std::uint64_t stream) {
    MarkedKernel model(b.spec, b.topology, b.labels);
    RoundRobin policy(b.topology.cpu_count(), b.config.slice);
    TakenLog log;
    Probes<TakenLog> probe(log);
    Simulator<MarkedKernel, RoundRobin, Probes<TakenLog>> simulator(b.program, b.topology, b.config, stream,
                                                                    b.spec.locks.size(), model, policy, probe);
    KernelRun run;
    run.record = simulator.run();
    run.record.transfers = model.lines().transfers();
    run.record.line_ties = model.lines().ties();
    run.marks = std::move(model.marks);
    run.grants = std::move(log.grants);
    run.releases = std::move(log.releases);
    // Behind the MCS nodes, two for each CPU, come the lines of the spec in order.
    LineId next = 2 * b.topology.cpu_count();
    for (const LineSpec& line : b.spec.lines) {
        if (line.per.scope != Scope::global) break;
        run.line_transfers.push_back(model.lines().transfers_of(next++));
    }
    for (const LockSpec& lock : b.spec.locks)
        run.word_transfers.push_back(lock.line == own_line ? 0 : run.line_transfers.at(lock.line));
    return run;
}

}  // namespace forksim::test
