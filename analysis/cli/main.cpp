#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdio>
#include <exception>
#include <memory>

#include "sim/error.hpp"

namespace {

enum ExitStatus { exit_usage = 2, exit_stuck = 3, exit_internal = 70 };

}  // namespace

int main() {
    const auto log =
        std::make_shared<spdlog::logger>("forksim", std::make_shared<spdlog::sinks::stderr_color_sink_st>());
    log->set_pattern("%n: %l: %v");
    try {
        log->error("no subcommand is known yet");
        return exit_usage;
    } catch (const forksim::ModelStuck& stuck) {
        log->error("{}", stuck.what());
        return exit_stuck;
    } catch (const std::exception& error) {
        log->critical("internal error: {}", error.what());
        return exit_internal;
    }
}
