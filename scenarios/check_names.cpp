// Names that nothing bears, wherever they stand, reached or not.
#include <algorithm>
#include <set>

#include "scenarios/resolve.hpp"
#include "scenarios/steps.hpp"

namespace forksim::language {
namespace {

struct Known {
    const Definitions& define;
    std::vector<std::string> locks, lines, pools, functions, signals;
};

void collect_signals(const std::vector<Step>& steps, std::vector<std::string>& signals) {
    for (const Step& step : steps) {
        if (step.kind == &signal_kind()) signals.push_back(step.fields.word("signal"));
        for (const Block& block : step.blocks) collect_signals(block.steps, signals);
    }
}

void check_name(const std::vector<std::string>& known, std::string_view what, const std::string& name, const Mark& mark,
                Diagnostics& faults) {
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    faults.add(mark, "unknown " + std::string(what) + " " + shown(name), suggestion(name, known));
    if (what == "function") faults.mark_incomplete();
}

void check_attribute(const Known& known, const Attribute& attribute, Diagnostics& faults) {
    if (const auto* touches = std::get_if<std::vector<TouchItem>>(&attribute.value); touches != nullptr) {
        for (const TouchItem& touch : *touches) check_touch(known.define, touch, faults);
    }
    if (const auto* when = std::get_if<Condition>(&attribute.value); when != nullptr && !when->caller.empty()) {
        check_name(known.functions, "function", when->caller, attribute.mark, faults);
    }
    const auto* name = std::get_if<std::string>(&attribute.value);
    if (name == nullptr) return;
    switch (attribute.key->type) {
        case Type::lock:
            return check_name(known.locks, "lock", owned(*name).name, attribute.mark, faults);
        case Type::line:
            return check_name(known.lines, "line", *name, attribute.mark, faults);
        case Type::pool:
            return check_name(known.pools, "pool", *name, attribute.mark, faults);
        case Type::function:
            return check_name(known.functions, "function", *name, attribute.mark, faults);
        case Type::handle:
            if (!attribute.key->free) return;
            if (std::find(known.signals.begin(), known.signals.end(), attribute.label) != known.signals.end()) return;
            return faults.add(attribute.label_mark, "nothing signals " + shown(attribute.label),
                              suggestion(attribute.label, known.signals));
        default:
            return;
    }
}

void check_steps(const Known& known, const std::vector<Step>& steps, Diagnostics& faults) {
    for (const Step& step : steps) {
        for (const Attribute& attribute : step.fields.list) check_attribute(known, attribute, faults);
        for (const Block& block : step.blocks) check_steps(known, block.steps, faults);
    }
}

}  // namespace

void check_names(const Definitions& define, Diagnostics& faults) {
    Known known{
        define, names_of(define.locks), names_of(define.lines), names_of(define.pools), names_of(define.functions), {}};
    for (const Function& function : define.functions) collect_signals(function.steps, known.signals);
    for (const Declared& lock : define.locks) {
        const Attribute* line = lock.fields.find("line");
        if (line == nullptr || lock.fields.word("line") == "own") continue;
        check_name(known.lines, "line", lock.fields.word("line"), line->mark, faults);
    }
    check_objects(define, faults);
    for (const Declared& lock : define.locks) {
        const Attribute* guard = lock.fields.find("under");
        if (guard != nullptr) check_name(known.locks, "lock", lock.fields.word("under"), guard->mark, faults);
    }
    for (const Function& function : define.functions) check_steps(known, function.steps, faults);
}

}  // namespace forksim::language
