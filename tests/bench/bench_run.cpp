// How fast whole replications are: threadspawn1 at 20, 80 and 512 CPUs, one thread, the standard record on. Prints
// events and lifecycles per second of CPU time (all that are simulated, warm-up included), the time to compile a
// scenario and the largest resident set so far; and first, the time from main() to the first event at 512 CPUs. Not a
// test: machines are shared, compare ratios within one run.
#include <sys/resource.h>

#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>

#include "models/run.hpp"
#include "scenarios/scenario.hpp"

namespace forksim {
namespace {

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void bench(std::uint32_t cpus) {
    Request request;
    request.scenario = "threadspawn1";
    request.cpus = cpus;
    const double begun = cpu_seconds();
    const Compiled compiled = compile(request);
    const double ready = cpu_seconds();
    Record all = run_replication(compiled.program, compiled.model, compiled.topology, compiled.core, {1, 0});
    for (std::uint32_t i = 1; i < 3; ++i)
        all.merge(run_replication(compiled.program, compiled.model, compiled.topology, compiled.core, {1, i}));
    const double ran = cpu_seconds() - ready;
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::printf("%3u CPUs: %5.2f M events/s, %.3f M lifecycles/s, %.1f events each; compiled in %.1f ms; %ld kB\n",
                cpus, static_cast<double>(all.effort.events) / ran / 1e6,
                static_cast<double>(all.effort.operations) / ran / 1e6,
                static_cast<double>(all.effort.events) / static_cast<double>(all.effort.operations),
                (ready - begun) * 1e3, usage.ru_maxrss);
}

/// Everything up to the first event, and a window of 1 ns that is over at once.
void begin(std::uint32_t cpus) {
    const double begun = cpu_seconds();
    Request request;
    request.scenario = "threadspawn1";
    request.cpus = cpus;
    request.warmup = "0ns";
    request.duration = "1ns";
    const Compiled compiled = compile(request);
    run_replication(compiled.program, compiled.model, compiled.topology, compiled.core, {1, 0});
    std::printf("%3u CPUs: first event after %.1f ms\n", cpus, (cpu_seconds() - begun) * 1e3);
}

}  // namespace
}  // namespace forksim

int main() {
    try {
        forksim::begin(512);
        for (const std::uint32_t cpus : {20u, 80u, 512u}) forksim::bench(cpus);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
    return 0;
}
