#include "scenarios/listing.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "platforms/library.hpp"
#include "scenarios/library_path.hpp"
#include "scenarios/load.hpp"

namespace forksim {

using namespace language;

namespace {

const char* name_of(Access access) {
    constexpr const char* names[] = {"read", "write", "peek", "store"};
    return names[static_cast<std::size_t>(access)];
}

std::string text_of(const std::vector<TouchItem>& touches) {
    std::string text;
    for (const TouchItem& touch : touches) {
        if (!text.empty()) text += ", ";
        text += touch.line + " ";
        if (touch.object) {
            text += table_of(touch.op).name;
            if (touch.whose == Whose::embryo) text += " embryo";
            if (touch.whose == Whose::handle) text += " @" + touch.handle;
            continue;
        }
        if (touch.count != 1) text += std::to_string(touch.count) + " ";
        text += name_of(touch.access);
        if (touch.whose == Whose::handle) text += " @" + touch.handle;
    }
    return text;
}

std::string text_of(const Condition& condition) {
    if (!condition.caller.empty()) return (condition.negated ? "not called_by " : "called_by ") + condition.caller;
    if (condition.value == "true") return (condition.negated ? "not config." : "config.") + condition.key;
    return "config." + condition.key + (condition.negated ? " != " : " == ") + condition.value;
}

std::string text_of(const ScopeSpec& scope) {
    constexpr const char* names[] = {"global", "process", "cpu", "node", "cpus: ", "task"};
    std::string text = names[static_cast<std::size_t>(scope.scope)];
    if (scope.scope == Scope::cpus) text += std::to_string(scope.every);
    return text;
}

/// Puts the value of an attribute where it is shown.
void show_value(const Attribute& attribute, ShownStep& shown) {
    if (const auto* duration = std::get_if<Duration>(&attribute.value)) {
        shown.value = to_text(*duration);
        shown.source = name_of(duration->source);
        if (duration->range) shown.range = to_text(duration->range->first) + ".." + to_text(duration->range->second);
    } else if (const auto* number = std::get_if<Number>(&attribute.value)) {
        shown.value = std::string(attribute.key->name) + " " + number_text(number->value);
        shown.source = name_of(number->source);
        if (number->range) shown.range = number_text(number->range->first) + ".." + number_text(number->range->second);
    } else if (const auto* touches = std::get_if<std::vector<TouchItem>>(&attribute.value)) {
        shown.touches = text_of(*touches);
    } else if (const auto* condition = std::get_if<Condition>(&attribute.value)) {
        shown.when = text_of(*condition);
    } else if (const auto* word = std::get_if<std::string>(&attribute.value)) {
        if (attribute.key->name == "mode") {
            shown.mode = *word;
            return;
        }
        if (!shown.lock.empty()) shown.lock += " ";
        if (attribute.key->free) shown.lock += attribute.label + " of ";
        if (attribute.key->inside && !attribute.key->free) shown.lock += std::string(attribute.key->name) + " ";
        shown.lock += *word;
    }
}

void show_steps(const std::vector<Step>& steps, int depth, const std::string& block, std::vector<ShownStep>& result) {
    bool first = true;
    for (const Step& step : steps) {
        ShownStep shown;
        shown.depth = depth;
        if (first && block != "body" && block != "do" && block != "forever") shown.block = block;
        first = false;
        shown.kind = step.kind->name();
        if (step.named) shown.name = step.name;
        shown.site = step.site;
        for (const Attribute& attribute : step.fields.list) show_value(attribute, shown);
        result.push_back(std::move(shown));
        for (const Block& inner : step.blocks) {
            show_steps(inner.steps, depth + 1, inner.label.empty() ? std::string(inner.key->name) : inner.label,
                       result);
        }
    }
}

std::string context_name(Context context, bool spawns) {
    switch (context) {
        case Context::task:
            return spawns ? "parent" : "task";
        case Context::child:
            return "child";
        case Context::at_switch:
            return "next task on the CPU";
        case Context::softirq:
            break;
    }
    return "softirq";
}

std::vector<ShownFunction> show_functions(const Compilation& compilation) {
    std::vector<ShownFunction> functions;
    const bool spawns = !compilation.compiled.program.spawns.empty();
    for (const Context context : {Context::task, Context::child, Context::at_switch, Context::softirq}) {
        const std::string name = context_name(context, spawns);
        for (const Visit& visit : compilation.visits) {
            if (visit.context != context) continue;
            const auto same = [&](const ShownFunction& f) { return f.context == name && f.name == visit.function; };
            auto it = std::find_if(functions.begin(), functions.end(), same);
            if (it == functions.end()) {
                functions.push_back({name, visit.function, {}, {}});
                it = std::prev(functions.end());
                show_steps(find_function(compilation.resolved.define, visit.function)->steps, 0, "", it->steps);
            }
            if (!visit.caller.empty()) it->callers.push_back(visit.caller);
        }
    }
    return functions;
}

std::string text_of(const Value& value) {
    if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
    if (const auto* word = std::get_if<std::string>(&value)) return *word;
    if (const auto* number = std::get_if<Number>(&value)) return number_text(number->value);
    if (const auto* duration = std::get_if<Duration>(&value)) return to_text(*duration);
    if (const auto* scope = std::get_if<ScopeSpec>(&value)) return text_of(*scope);
    return {};
}

template <class Spec>
void show_objects(const std::string& what, const std::vector<Spec>& used, const std::vector<Declared>& declared,
                  std::vector<ShownObject>& result) {
    for (const Spec& spec : used) {
        ShownObject object{what, spec.name, {}};
        const Fields& fields = find_declared(declared, spec.name)->fields;
        for (const Attribute& a : fields.list) object.keys.emplace_back(a.key->name, text_of(a.value));
        result.push_back(std::move(object));
    }
}

/// The first sentence of the comment that a file opens with.
std::string opening_sentence(const std::string& path) {
    std::ifstream file(path);
    std::string sentence;
    for (std::string line; std::getline(file, line) && !line.empty() && line[0] == '#';) {
        const std::size_t begin = line.find_first_not_of("# ");
        if (begin == std::string::npos) break;
        if (!sentence.empty()) sentence += ' ';
        sentence += line.substr(begin);
        const std::size_t stop = sentence.find(". ");
        if (stop != std::string::npos) return sentence.substr(0, stop);
        if (sentence.back() == '.') return sentence.substr(0, sentence.size() - 1);
    }
    return sentence;
}

std::vector<ListedFile> list_files(std::string_view part) {
    std::vector<ListedFile> files;
    for (const std::string& name : Library::shipped_names(part)) {
        const auto path = library_directory() / "scenarios" / part / (name + ".yaml");
        files.push_back({name, opening_sentence(path.string())});
    }
    return files;
}

}  // namespace

Listing show(const Request& request) {
    Diagnostics faults;
    Library library(faults);
    const Compilation compilation = compile_all(request, library, faults);
    const Compiled& compiled = compilation.compiled;
    Listing listing;
    listing.banner = compiled.banner;
    listing.measure = compiled.measure;
    listing.hash = compiled.hash;
    listing.notes = compiled.notes;
    for (const std::string& key : config_table().names()) {
        if (key != "src") listing.config.emplace_back(key, config_text(compilation.resolved.config, key));
    }
    listing.functions = show_functions(compilation);
    for (std::size_t i = 1; i < compiled.program.sites.size(); ++i) {
        const Site& site = compiled.program.sites[i];
        const std::string lock =
            site.resource < 0 ? "" : compiled.model.locks[static_cast<std::size_t>(site.resource)].name;
        listing.sites.push_back({site.name, site.caller, lock, site.mode});
    }
    const Definitions& define = compilation.resolved.define;
    show_objects("lock", compiled.model.locks, define.locks, listing.objects);
    show_objects("line", compiled.model.lines, define.lines, listing.objects);
    show_objects("object", compiled.model.objects, define.objects, listing.objects);
    show_objects("pool", compiled.model.pools, define.pools, listing.objects);
    return listing;
}

std::vector<ListedFile> list_scenarios() { return list_files(""); }
std::vector<ListedFile> list_kernels() { return list_files("kernels"); }
std::vector<ListedFile> list_patches() { return list_files("patches"); }

std::vector<std::string> list_platforms() {
    std::vector<std::string> names = shipped_platforms();
    names.emplace_back("uniform-N");
    return names;
}

}  // namespace forksim
