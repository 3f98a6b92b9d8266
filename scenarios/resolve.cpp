#include "scenarios/resolve.hpp"

#include <algorithm>
#include <set>

#include "scenarios/reader.hpp"
#include "scenarios/steps.hpp"

namespace forksim::language {
namespace {

template <class T>
void add_named(std::vector<T>& to, const std::vector<T>& more, std::string_view what, const std::string& owner,
               Diagnostics& faults) {
    std::set<std::string> names;
    for (const T& one : to) names.insert(one.name);
    for (const T& one : more) {
        if (!names.insert(one.name).second) {
            faults.add(one.mark, "the " + std::string(what) + " " + shown(one.name) + " exists already in " + owner);
            continue;
        }
        to.push_back(one);
    }
}

/// Calls `visit` for every step, outer ones first.
template <class Visit>
void for_each_step(const std::vector<Step>& steps, const Visit& visit) {
    for (const Step& step : steps) {
        visit(step);
        for (const Block& block : step.blocks) for_each_step(block.steps, visit);
    }
}

Source source_of(const Value& value) {
    if (const auto* duration = std::get_if<Duration>(&value)) return duration->source;
    if (const auto* number = std::get_if<Number>(&value)) return number->source;
    return Source::estimated;
}

}  // namespace

void add_definitions(Definitions& to, const Definitions& more, const std::string& owner, Diagnostics& faults) {
    add_named(to.locks, more.locks, "lock", owner, faults);
    add_named(to.lines, more.lines, "line", owner, faults);
    add_named(to.objects, more.objects, "object", owner, faults);
    add_named(to.pools, more.pools, "pool", owner, faults);
    add_named(to.functions, more.functions, "function", owner, faults);
}

void declare_data_lines(Definitions& define) {
    for (const Function& function : define.functions) {
        for_each_step(function.steps, [&](const Step& step) {
            const auto* touches = step.fields.get<std::vector<TouchItem>>("touch");
            if (touches == nullptr) return;
            for (const TouchItem& touch : *touches) {
                const std::size_t at = touch.line.find(".data.");
                const Declared* lock =
                    at == std::string::npos ? nullptr : find_declared(define.locks, touch.line.substr(0, at));
                if (lock == nullptr || find_declared(define.lines, touch.line) != nullptr) continue;
                Declared line{touch.line, touch.mark, {}};
                line.fields.table = &line_table();
                if (const Attribute* per = lock->fields.find("per"); per != nullptr) {
                    line.fields.list.push_back({line_table().find("per"), per->mark, {}, per->mark, per->value});
                }
                define.lines.push_back(std::move(line));
            }
        });
    }
}

void check_sources(const Fields& fields, Diagnostics& faults) {
    for (const Attribute& attribute : fields.list) {
        if (attribute.key->is_option || source_of(attribute.value) != Source::none) continue;
        faults.add(attribute.mark, "the number of " + shown(attribute.key->name) + " has no source",
                   "the library says of every number: src: counted, published or estimated");
    }
}

void check_sources(const std::vector<Step>& steps, Diagnostics& faults) {
    for_each_step(steps, [&](const Step& step) { check_sources(step.fields, faults); });
}

void check_sources(const Definitions& define, Diagnostics& faults) {
    for (const auto* list : {&define.locks, &define.lines, &define.objects, &define.pools}) {
        for (const Declared& declared : *list) check_sources(declared.fields, faults);
    }
    for (const Function& function : define.functions) check_sources(function.steps, faults);
}

void override_fields(Fields& base, const Fields& over) {
    if (base.table == nullptr) base.table = over.table;
    for (const Attribute& attribute : over.list) base.put(attribute);
}

std::string config_text(const Fields& config, std::string_view key) {
    const Attribute* attribute = config.find(key);
    if (attribute == nullptr) return std::string(config_table().find(key)->fallback);
    const Value& value = attribute->value;
    if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
    if (const auto* word = std::get_if<std::string>(&value)) return *word;
    if (const auto* number = std::get_if<Number>(&value)) return number_text(number->value);
    if (const auto* duration = std::get_if<Duration>(&value)) return to_text(*duration);
    return {};
}

bool holds(const Condition& condition, const Fields& config) {
    return (config_text(config, condition.key) == condition.value) != condition.negated;
}

void check_lock_key(const Fields& lock, const Attribute& attribute, Diagnostics& faults) {
    const std::string name = lock.word("kind");
    const auto kinds = lock_kinds();
    const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const LockKindTable& k) { return k.name == name; });
    if (kind == kinds.end() || lock_takes(*kind, attribute.key->name)) return;
    std::string takes;
    for (const std::string& key : lock_table().names()) {
        if (lock_takes(*kind, key)) takes += (takes.empty() ? "it takes " : ", ") + key;
    }
    faults.add(attribute.label_mark, shown(attribute.key->name) + " does not belong to a lock of kind " + shown(name),
               takes);
}

const Function* find_function(const Definitions& define, std::string_view name) {
    const auto& list = define.functions;
    const auto it = std::find_if(list.begin(), list.end(), [&](const Function& f) { return f.name == name; });
    return it == list.end() ? nullptr : &*it;
}

Function* find_function(Definitions& define, std::string_view name) {
    return const_cast<Function*>(find_function(std::as_const(define), name));
}

const Declared* find_declared(const std::vector<Declared>& list, std::string_view name) {
    const auto it = std::find_if(list.begin(), list.end(), [&](const Declared& d) { return d.name == name; });
    return it == list.end() ? nullptr : &*it;
}

std::vector<std::string> names_of(const std::vector<Declared>& list) {
    std::vector<std::string> names;
    for (const Declared& one : list) names.push_back(one.name);
    return names;
}

std::vector<std::string> names_of(const std::vector<Function>& list) {
    std::vector<std::string> names;
    for (const Function& one : list) {
        if (!one.is_task) names.push_back(one.name);
    }
    return names;
}

}  // namespace forksim::language
