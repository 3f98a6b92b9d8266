#include "scenarios/address.hpp"

#include <algorithm>

#include "scenarios/resolve.hpp"
#include "scenarios/steps.hpp"

namespace forksim::language {
namespace {

/// A step without a name of its own that only groups others.
bool is_transparent(const Step& step) { return !step.named && !step.blocks.empty() && step.kind != &section_kind(); }

template <class Visit>
void for_each_place(Function& function, std::vector<Step>& list, const Visit& visit) {
    for (std::size_t i = 0; i < list.size(); ++i) {
        visit(Place{&function, &list, i});
        for (Block& block : list[i].blocks) for_each_place(function, block.steps, visit);
    }
}

/// The steps directly inside, seeing through groups without a name.
void children(const Place& place, std::vector<Place>& result) {
    for (Block& block : place.step().blocks) {
        for (std::size_t i = 0; i < block.steps.size(); ++i) {
            const Place child{place.function, &block.steps, i};
            result.push_back(child);
            if (is_transparent(child.step())) children(child, result);
        }
    }
}

/// Follows the parts of an address from `place` on.
void follow(const Place& place, const std::vector<std::string>& parts, std::size_t next, std::vector<Place>& found) {
    if (next == parts.size()) {
        found.push_back(place);
        return;
    }
    std::vector<Place> inside;
    children(place, inside);
    for (const Place& child : inside) {
        if (parts[next] == "*" || parts[next] == child.step().name) follow(child, parts, next + 1, found);
    }
}

/// The steps at an address without alternatives.
std::vector<Place> search(Definitions& define, const std::vector<std::string>& parts) {
    std::vector<Place> found;
    const bool bare = parts.size() == 1;
    const std::string& wanted = bare ? parts[0] : parts[1];
    for (Function& function : define.functions) {
        for_each_place(function, function.steps, [&](const Place& place) {
            const Step& step = place.step();
            const bool here = bare || function.name == parts[0];
            const bool matches = here ? step.name == wanted || wanted == "*" : step.site == parts[0] + "/" + wanted;
            if (matches) follow(place, parts, bare ? 1 : 2, found);
        });
    }
    return found;
}

/// Every way to take one of the alternatives in each part.
std::vector<std::vector<std::string>> expand(const std::vector<std::string>& parts) {
    std::vector<std::vector<std::string>> ways = {{}};
    for (const std::string& part : parts) {
        std::vector<std::vector<std::string>> longer;
        for (const std::vector<std::string>& way : ways) {
            for (const std::string& alternative : split(part, '|')) {
                longer.push_back(way);
                longer.back().push_back(alternative);
            }
        }
        ways = std::move(longer);
        if (ways.size() > 100) return {};
    }
    return ways;
}

bool finds(const Definitions& define, const std::vector<std::string>& parts) {
    Definitions copy = define;
    for (const std::vector<std::string>& way : expand(parts)) {
        if (!search(copy, way).empty()) return true;
    }
    return false;
}

/// Says that an address names nothing, and why: a patch took it away, or it is nearly another name.
void report_nothing(const Searched& where, const std::string& address, const std::vector<std::string>& parts,
                    const Mark& mark, Diagnostics& faults) {
    std::string message = shown(address) + " matches nothing in " + where.description;
    const auto taker = std::find_if(where.past.rbegin(), where.past.rend(),
                                    [&](const Before& before) { return finds(before.define, parts); });
    if (taker != where.past.rend()) {
        const std::string by = shown(taker->patch) + " has taken it away";
        faults.add(mark, message, where.patch.empty() ? by : by + " before " + shown(where.patch) + " could use it");
        return;
    }
    std::vector<std::string> known = step_addresses(where.define);
    std::string wanted = address;
    if (parts.size() == 1) {
        for (std::string& name : known) name = name.substr(name.rfind('/') + 1);
    } else if (find_function(where.define, parts[0]) == nullptr) {
        message = shown(address) + " matches nothing: no function " + shown(parts[0]) + " in " + where.description;
        known.clear();
        for (const Function& function : where.define.functions) known.push_back(function.name);
        wanted = parts[0];
    }
    const std::string near = nearest(wanted, known);
    faults.add(mark, message, near.empty() ? "" : "did you mean '" + near + "'?");
}

}  // namespace

std::vector<std::string> step_addresses(const Definitions& define) {
    std::vector<std::string> result;
    const auto collect = [&](const auto& self, const std::string& prefix, const std::vector<Step>& steps) -> void {
        for (const Step& step : steps) {
            const bool hidden = is_transparent(step);
            if (!hidden) result.push_back(prefix + "/" + step.name);
            for (const Block& block : step.blocks) {
                self(self, hidden ? prefix : prefix + "/" + step.name, block.steps);
            }
        }
    };
    for (const Function& function : define.functions) collect(collect, function.name, function.steps);
    return result;
}

std::vector<Place> find_steps(const Searched& where, const std::string& address, const Mark& mark,
                              Diagnostics& faults) {
    const std::vector<std::string> parts = split(address, '/');
    std::vector<Place> found;
    bool ambiguous = false;
    for (const std::vector<std::string>& way : expand(parts)) {
        const std::vector<Place> more = search(where.define, way);
        ambiguous = ambiguous || (!found.empty() && !more.empty());
        found.insert(found.end(), more.begin(), more.end());
    }
    if (found.empty()) {
        report_nothing(where, address, parts, mark, faults);
        return found;
    }
    if (ambiguous) {
        faults.add(mark, shown(address) + " is ambiguous: more than one of the alternatives exists");
        return {};
    }
    return found;
}

}  // namespace forksim::language
