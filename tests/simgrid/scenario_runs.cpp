#include "tests/simgrid/scenario_runs.hpp"

#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

#include "models/run.hpp"

namespace forksim {

Record simulate(const Request& request, std::uint32_t replication) {
    const Compiled c = compile(request);
    return run_replication(c.program, c.model, c.topology, c.core, {c.measure.seed, replication});
}

Request shortened(const std::string& scenario) {
    Request request;
    request.scenario = scenario;
    request.warmup = "200us";
    request.duration = "1ms";
    return request;
}

std::vector<std::string> words_for(const Request& request) {
    std::vector<std::string> words{"run",           request.scenario, "--warmup",
                                   *request.warmup, "--duration",     *request.duration};
    if (request.cpus) words.insert(words.end(), {"--cpus", std::to_string(*request.cpus)});
    for (const std::string& patch : request.patches) words.insert(words.end(), {"--patch", patch});
    for (const std::string& set : request.sets) words.insert(words.end(), {"--set", set});
    return words;
}

ScenarioFile::ScenarioFile(const std::string& text) {
    char name[] = "/tmp/forksim-scenario-XXXXXX.yaml";
    const int file = mkstemps(name, 5);
    if (file < 0) throw std::runtime_error("no temporary file");
    path_ = name;
    const auto length = static_cast<ssize_t>(text.size());
    const bool written = write(file, text.data(), text.size()) == length;
    close(file);
    if (!written) throw std::runtime_error("cannot write " + path_);
}

ScenarioFile::~ScenarioFile() { unlink(path_.c_str()); }

}  // namespace forksim
