#pragma once
#include "scenarios/scenario.hpp"

namespace CLI {
class App;
}

namespace forksim {

/// Adds what run, show and check have in common: --platform, --cpus, --base-patch, --patch, --set.
/// `request` must outlive the parsing.
void add_request_options(CLI::App& app, Request& request);

/// Adds what decides a run: --seed, --replications, --duration, --warmup.
void add_measure_options(CLI::App& app, Request& request);

}  // namespace forksim
