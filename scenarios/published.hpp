#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace forksim {

struct Compiled;

/// A figure that somebody measured on a real machine and published, and the run that stands for it.
struct PublishedCase {
    std::string name;
    std::string scenario;
    std::vector<std::string> patches;  ///< on top of the scenario's own
    std::string kernel;                ///< that the scenario runs on
    std::uint32_t cpus = 0;
    double value = 0;
    std::string unit;              ///< "threads/s": the scenario's first counter
    std::optional<double> spread;  ///< published +- of the value; absent: none was
    std::string read_in;           ///< where it was read, in words
    bool fitted = false;           ///< worlds were fitted to it; else it is held against them
    std::string note;              ///< what the model is known to lack there, or empty
};

/// Those of the library, sorted by name. Throws LanguageError for faults in their files.
std::vector<PublishedCase> published_cases();

/// Whether two compiled scenarios simulate the same thing: equal in all that decides the numbers and in every name,
/// seed, windows and replications aside.
bool runs_alike(const Compiled& one, const Compiled& other);

/// How far two kernels of the library are apart, in its versions: 6.12, 6.14, 6.15, ... Nothing if one is not of the
/// library.
std::optional<std::uint32_t> version_steps(std::string_view one, std::string_view other);

}  // namespace forksim
