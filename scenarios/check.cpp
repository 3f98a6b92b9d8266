// Checks documents of every kind.
#include <algorithm>

#include "scenarios/listing.hpp"
#include "scenarios/load.hpp"

namespace forksim {

using namespace language;

namespace {

bool is_shipped(std::string_view part, const std::string& name) {
    const std::vector<std::string> names = Library::shipped_names(part);
    return std::find(names.begin(), names.end(), name) != names.end();
}

void check_kernel(const std::string& name, const Mark& mark, Library& library, Diagnostics& faults) {
    Resolved resolved;
    load_kernel(name, mark, library, resolved, faults);
    declare_data_lines(resolved.define);
    if (faults.complete()) check_names(resolved.define, faults);
}

/// Puts a patch on everything that it says it applies to; `mark` stands in its file, or is empty for one of the
/// library.
void check_patch(const PatchDocument& patch, const Mark& mark, Library& library, Diagnostics& faults) {
    for (const PatchBase& base : patch.applies_to) {
        Resolved resolved;
        if (!load_kernel(base.kernel, base.mark, library, resolved, faults)) continue;
        for (const std::string& below : base.patches) {
            apply_patch(below, base.mark, resolved.base_patches, library, resolved, faults);
        }
        apply_patch(patch.name, mark, resolved.patches, library, resolved, faults);
        declare_data_lines(resolved.define);
        if (faults.complete()) check_names(resolved.define, faults);
    }
}

/// Compiles one scenario; its faults are added to those of the others.
void check_scenario(Request request, const std::string& name, Diagnostics& faults) {
    request.scenario = name;
    try {
        compile(request);
    } catch (const LanguageError& error) {
        for (const Diagnostic& one : error.diagnostics) {
            const auto file = std::make_shared<const std::string>(one.file);
            faults.add({file, one.line, one.column}, one.message, one.hint);
        }
    }
}

}  // namespace

std::vector<std::string> check(const Request& request) {
    Diagnostics faults;
    Library library(faults);
    const std::string& name = request.scenario;
    std::vector<std::string> good;
    const bool scenario = is_shipped("", name) || name.find('#') != std::string::npos;
    const std::string path = scenario ? "" : Library::existing_path(name, {});
    if (!scenario && is_shipped("kernels", name)) {
        check_kernel(name, {}, library, faults);
        good.push_back("kernel " + name);
    } else if (!scenario && is_shipped("patches", name)) {
        if (const PatchDocument* patch = library.patch(name, {})) check_patch(*patch, {}, library, faults);
        good.push_back("patch " + name);
    } else if (!scenario && is_shipped("worlds", name)) {
        library.worlds(name, {});
        good.push_back("worlds " + name);
    } else if (!scenario && is_shipped("published", name)) {
        if (const PublishedDocument* published = library.published(name, {})) check_published(*published, {}, faults);
        good.push_back("published " + name);
    } else if (!path.empty()) {
        const DocumentSet& set = library.file(path);
        const Mark inside{std::make_shared<const std::string>(path), 1, 1};
        for (const KernelDocument& kernel : set.kernels) {
            check_kernel(kernel.name, inside, library, faults);
            good.push_back("kernel " + kernel.name);
        }
        for (const PatchDocument& patch : set.patches) {
            check_patch(patch, inside, library, faults);
            good.push_back("patch " + patch.name);
        }
        for (const WorldsDocument& worlds : set.worlds) good.push_back("worlds " + worlds.name);
        for (const PublishedDocument& published : set.published) {
            if (faults.empty()) check_published(published, set, faults);
            good.push_back("published " + published.name);
        }
        for (const PlatformDocument& platform : set.platforms) good.push_back("platform " + platform.name);
        for (const ScenarioDocument& one : set.scenarios) {
            check_scenario(request, path + "#" + one.name, faults);
            good.push_back("scenario " + one.name);
        }
    } else {
        check_scenario(request, name, faults);
        good.push_back("scenario " + name);
    }
    faults.throw_if_any();
    return good;
}

}  // namespace forksim
