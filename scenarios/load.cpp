// From a request to a scenario with kernel, patches and settings applied.
#include "scenarios/load.hpp"

#include <algorithm>

namespace forksim::language {
namespace {

std::string description(const Resolved& resolved) {
    std::string text = "kernel " + resolved.kernel;
    for (const auto* list : {&resolved.base_patches, &resolved.patches}) {
        for (const std::string& patch : *list) text += " + " + patch;
    }
    return text;
}

bool contains(const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
}

Editable editable(Resolved& resolved, const std::string& patch = {}) {
    return {{resolved.define, description(resolved), patch, resolved.past},
            resolved.config,
            resolved.rcu,
            resolved.spin,
            resolved.conditions,
            {},
            &resolved.notes};
}

/// The entry of `applies_to:` that allows a patch here; null after a fault, which names what is in the way.
const PatchBase* base_of(const PatchDocument& patch, const Mark& mark, const Resolved& resolved, Diagnostics& faults) {
    const auto has = [&](const std::string& name) {
        return contains(resolved.kernel_patches, name) || contains(resolved.base_patches, name) ||
               contains(resolved.patches, name);
    };
    std::string kernels;
    std::string missing;
    for (const PatchBase& base : patch.applies_to) {
        if (kernels.find(base.kernel) == std::string::npos) kernels += (kernels.empty() ? "" : ", ") + base.kernel;
        if (base.kernel != resolved.family && base.kernel != resolved.kernel) continue;
        const auto lacking = std::find_if_not(base.patches.begin(), base.patches.end(), has);
        if (lacking == base.patches.end()) return &base;
        missing = *lacking;
    }
    const std::string subject = "the patch " + shown(patch.name) + " does not apply to " + description(resolved);
    if (missing.empty()) {
        faults.add(mark, subject, "it is for " + kernels);
    } else {
        faults.add(mark, subject, "it needs " + shown(missing) + " before it");
    }
    faults.mark_incomplete();
    return nullptr;
}

/// `resolved` is the kernel's neighbour, or empty.
void apply_kernel(const KernelDocument& kernel, Library& library, Resolved& resolved, Diagnostics& faults) {
    override_fields(resolved.config, kernel.config);
    override_fields(resolved.rcu, kernel.rcu);
    override_fields(resolved.spin, kernel.spin);
    add_definitions(resolved.define, kernel.define, kernel.like.empty() ? kernel.name : kernel.like, faults);
    add_definitions(resolved.define, kernel.add, kernel.like, faults);
    for (const auto& [patch, mark] : kernel.patches) {
        apply_patch(patch, mark, resolved.kernel_patches, library, resolved, faults);
    }
    resolved.kernel = kernel.name;
    resolved.unmodelled.insert(resolved.unmodelled.end(), kernel.unmodelled.begin(), kernel.unmodelled.end());
    const std::vector<std::string> shipped = Library::shipped_names("kernels");
    if (!contains(shipped, resolved.family) || contains(shipped, kernel.name)) resolved.family = kernel.name;
    Editable target = editable(resolved);
    target.notes = nullptr;
    apply_edits(target, kernel.edits, faults);
}

/// The tasks become functions, so that edits and settings reach their steps too.
void add_workload(const ScenarioDocument& scenario, Library& library, Resolved& resolved, Diagnostics& faults) {
    for (const TasksEntry& entry : scenario.workload) {
        TasksEntry own = entry;
        if (const Attribute* use = entry.fields.find("use"); use != nullptr) {
            const auto& what = std::get<std::string>(use->value);
            const std::size_t slash = what.rfind('/');
            if (slash == std::string::npos) {
                faults.add(use->mark, shown(what) + " names no tasks", "expected SCENARIO/TASKS");
                continue;
            }
            const ScenarioDocument* other = library.scenario(what.substr(0, slash), use->mark);
            if (other == nullptr) continue;
            const auto& list = other->workload;
            const auto it = std::find_if(list.begin(), list.end(), [&](const TasksEntry& e) {
                return e.function.name == what.substr(slash + 1);
            });
            if (it == list.end() || it->fields.find("use") != nullptr) {
                std::vector<std::string> known;
                for (const TasksEntry& e : list) known.push_back(e.function.name);
                faults.add(use->mark, "no tasks " + shown(what.substr(slash + 1)) + " in " + shown(other->name),
                           suggestion(what.substr(slash + 1), known));
                continue;
            }
            own.function.steps = it->function.steps;
            for (const Function& function : other->define.functions) {
                if (find_function(resolved.define, function.name) == nullptr) {
                    resolved.define.functions.push_back(function);
                }
            }
        }
        Definitions tasks;
        tasks.functions.push_back(own.function);
        add_definitions(resolved.define, tasks, "this scenario", faults);
        own.function.steps.clear();
        resolved.workload.push_back(std::move(own));
    }
}

void apply_settings(const std::vector<std::string>& sets, Loaded& loaded, Diagnostics& faults) {
    for (const std::string& text : sets) {
        if (const std::size_t equals = text.find('='); text.rfind("platform.", 0) == 0 && equals != std::string::npos) {
            loaded.platform_settings.push_back({text.substr(9, equals - 9), text.substr(equals + 1)});
            continue;
        }
        if (const std::optional<Edit> edit = edit_of_option(text, faults))
            apply_edits(editable(loaded.resolved), {*edit}, faults);
    }
}

}  // namespace

Mark option_mark(const std::string& option) { return {std::make_shared<const std::string>(option), 0, 0}; }

void apply_patch(const std::string& name, const Mark& mark, std::vector<std::string>& list, Library& library,
                 Resolved& resolved, Diagnostics& faults) {
    const PatchDocument* patch = library.patch(name, mark, resolved.mark);
    if (patch == nullptr) return;
    if (contains(resolved.kernel_patches, patch->name)) {
        faults.add(mark, "the kernel " + shown(resolved.kernel) + " has the patch " + shown(patch->name) + " already");
        return;
    }
    if (contains(resolved.base_patches, patch->name) || contains(resolved.patches, patch->name)) {
        faults.add(mark, "the patch " + shown(patch->name) + " is applied twice");
        return;
    }
    Editable target = editable(resolved, patch->name);
    if (!patch->applies_to.empty()) {
        const PatchBase* base = base_of(*patch, mark, resolved, faults);
        if (base == nullptr) return;
        target.stands_on = base->patches;
    }
    // What versions do where nobody looks needs no note.
    if (&list == &resolved.kernel_patches) target.notes = nullptr;
    Before before{patch->name, resolved.define};
    add_definitions(resolved.define, patch->add, description(resolved), faults);
    apply_edits(target, patch->edits, faults);
    resolved.past.push_back(std::move(before));
    list.push_back(patch->name);
}

bool load_kernel(const std::string& name, const Mark& mark, Library& library, Resolved& resolved, Diagnostics& faults) {
    if (name == "bare") {
        resolved.kernel = name;
        if (resolved.world) faults.add(mark, "the kernel bare has no worlds");
        return true;
    }
    std::vector<const KernelDocument*> chain;
    const KernelDocument* kernel = library.kernel(name, mark);
    while (kernel != nullptr) {
        if (std::find(chain.begin(), chain.end(), kernel) != chain.end()) {
            faults.add(kernel->like_mark, "kernels that are like each other in a circle");
            return false;
        }
        chain.push_back(kernel);
        if (kernel->like.empty()) break;
        kernel = library.kernel(kernel->like, kernel->like_mark);
    }
    if (kernel == nullptr) return false;
    std::reverse(chain.begin(), chain.end());
    Fields conditions;
    for (const KernelDocument* version : chain) settle_version(*version, library, conditions, faults);
    override_fields(conditions, resolved.conditions);
    resolved.conditions = std::move(conditions);
    for (const KernelDocument* version : chain) {
        apply_kernel(*version, library, resolved, faults);
        if (!version->worlds.empty() && !resolved.as_written) apply_world(*version, library, resolved, faults);
    }
    if (resolved.world && resolved.worlds == 0) faults.add(mark, "the kernel " + resolved.kernel + " has no worlds");
    return true;
}

Loaded load(const Request& request, Library& library, Diagnostics& faults) {
    Loaded loaded;
    loaded.document = library.scenario(request.scenario, {});
    if (loaded.document == nullptr) return loaded;
    const ScenarioDocument& scenario = *loaded.document;
    Resolved& resolved = loaded.resolved;
    resolved.scenario = scenario.name;
    resolved.mark = scenario.mark;
    resolved.config.table = &config_table();
    resolved.rcu.table = &rcu_table();
    resolved.spin.table = &spin_table();
    resolved.measure = scenario.measure;
    resolved.world = request.world;
    resolved.as_written = request.as_written;
    resolved.conditions = settled_config(request, scenario, library, faults);
    load_kernel(scenario.kernel, scenario.kernel_mark, library, resolved, faults);
    override_fields(resolved.config, scenario.config);
    override_fields(resolved.rcu, scenario.rcu);
    override_fields(resolved.spin, scenario.spin);
    add_definitions(resolved.define, scenario.define, "kernel " + resolved.kernel, faults);
    add_workload(scenario, library, resolved, faults);
    for (const AskedPatch& asked : asked_patches(request, scenario)) {
        std::vector<std::string>& list = asked.is_base ? resolved.base_patches : resolved.patches;
        apply_patch(asked.name, asked.mark, list, library, resolved, faults);
    }
    apply_settings(request.sets, loaded, faults);
    for (const AskedEdit& asked : request.edits) {
        if (const std::optional<Edit> edit = edit_of(asked, faults)) apply_edits(editable(resolved), {*edit}, faults);
    }
    declare_data_lines(resolved.define);
    if (faults.complete()) check_names(resolved.define, faults);
    return loaded;
}

}  // namespace forksim::language
