#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/spec.hpp"
#include "scenarios/diagnostics.hpp"
#include "sim/program.hpp"
#include "sim/topology.hpp"

namespace forksim {

/// A change to one place of a kernel, for a comparison.
struct AskedEdit {
    enum class Verb : std::uint8_t {
        unwrap,  ///< `--remove SITE`: the lock is not taken, what was done under it stays
        remove,  ///< `--remove SITE --with-work`: all of it goes
        scale,   ///< `--scale SITE=FACTOR`: all times of it are multiplied
    } verb = Verb::unwrap;
    std::string text;  ///< the option's value, as typed
};

/// What is asked for: a scenario and what differs from its file.
struct Request {
    std::string scenario;                   ///< name in the library, path, or PATH#NAME
    std::optional<std::string> platform;    ///< name, path of an XML file, or `uniform-N`; replaces the scenario's
    std::optional<std::uint32_t> cpus;      ///< logical CPUs to boot; absent: all of the scenario's (first) machine
    std::vector<std::string> base_patches;  ///< on top of the scenario's own, part of the base
    std::vector<std::string> patches;       ///< on top of those
    std::vector<std::string> sets;          ///< "SITE.KEY=VALUE", LOCK., config., rcu. or platform.KEY=VALUE, in order
    std::vector<AskedEdit> edits;           ///< after the settings, in order
    std::optional<std::uint32_t> world;     ///< row of the kernel's table of worlds; absent: 0 if there is one
    bool as_written = false;                ///< in no world: the kernel's numbers as its file has them
    std::optional<std::uint64_t> seed;
    std::optional<std::uint32_t> replications;  ///< fewest and most at once
    std::optional<std::string> duration;        ///< a time with a unit
    std::optional<std::string> warmup;          ///< a time with a unit
};

/// How long and how often to simulate.
struct Measure {
    Time warmup;
    Time duration;
    double precision = 0.01;  ///< stop once the half-width of the 95 % interval is below this share of the mean
    std::uint32_t replications_min = 10;
    std::uint32_t replications_max = 40;
    std::uint64_t seed = 1;
};

/// What a run is headed by.
struct Banner {
    std::string scenario;
    std::string kernel;
    std::vector<std::string> base_patches;
    std::vector<std::string> patches;
    std::vector<std::string> sets;
    std::string platform;
    std::string composition;  ///< "80 CPUs: 2 sockets x 20 cores x 2 threads"
    std::uint32_t cpus = 0;
    std::uint32_t worlds = 0;  ///< how many the kernel has; 0: none
    std::uint32_t world = 0;   ///< which one this is
};

/// What the library knows of the kernel that a scenario runs on.
struct KernelOrigin {
    std::string family;                   ///< the library's kernel that it is or is made from; else its own name
    std::vector<std::string> patches;     ///< that it is made with, beyond the kernels it is like
    std::vector<std::string> unmodelled;  ///< locks and lines on its paths that it is known not to model
};

/// A scenario ready to run.
struct Compiled {
    Program program;
    ModelSpec model;
    Topology topology;
    CoreConfig core;
    Measure measure;
    Banner banner;
    KernelOrigin origin;
    std::string hash;                ///< 32 hexadecimal digits: of everything that decides the numbers, and the names
    std::vector<std::string> notes;  ///< what the user should know: what a bare STEP reached, settings without effect
};

/// Reads, patches, checks and compiles. Throws LanguageError with all faults that were found; nothing runs.
/// Unused definitions, the order of keys and comments do not change the result.
Compiled compile(const Request& request);

}  // namespace forksim
