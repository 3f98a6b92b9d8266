#include "tests/system/charged_times.hpp"

#include <doctest/doctest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace forksim::test {

struct ChargedTimes::Nodes {
    std::map<std::string, YAML::Node> functions;
    std::int64_t wake_ps = 0;
    std::int64_t switch_ps = 0;
    YAML::Node turn;
    mutable std::vector<std::string> calls;  // that stand around what is being added up

    void add_functions(const YAML::Node& document) {
        for (const auto& entry : document["functions"]) functions[entry.first.as<std::string>()] = entry.second;
    }

    std::int64_t duration(const YAML::Node& node) const {
        if (node.IsScalar()) return parse_ps(node.Scalar());
        if (node["t"]) return parse_ps(node["t"].Scalar());
        for (const char* shape : {"lognormal", "gamma"})
            if (node[shape]) return parse_ps(node[shape]["mean"].Scalar());
        if (node["exponential"]) return duration(node["exponential"]);
        if (node["mean"]) return parse_ps(node["mean"].Scalar());
        FAIL("what time is this: " << YAML::Dump(node));
        return 0;
    }

    std::int64_t function(const std::string& name) const {
        const auto it = functions.find(name);
        REQUIRE_MESSAGE(it != functions.end(), "no function " << name);
        calls.push_back(name);
        const std::int64_t sum = steps(it->second.IsSequence() ? it->second : it->second["do"]);
        calls.pop_back();
        return sum;
    }

    /// A step is there if its condition on the callers holds; of the configuration nothing is set.
    bool applies(const std::string& when) const {
        const bool negated = when.rfind("not ", 0) == 0;
        const std::string rest = negated ? when.substr(4) : when;
        if (rest.rfind("called_by ", 0) != 0) return negated;
        return (std::find(calls.begin(), calls.end(), rest.substr(10)) != calls.end()) != negated;
    }

    static std::int64_t whole(const YAML::Node& node) {
        return node.IsScalar() ? node.as<std::int64_t>() : node["value"].as<std::int64_t>();
    }

    std::int64_t steps(const YAML::Node& list) const {
        REQUIRE(list.IsSequence());
        std::int64_t sum = 0;
        for (const YAML::Node& s : list) sum += step(s);
        return sum;
    }

    std::int64_t step(const YAML::Node& s) const {
        if (s.IsScalar()) {
            REQUIRE(s.Scalar() == "resched");
            return 0;
        }
        if (s["when"] && !applies(s["when"].Scalar())) return 0;
        if (s["work"]) return duration(s["work"]);
        if (s["section"]) return s["hold"] ? duration(s["hold"]) : steps(s["body"]);
        if (s["call"]) return function(s["call"].Scalar());
        if (s["pool_get"]) return s["hit"] ? steps(s["hit"]) : 0;
        if (s["spawn"]) return function(s["spawn"]["via"].Scalar()) + function(s["spawn"]["run"].Scalar());
        if (s["start"] || s["signal"]) return wake_ps;
        if (s["repeat"]) return whole(s["repeat"]["n"]) * steps(s["repeat"]["do"]);
        // It sleeps, since its child has not run yet: once between two polls.
        if (s["await"]) return switch_ps + (s["await"]["poll"] ? 2 * steps(s["await"]["poll"]) : 0);
        if (s["exit"]) return switch_ps + function(s["exit"]["next_runs"].Scalar());
        for (const char* nothing :
             {"pool_put", "call_rcu", "atomic", "down_read", "up_read", "touch", "count", "resched", "join"}) {
            if (s[nothing]) return 0;
        }
        FAIL("what does this step cost: " << YAML::Dump(s));
        return 0;
    }
};

ChargedTimes::ChargedTimes(const std::string& kernel, const std::string& scenario) : nodes_(std::make_unique<Nodes>()) {
    const YAML::Node k = YAML::Load(kernel);
    const YAML::Node s = YAML::Load(scenario);
    nodes_->add_functions(k);
    nodes_->add_functions(s);
    nodes_->wake_ps = nodes_->duration(k["config"]["wake_cost"]);
    nodes_->switch_ps = nodes_->duration(k["config"]["context_switch"]);
    nodes_->turn = s["workload"][0]["forever"];
}

ChargedTimes::~ChargedTimes() = default;

std::int64_t ChargedTimes::turn_ps() const { return nodes_->steps(nodes_->turn); }

std::int64_t ChargedTimes::function_ps(const std::string& name) const { return nodes_->function(name); }

std::int64_t ChargedTimes::parse_ps(const std::string& text) {
    std::size_t end = 0;
    const double number = std::stod(text, &end);
    const std::string unit = text.substr(end);
    const double scale = unit == "ns" ? 1e3 : unit == "us" ? 1e6 : unit == "ms" ? 1e9 : unit == "s" ? 1e12 : 0;
    REQUIRE_MESSAGE(scale != 0, "a time without a unit: " << text);
    return static_cast<std::int64_t>(std::llround(number * scale));
}

}  // namespace forksim::test
