// Where the simulator is instantiated for plain runs, by itself: what compilers inline depends on what stands beside
// it.
#include "models/run.hpp"

#include "models/model.hpp"
#include "sim/probe.hpp"
#include "sim/random.hpp"
#include "sim/round_robin.hpp"
#include "sim/simulator.hpp"

namespace forksim {

Record run_replication(const Program& program, const ModelSpec& model_spec, const Topology& topology,
                       const CoreConfig& config, RunSeed seed) {
    KernelModel model(model_spec, topology);
    RoundRobin policy(topology.cpu_count(), config.slice);
    Probes<> none;
    Simulator<KernelModel, RoundRobin, Probes<>> simulator(program, topology, config, mix(seed.seed, seed.replication),
                                                           model_spec.locks.size(), model, policy, none);
    Record record = simulator.run();
    record.line_ties = model.lines().ties();
    record.transfers = model.lines().transfers();
    return record;
}

}  // namespace forksim
