#pragma once
#include "scenarios/library.hpp"
#include "scenarios/lowering.hpp"
#include "scenarios/resolve.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/worlds.hpp"

namespace forksim::language {

/// A scenario with its kernel, patches and settings applied.
struct Loaded {
    const ScenarioDocument* document = nullptr;
    Resolved resolved;
    std::vector<PlatformSetting> platform_settings;
};

/// Follows the names of the request and applies everything; faults are reported, and what could be done is done.
Loaded load(const Request& request, Library& library, Diagnostics& faults);

/// A kernel with its neighbours and edits applied; null if it cannot be found.
/// Sets the name of `resolved`, its definitions, config and rcu, in the world that it asks for.
bool load_kernel(const std::string& name, const Mark& mark, Library& library, Resolved& resolved, Diagnostics& faults);

/// Puts a patch on `resolved` and its name on `list`, which is one of those of `resolved`. A patch that is there
/// already or does not apply there is a fault at `mark`.
void apply_patch(const std::string& name, const Mark& mark, std::vector<std::string>& list, Library& library,
                 Resolved& resolved, Diagnostics& faults);
/// A patch that a scenario or an option asks for.
struct AskedPatch {
    std::string name;
    Mark mark;
    bool is_base = false;
};
/// In the order in which they are applied.
std::vector<AskedPatch> asked_patches(const Request& request, const ScenarioDocument& scenario);

/// `--set ADDRESS.KEY=VALUE` as an edit, or nothing after reporting a fault.
std::optional<Edit> edit_of_option(const std::string& text, Diagnostics& faults);

/// What a comparison asks for as an edit, or nothing after reporting a fault.
std::optional<Edit> edit_of(const AskedEdit& asked, Diagnostics& faults);

/// Applies to `config` what unconditional edits set in it.
void settle_config(const std::vector<Edit>& edits, Fields& config, Diagnostics& faults);

/// What a version of a kernel says of the configuration, itself and by its patches and edits.
void settle_version(const KernelDocument& kernel, Library& library, Fields& config, Diagnostics& faults);

/// What scenario, patches and options say of the configuration, in the end; see Resolved::conditions.
Fields settled_config(const Request& request, const ScenarioDocument& scenario, Library& library, Diagnostics& faults);

/// The machine of a request, booted; an empty topology after reporting faults.
Topology choose_platform(const Request& request, const Loaded& loaded, Library& library, Diagnostics& faults,
                         std::vector<std::string>& notes);

/// `beside`: the documents of its file, of which its scenario may be one. Reports where a published figure is not what
/// its scenario counts, or of another kernel or machine. Throws LanguageError if its scenario does not compile.
void check_published(const PublishedDocument& document, const DocumentSet& beside, Diagnostics& faults);

/// A place on the command line: faults there bear the option instead of a file.
Mark option_mark(const std::string& option);

/// A compiled scenario with what it was made from, for listings.
struct Compilation {
    Compiled compiled;
    Resolved resolved;
    std::vector<Visit> visits;
};
Compilation compile_all(const Request& request, Library& library, Diagnostics& faults);

/// The hash of a compiled scenario.
std::string hash_of(const Compiled& compiled);

}  // namespace forksim::language
