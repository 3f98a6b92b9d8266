#pragma once
#include <filesystem>
#include <string>

namespace forksim::test {

/// What a run of the command `forksim` left behind.
struct CommandRun {
    int status = -1;  ///< exit status; 128 and more: it was ended by a signal
    std::string out;
    std::string err;
};

/// Runs `forksim ARGUMENTS` through the shell, in `folder`, with `environment` (NAME=VALUE ...) in front.
CommandRun forksim(const std::string& arguments, const std::filesystem::path& folder = "/",
                   const std::string& environment = "");

/// Standard output of a run that must succeed.
std::string forksim_output(const std::string& arguments, const std::filesystem::path& folder = "/",
                           const std::string& environment = "");

}  // namespace forksim::test
