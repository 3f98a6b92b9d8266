// A closed network that nobody foresaw: a kernel of its own with three locks and functions that call each other, and a
// scenario in another folder that names it by a relative path, run from a third folder.
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/system/closed_queues.hpp"
#include "tests/system/command.hpp"
#include "tests/system/runs.hpp"

namespace forksim::test {
namespace {

constexpr const char* kernel = R"(
kernel: three-locks
locks:
  inner: {kind: spinlock, irq: off}
  outer: {kind: rwlock}
  last: {kind: spinlock}
functions:
  begin:
    src: estimated
    do:
      - {section: inner, name: enter, body: [{work: {exponential: 1.5us}, name: hold_enter}]}
      - call: middle
  middle:
    src: estimated
    do:
      - {section: outer, mode: write, name: change, body: [{work: {exponential: 4us}, name: hold_change}]}
      - repeat: {n: 2, do: [{section: last, name: twice, body: [{work: {exponential: 900ns}, name: hold_twice}]}]}
      - {section: inner, name: leave, body: [{work: {exponential: 1.5us}, name: hold_leave}]}
)";

constexpr const char* scenario = R"(
scenario: generated
kernel: ../kernels/three.yaml
platform: {uniform: 24, distance: 0ns}
workload:
  - tasks: customer
    count: 24
    affinity: pu
    forever:
      - {work: {gamma: {mean: 100us, cv: 0.7}}, name: think}
      - call: begin
      - count: cycles
measure: {warmup: 2ms, duration: 8ms, precision: 1%, replications: 40..40}
)";

const Network& exact() {
    static const Network network = mean_value_analysis(24, 100e-6, {2 * 1.5e-6, 4e-6, 2 * 0.9e-6});
    return network;
}

/// Two folders beside each other; the folder to run in holds both.
struct Folders {
    TempFolder top;
    Folders() {
        top.write("kernels/three.yaml", kernel);
        top.write("work/network.yaml", scenario);
    }
};

/// Another working directory for a while.
class WorkingDirectory {
  public:
    explicit WorkingDirectory(const std::filesystem::path& path) : before_(std::filesystem::current_path()) {
        std::filesystem::current_path(path);
    }
    ~WorkingDirectory() { std::filesystem::current_path(before_); }
    WorkingDirectory(const WorkingDirectory&) = delete;
    WorkingDirectory& operator=(const WorkingDirectory&) = delete;

  private:
    std::filesystem::path before_;
};

}  // namespace

TEST_CASE("a network of three locks written from nothing in another folder matches exact mean value analysis") {
    const Folders folders;
    const WorkingDirectory there(folders.top.path());
    for (const std::uint64_t seed : {1u, 2u, 3u, 4u, 5u}) {
        CAPTURE(seed);
        Request request;
        request.scenario = "work/network.yaml";
        request.seed = seed;
        const Compiled compiled = compile(request);
        const std::vector<Record> records = replications(compiled, 40);
        check_mean(throughput(records), exact().throughput, 0.01);
        check_mean(waiting(records, lock_index(compiled, "inner")), exact().waiting[0], 0.3);
        check_mean(waiting(records, lock_index(compiled, "outer")), exact().waiting[1], 0.3);
        check_mean(waiting(records, lock_index(compiled, "last")), exact().waiting[2], 0.3);
    }
}

TEST_CASE("the command, too, runs that network from any folder, and its JSON holds the exact throughput") {
    const Folders folders;
    const std::string text = forksim_output("run work/network.yaml --format json --reproducible", folders.top.path());
    const nlohmann::json result = nlohmann::json::parse(text);
    const nlohmann::json& throughput = result.at("throughput");
    CHECK(throughput.at("n") == 40);
    // the half-width is 2.02 standard errors of 40 replications
    CHECK(std::abs(throughput.at("mean").get<double>() - exact().throughput) <=
          2 * throughput.at("ci95").get<double>());
    for (const nlohmann::json& lock : result.at("locks")) {
        const int per_cycle = lock.at("lock") == "outer" ? 1 : 2;
        CHECK(lock.at("per_op") == per_cycle);
    }

    const std::string absolute = (folders.top.path() / "work" / "network.yaml").string();
    CHECK(forksim_output("run " + absolute + " --format json --reproducible") == text);
}

}  // namespace forksim::test
