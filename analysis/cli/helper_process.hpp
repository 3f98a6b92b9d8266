#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace forksim {

/// What a helper left behind.
struct HelperAnswer {
    int exit_status = 0;  ///< 128 + the signal's number if one ended it, as in a shell
    std::string output;
    std::string errors;
};

/// Runs `program` with `arguments` and no input, waits for its end and returns all that it printed. Safe on any thread.
/// Throws InternalError if it cannot be started.
HelperAnswer run_helper(const std::filesystem::path& program, const std::vector<std::string>& arguments);

}  // namespace forksim
