// What a run can be held against: the nearest published case, and how far the model is off there.
#include "analysis/compare/trust.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/export/simulate.hpp"
#include "models/run.hpp"
#include "tests/scenarios/scratch.hpp"

namespace forksim {
namespace {

Request request_for(const std::string& scenario, const std::vector<std::string>& patches = {}) {
    Request request;
    request.scenario = scenario;
    request.patches = patches;
    return request;
}

Trust nearest(const Request& request) { return nearest_case(compile(request), request); }

double steps(const Trust& trust, const std::string& what) {
    const auto it = std::ranges::find(trust.differences, what, &Difference::what);
    return it == trust.differences.end() ? 0 : it->steps;
}

/// threadspawn1-20c on a kernel of its own, or with the steps of another workload.
std::string own_scenario(const std::string& kernel, const std::string& more = "") {
    return "scenario: own\nkernel: " + kernel + "\nplatform: xeon-1s-20c\n" +
           "workload: [{tasks: spawner, count: {per: cpu}, process: each, affinity: core, use: "
           "threadspawn1/spawner}]\n" +
           more;
}

Trust nearest_of(const std::string& text) {
    const test::Scratch scratch;
    return nearest(request_for(scratch.file("own.yaml", text)));
}

}  // namespace

TEST_CASE("a published case is recognised, whatever its scenario is called and whatever its seed and windows") {
    CHECK(nearest(request_for("threadspawn1-20c")).nearest->name == "C1");
    CHECK(nearest(request_for("threadspawn1-20c", {"pidmap-once", "pidfs-rhashtable"})).nearest->name == "C2");
    CHECK(nearest(request_for("clone-processes-40t")).nearest->name == "C3");
    Request other = request_for("threadspawn1");
    other.cpus = 20;
    other.seed = 7;
    other.duration = "3ms";
    other.world = 3;
    const Trust trust = nearest(other);
    CHECK(trust.nearest->name == "C1");
    CHECK(trust.is_case);
    CHECK(trust.is_fitted());
    CHECK(trust.distance == 0);
    CHECK(trust.differences.empty());
}

TEST_CASE("the distance is the sum of what is different, by hand") {
    // 80 spawners for 40 on the same machine, 6.19 for 6.18, pidmap-once missing. C1 would be 2 (CPUs) + 2 (tasks) + 1
    // (sockets) + 1 (machine).
    const Trust trust = nearest(request_for("threadspawn1-80t"));
    CHECK(trust.nearest->name == "C3");
    CHECK(trust.distance == 3);
    CHECK(steps(trust, "kernel") == 1);
    CHECK(steps(trust, "patches") == 1);
    CHECK(steps(trust, "tasks") == 1);
    CHECK(!trust.is_case);
    CHECK(!trust.is_fitted());
    // log2(512 / 80) = 2.678 for CPUs, log2(512 / 40) = 3.678 for tasks, a machine, a version, a patch; sockets alike.
    Request large = request_for("threadspawn1");
    large.cpus = 512;
    CHECK(nearest(large).distance == doctest::Approx(2.678 + 3.678 + 3));
}

TEST_CASE("patches that a version is made with count like those put on it") {
    CHECK(nearest_of(own_scenario("linux-7.0")).is_case);  // 6.19 with the two patches, to the last op
    const Trust trust = nearest_of(own_scenario("linux-7.0", "config: {cv: 0.1}\n"));
    CHECK(trust.nearest->name == "C2");
    CHECK(trust.distance == 1);  // the version itself
    CHECK(steps(trust, "patches") == 0);
    CHECK(nearest_of(own_scenario("linux-6.12")).distance == 4);  // 6.14, 6.15, 6.18, 6.19: C1
}

TEST_CASE("settings, values, tasks and processes of its own make a run another one") {
    Request set = request_for("threadspawn1-20c");
    set.sets = {"config.cv=0", "alloc_pid/idr_alloc/cyclic.work=95ns"};
    CHECK(nearest(set).distance == 2);
    set.sets = {"config.tie_break=id"};
    CHECK(steps(nearest(set), "settings") == 0);
    const Trust hz = nearest_of(own_scenario("linux-6.19", "config: {cv: 0.1}\n"));
    CHECK(hz.distance == 1);
    CHECK(steps(hz, "values") == 1);
    CHECK(!hz.is_case);
    CHECK(nearest_of(own_scenario("linux-6.19")).is_case);
    Request threads = request_for("threadspawn1-threads");
    threads.cpus = 20;
    CHECK(steps(nearest(threads), "workload") == 1);
    CHECK(nearest(threads).distance == 1);
    Request batches = request_for("thread-batches");
    batches.cpus = 20;
    CHECK(steps(nearest(batches), "workload") == 2);  // stressor for spawner
}

TEST_CASE("where nothing was published for such a workload, that is said, and nothing is run") {
    const Request request = request_for("fork-exit-wait");
    const Trust trust = trust_of(compile(request), request, 1);
    CHECK(!trust.nearest);
    CHECK(!trust.model);
    CHECK(!trust.is_fitted());
    CHECK(
        trust_text(trust).find("no figure in processes/s by a workload that creates\n       processes was published") !=
        std::string::npos);
    CHECK(trust_text(nearest(request_for("one-lock"))).find("creates\n       no tasks") != std::string::npos);
    // Processes counted as if they were threads are still none.
    CHECK(!nearest_of("scenario: own\nkernel: linux-6.19\nplatform: xeon-1s-20c\nworkload:\n"
                      "  - tasks: t\n    forever: [{spawn: {via: clone_process, run: c, as: kid, process: new}}, "
                      "{call: wait4, victim: kid}, {count: threads}]\n"
                      "functions: {c: [{call: ret_from_fork}, {call: exit_process}]}\n")
               .nearest);
}

TEST_CASE("what the model says of the case is simulated in the world of the run, for any number of jobs") {
    Request request = request_for("threadspawn1-80t");
    request.seed = 5;
    request.world = 2;
    const Trust trust = trust_of(compile(request), request, 2);
    REQUIRE(trust.model);
    CHECK(trust.world == 2);
    Request figure = request_for("clone-processes-40t");
    figure.seed = 5;
    figure.world = 2;
    Compiled compiled = compile(figure);
    compiled.core.duration = Time::from_ms(50);
    double sum = 0;
    for (std::uint32_t i = 0; i < 5; ++i)
        sum +=
            throughput_of(run_replication(compiled.program, compiled.model, compiled.topology, compiled.core, {5, i}));
    const CaseRun& model = *trust.model;
    CHECK(model.per_second.n == 5);
    CHECK(model.per_second.mean == doctest::Approx(sum / 5));
    CHECK(model.error_percent == doctest::Approx(100 * (sum / 5 - 293830) / 293830));
    CHECK(model.error_half_width_percent == doctest::Approx(100 * model.per_second.half_width / 293830));
    CHECK(model.error_half_width_percent > 0);
    CHECK(trust_of(compile(request), request, 1).model->per_second.mean == model.per_second.mean);
}

TEST_CASE("the text says what the numbers are worth in lines of at most 72 columns") {
    Trust trust = nearest(request_for("threadspawn1-80t"));
    trust.model = CaseRun{{10, 300'000, 0, 3'000}, 2.1, 1.02};
    trust.unmodelled = {"rq->lock", "pi_lock"};
    CHECK(trust_text(trust) ==
          "trust  a prediction; nearest published: C3, 293830 +-1136 threads/s\n"
          "       (fitted); the model says +2.1 +-1.0 % there; other kernel,\n"
          "       patches, tasks here; not modelled: rq->lock, pi_lock; of C3: at\n"
          "       least one busy lock of its machine is in no model of fork and\n"
          "       exit\n");
    Trust same = nearest(request_for("threadspawn1-20c"));
    same.model = CaseRun{{10, 460'000, 0, 3'000}, -1.06, 0.6};
    same.unmodelled = {};
    CHECK(trust_text(same) ==
          "trust  this is the published case C1, 465000 threads/s (fitted); the\n"
          "       model says -1.1 +-0.6 % here\n");
}

TEST_CASE("JSON carries the case, the differences, the error and what is not modelled") {
    Trust trust = nearest(request_for("threadspawn1-80t"));
    trust.model = CaseRun{{10, 300'000, 0, 3'000}, 2.1, 1.02};
    JsonWriter writer;
    trust_json(writer, trust);
    const nlohmann::json json = nlohmann::json::parse(writer.text());
    CHECK(json["prediction"] == true);
    CHECK(json["nearest"]["name"] == "C3");
    CHECK(json["nearest"]["value"] == 293830);
    CHECK(json["nearest"]["spread"] == 1136);
    CHECK(json["nearest"]["distance"] == 3);
    CHECK(json["nearest"]["differences"].size() == 3);
    CHECK(json["model"]["error_percent"] == 2.1);
    CHECK(json["model"]["world"] == 0);
    CHECK(json["unmodelled"].size() == 6);
    JsonWriter none;
    trust_json(none, nearest(request_for("fork-exit-wait")));
    CHECK(nlohmann::json::parse(none.text())["nearest"].is_null());
}

}  // namespace forksim
