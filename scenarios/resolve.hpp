#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platforms/settings.hpp"
#include "scenarios/address.hpp"
#include "scenarios/ast.hpp"

namespace forksim::language {

/// A setting of one machine that a world has an opinion of: the kind of lock of a guest, say.
struct MachineSetting {
    std::string machine;
    PlatformSetting setting;
};

/// A scenario with everything applied to it: kernel, patches, settings. Names may still be wrong; see lowering.
struct Resolved {
    std::string scenario;
    Mark mark;  ///< of the scenario
    std::string kernel;
    std::string family;                       ///< the library's kernel that it is or is made from, else `kernel`
    std::vector<std::string> kernel_patches;  ///< those that the kernel is made with
    std::vector<std::string> unmodelled;      ///< what the kernel's file knows that it lacks
    std::vector<std::string> base_patches;    ///< the scenario's own and the request's
    std::vector<std::string> patches;
    std::vector<Before> past;            ///< one for each of these patches, in the order in which they were applied
    std::optional<std::uint32_t> world;  ///< the one asked for; absent: 0 if there is one
    bool as_written = false;             ///< in no world
    std::uint32_t worlds = 0;            ///< how many there are; 0: the kernel has no table of them
    std::vector<MachineSetting> machine_settings;  ///< of the world; those of other machines have no effect
    Fields config;
    Fields rcu;
    Fields spin;
    /// The configuration that `when:` of edits looks at: with all that kernel, scenario, patches and settings say of
    /// it, whatever the order in which they come.
    Fields conditions;
    Fields measure;
    Definitions define;                ///< kernel's, patches' and scenario's; functions include the tasks
    std::vector<TasksEntry> workload;  ///< without steps: those are in `define.functions`
    std::vector<std::string> notes;    ///< what an edit with a bare STEP reached
};

/// Where an edit may reach: what `define` and `config`, `rcu`, `spin` of a Resolved are made of.
struct Editable {
    Searched where;  ///< names the patch that edits
    Fields& config;
    Fields& rcu;
    Fields& spin;
    const Fields& conditions;                   ///< configuration that decides about edits with `when`
    std::vector<std::string> stands_on;         ///< patches that it says it is put on
    std::vector<std::string>* notes = nullptr;  ///< null: nobody needs to know what a bare STEP reached
};

/// Applies the edits in order; reports each that matches nothing or cannot be done, and goes on with the next.
void apply_edits(const Editable& editable, const std::vector<Edit>& edits, Diagnostics& faults);

/// Adds declarations; a name that is there already is a fault.
void add_definitions(Definitions& to, const Definitions& more, const std::string& owner, Diagnostics& faults);

/// Lines for every `lines: N` of a section (see data_line).
void declare_data_lines(Definitions& define);

/// Reports numbers without a source, which the library does not allow itself.
void check_sources(const Fields& fields, Diagnostics& faults);
void check_sources(const Definitions& define, Diagnostics& faults);
void check_sources(const std::vector<Step>& steps, Diagnostics& faults);

/// Reports every name of a lock, line, object, pool, function or signal that nothing bears, reached or not.
void check_names(const Definitions& define, Diagnostics& faults);
/// Reports objects with keys of another kind, without numbers, on lines of another scope, or named like a line.
void check_objects(const Definitions& define, Diagnostics& faults);
/// Reports what is no line or object, and an operation that its object does not have.
void check_touch(const Definitions& define, const TouchItem& touch, Diagnostics& faults);

/// Replaces values of `base` by those of `over`.
void override_fields(Fields& base, const Fields& over);

/// Reports a key of a lock that its kind does not take.
void check_lock_key(const Fields& lock, const Attribute& attribute, Diagnostics& faults);

/// Whether a condition holds of a configuration.
bool holds(const Condition& condition, const Fields& config);

/// The value of a configuration key as text, its fallback if it is not set.
std::string config_text(const Fields& config, std::string_view key);

/// Finds by name; null if there is none.
Function* find_function(Definitions& define, std::string_view name);
const Function* find_function(const Definitions& define, std::string_view name);
const Declared* find_declared(const std::vector<Declared>& list, std::string_view name);
std::vector<std::string> names_of(const std::vector<Declared>& list);
std::vector<std::string> names_of(const std::vector<Function>& list);

}  // namespace forksim::language
