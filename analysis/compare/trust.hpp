#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/export/json_writer.hpp"
#include "analysis/stats/estimate.hpp"
#include "scenarios/published.hpp"
#include "scenarios/scenario.hpp"

namespace forksim {

/// One respect in which a run is not the published case.
struct Difference {
    std::string what;  ///< "CPUs", "sockets", "machine", "kernel", "patches", "tasks", "workload", "settings", "values"
    std::string here;  ///< of the run
    std::string there;  ///< of the case
    double steps = 0;   ///< its part of the distance
};

/// What the model says of the published case itself, in the world of the run.
struct CaseRun {
    Estimate per_second;  ///< its half-width: the sampling interval
    double error_percent = 0;
    double error_half_width_percent = 0;
};

/// What there is to hold a run against.
///
/// The nearest published case is the one with the smallest distance, a sum of steps: log2 of the ratio of CPU counts,
/// and of tasks; the difference in sockets; 1 for another machine; versions of the kernel between the two; patches that
/// only one has, those counted that a version is made of; 1 for each kind of task that only one has, and for one
/// process where the other has many; 1 for each `--set`; 1 for values or steps of its own where nothing else differs.
/// Only cases that count the same thing, by creating the same (threads, processes), are compared at all.
struct Trust {
    std::string unit;                      ///< of the run
    std::string creates;                   ///< "threads", "processes" or "no tasks"
    std::optional<PublishedCase> nearest;  ///< nothing: no figure was published for such a run
    bool is_case = false;                  ///< the run is the nearest case itself, in any world
    double distance = 0;
    std::vector<Difference> differences;  ///< the larger ones first
    std::optional<CaseRun> model;         ///< nothing: it was not run, or there is no case
    bool worlds = false;                  ///< the case has worlds
    std::uint32_t world = 0;              ///< the one it was run in
    std::vector<std::string> unmodelled;  ///< locks and lines of the run's paths that its kernel is known not to model

    /// Is the run one that worlds were fitted to? Otherwise what it says is a prediction.
    bool is_fitted() const { return is_case && nearest->fitted; }
};

/// Finds the nearest case; nothing is simulated. `base`: compiled from `request`.
Trust nearest_case(const Compiled& base, const Request& request);

/// The same, and runs that case: five replications of 50 ms after its own warm-up, with the seed of `base` and in its
/// world, some two seconds of one CPU. The same for any number of jobs. Throws as simulate() does.
Trust trust_of(const Compiled& base, const Request& request, unsigned jobs);

/// For people: a few lines of at most 72 columns, behind the label "trust".
std::string trust_text(const Trust& trust);

/// For programs: the value of a key "trust".
void trust_json(JsonWriter& json, const Trust& trust);

}  // namespace forksim
