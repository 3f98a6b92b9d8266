#include "analysis/cli/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace forksim {

Log::Log() : logger_(std::make_shared<spdlog::logger>("forksim", std::make_shared<spdlog::sinks::stderr_sink_st>())) {
    logger_->set_pattern("%v");
    set(Verbosity::normal);
}

void Log::set(Verbosity verbosity) {
    verbosity_ = verbosity;
    switch (verbosity) {
        case Verbosity::quiet:
            logger_->set_level(spdlog::level::err);
            break;
        case Verbosity::normal:
            logger_->set_level(spdlog::level::warn);
            break;
        case Verbosity::verbose:
            logger_->set_level(spdlog::level::info);
            break;
    }
}

void Log::error(std::string_view message) { logger_->error("{}", message); }
void Log::warning(std::string_view message) { logger_->warn("warning: {}", message); }
void Log::explain(std::string_view message) { logger_->info("{}", message); }

}  // namespace forksim
