#include "tests/sim/tiny_model.hpp"

namespace forksim::test {

TinyRun run_tiny(const ProgramBuilder& b, std::uint64_t stream) {
    RoundRobin policy(b.topology.cpu_count(), b.config.slice);
    return run_tiny(b, policy, stream);
}

}  // namespace forksim::test
