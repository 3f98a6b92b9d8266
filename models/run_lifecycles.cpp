// Where the simulator is instantiated for runs that follow lifecycles.
#include <utility>

#include "models/model.hpp"
#include "models/run.hpp"
#include "sim/lifecycles.hpp"
#include "sim/probe.hpp"
#include "sim/random.hpp"
#include "sim/round_robin.hpp"
#include "sim/simulator.hpp"

namespace forksim {

LifeSums run_lifecycles(const Program& program, const ModelSpec& model_spec, const Topology& topology,
                        const CoreConfig& config, RunSeed seed, std::optional<std::vector<TurnRange>> turns) {
    FORKSIM_CHECK(!turns || turns->size() == program.roots.size(), "ranges of turns of other root tasks");
    KernelModel model(model_spec, topology);
    RoundRobin policy(topology.cpu_count(), config.slice);
    Probes<> none;
    Simulator<KernelModel, RoundRobin, Probes<>, Lifecycles> simulator(
        program, topology, config, mix(seed.seed, seed.replication), model_spec.locks.size(), model, policy, none);
    simulator.path().ask({config.warmup, config.warmup + config.duration, std::move(turns)});
    simulator.run();
    return simulator.path().sums();
}

}  // namespace forksim
