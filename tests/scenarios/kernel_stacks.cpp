#include "tests/scenarios/kernel_stacks.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "scenarios/listing.hpp"
#include "tests/scenarios/scratch.hpp"

namespace forksim::test {
namespace {

/// Writes the scenario, makes a request of it and calls `use` with that.
template <class Use>
auto with_request(const Stack& stack, const std::vector<std::string>& sets, const Use& use,
                  const std::string& tasks = "threadspawn1/spawner") {
    const Scratch scratch;
    Request request;
    request.scenario =
        scratch.file("threads.yaml", "scenario: threads\nkernel: " + stack.kernel +
                                         "\nplatform: xeon-1s-20c\n"
                                         "workload: {tasks: spawner, count: {per: cpu}, process: each, affinity: core, "
                                         "use: " +
                                         tasks + "}\n");
    request.as_written = true;
    request.patches = stack.patches;
    request.sets = sets;
    return use(request);
}

bool is(const Op& op, SyncCode code) { return op.code == Code::sync && op.sub == static_cast<std::uint8_t>(code); }

}  // namespace

std::string Stack::text() const {
    std::string text = kernel;
    for (const std::string& patch : patches) text += " + " + patch;
    return text;
}

Compiled threads_on(const Stack& stack, const std::vector<std::string>& sets) {
    return with_request(stack, sets, [](const Request& request) { return compile(request); });
}

Compiled processes_on(const Stack& stack, const std::vector<std::string>& sets) {
    return with_request(
        stack, sets, [](const Request& request) { return compile(request); }, "fork-exit-wait/spawner");
}

std::vector<Diagnostic> faults_on(const Stack& stack) {
    try {
        threads_on(stack);
    } catch (const LanguageError& error) {
        return error.diagnostics;
    }
    return {};
}

std::map<std::string, int> acquisitions(const Compiled& scenario) {
    std::map<std::string, int> result;
    for (const Op& op : scenario.program.ops) {
        const bool takes =
            is(op, SyncCode::acquire) || is(op, SyncCode::seq_begin) || is(op, SyncCode::seq_write_begin);
        if (!takes) continue;
        const std::string& mode = scenario.program.sites[op.site].mode;
        result[scenario.model.locks[op.a].name + (mode.empty() ? "" : " " + mode)] += 1;
    }
    return result;
}

std::set<std::string> nesting(const Compiled& scenario) {
    std::set<std::string> result;
    std::vector<std::uint32_t> held;
    for (const Op& op : scenario.program.ops) {
        if (is(op, SyncCode::acquire) || is(op, SyncCode::seq_write_begin)) {
            for (const std::uint32_t outer : held) {
                result.insert(scenario.model.locks[outer].name + " > " + scenario.model.locks[op.a].name);
            }
            held.push_back(op.a);
        } else if (is(op, SyncCode::release) || is(op, SyncCode::seq_write_end)) {
            const auto it = std::find(held.begin(), held.end(), op.a);
            REQUIRE(it != held.end());
            held.erase(it);
        }
    }
    CHECK(held.empty());
    return result;
}

std::map<std::string, std::string> contexts_on(const Stack& stack) {
    const Listing listing = with_request(stack, {}, [](const Request& request) { return show(request); });
    std::map<std::string, std::string> result;
    for (const ShownFunction& function : listing.functions) {
        for (const ShownStep& step : function.steps) {
            std::string& where = result[step.site];
            if (where.find(function.context) == std::string::npos) {
                where += (where.empty() ? "" : " and ") + function.context;
            }
        }
    }
    return result;
}

}  // namespace forksim::test
