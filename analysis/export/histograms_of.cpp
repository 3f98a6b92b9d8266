#include <algorithm>
#include <set>

#include "analysis/export/histogram_text.hpp"
#include "scenarios/diagnostics.hpp"
#include "sim/error.hpp"

namespace forksim {
namespace {

/// Merges the waits and holds of the sites that `belongs` accepts.
template <class Belongs>
void add_sites(std::vector<NamedHistogram>& found, std::string_view name, const RunSubject& subject,
               const Record& record, Belongs belongs) {
    NamedHistogram wait{std::string(name), "wait", {}};
    NamedHistogram hold{std::string(name), "hold", {}};
    for (std::size_t i = 0; i < subject.program.sites.size(); ++i) {
        const Site& site = subject.program.sites[i];
        if (site.resource < 0 || !belongs(site)) continue;
        wait.histogram.merge(record.sites[i].wait);
        hold.histogram.merge(record.sites[i].hold);
    }
    found.push_back(std::move(wait));
    found.push_back(std::move(hold));
}

}  // namespace

std::vector<std::string> histogram_names(const Program& program, const ModelSpec& model) {
    std::set<std::string> names;
    for (const LockSpec& lock : model.locks) names.insert(lock.name);
    for (const Site& site : program.sites) {
        if (site.resource >= 0) names.insert(site.name);
    }
    names.insert(program.paths.begin(), program.paths.end());
    return {names.begin(), names.end()};
}

std::vector<NamedHistogram> histograms_of(std::string_view name, const RunSubject& subject, const Record& record) {
    std::vector<NamedHistogram> found;
    const auto& locks = subject.model.locks;
    if (const auto lock = std::ranges::find(locks, name, &LockSpec::name); lock != locks.end()) {
        const auto index = static_cast<std::int32_t>(lock - locks.begin());
        add_sites(found, name, subject, record, [&](const Site& site) { return site.resource == index; });
    }
    const auto& sites = subject.program.sites;
    const auto is_site = [&](const Site& site) { return site.resource >= 0 && site.name == name; };
    if (std::ranges::any_of(sites, is_site)) add_sites(found, name, subject, record, is_site);
    for (std::size_t i = 0; i < subject.program.paths.size(); ++i) {
        if (subject.program.paths[i] == name) found.push_back({std::string(name), "latency", record.paths[i]});
    }
    if (!found.empty()) return found;
    throw unknown_histogram(name, histogram_names(subject.program, subject.model));
}

InputError unknown_histogram(std::string_view name, const std::vector<std::string>& known) {
    const std::string hint = suggestion(name, known);
    return InputError("--histogram: no lock, site or path is called " + shown(name) +
                      (hint.empty() ? "" : " (" + hint + ")"));
}

}  // namespace forksim
