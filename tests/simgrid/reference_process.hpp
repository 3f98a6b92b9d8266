#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "platforms/simgrid/reference.hpp"
#include "sim/record.hpp"
#include "tests/simgrid/random_case.hpp"

namespace forksim {

/// How a process that ran the reference engine ended.
struct ReferenceRun {
    int status = 0;      ///< as of `forksim-simgrid run`; 128 + signal if it was killed
    std::string output;  ///< what it printed, or why it did not
};

/// Runs the reference engine on a case in a process of its own.
ReferenceRun run_reference(const Case& c, std::uint64_t stream);

/// Runs `forksim-simgrid` with these arguments.
ReferenceRun run_helper(const std::vector<std::string>& arguments);

/// The numbers that both engines must agree on, as format_answer prints them: of the answer's text, without events and
/// ties, and of the simulator's record.
std::string numbers_of(const std::string& answer);
std::string numbers_of(const Record& record);

/// What stands behind `ties` in an answer.
std::uint64_t ties_of(const std::string& answer);

}  // namespace forksim
