#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/scenario.hpp"
#include "sim/record.hpp"

namespace forksim {

/// One replication of a scenario in the simulator.
Record simulate(const Request& request, std::uint32_t replication);

/// A scenario for 1 ms of the simulated clock behind 200 us of warm-up.
Request shortened(const std::string& scenario);

/// What `forksim-simgrid` must be told to run the same replication 0. REQUIRES a warm-up and a duration.
std::vector<std::string> words_for(const Request& request);

/// A scenario in a file of its own, as long as this lives.
class ScenarioFile {
  public:
    explicit ScenarioFile(const std::string& text);
    ~ScenarioFile();
    ScenarioFile(const ScenarioFile&) = delete;
    ScenarioFile& operator=(const ScenarioFile&) = delete;

    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

}  // namespace forksim
