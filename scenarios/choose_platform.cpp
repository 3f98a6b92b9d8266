// The machine of a scenario: which one, built or found how, with how many CPUs online.
#include <algorithm>

#include "platforms/library.hpp"
#include "platforms/machine.hpp"
#include "scenarios/library_path.hpp"
#include "scenarios/load.hpp"

namespace forksim::language {
namespace {

/// EventTree (sim/event_tree.hpp) has room for so many.
constexpr std::uint32_t max_simulated_cpus = 1024;

/// The machine that a map describes.
Topology of_map(const Fields& fields) {
    if (fields.find("uniform") != nullptr) {
        const auto* distance = fields.get<Duration>("distance");
        return uniform(static_cast<std::uint32_t>(fields.number("uniform", 1)),
                       distance != nullptr ? to_time(distance->a, Time::from_ms(1)) : Time::from_ns(50));
    }
    PlatformShape shape;
    shape.name = fields.word("platform");
    const auto whole = [&](std::string_view key, std::uint32_t fallback) {
        return static_cast<std::uint32_t>(fields.number(key, fallback));
    };
    shape.sockets = whole("sockets", 1);
    shape.cores = whole("cores", 1);
    shape.smt = whole("smt", 1);
    shape.llcs = whole("llcs", 0);
    shape.like = fields.word("like");
    if (fields.word("numbering") == "siblings_adjacent") shape.numbering = Numbering::siblings_adjacent;
    const std::string virt = fields.word("virt", "none");
    shape.virt = virt == "pv" ? Virt::pv : virt == "tas" ? Virt::tas : Virt::none;
    return topology_of_shape(shape);
}

Topology find_machine(const PlatformChoice& choice, Library& library, Diagnostics& faults) {
    if (choice.shape) return of_map(*choice.shape);
    if (const PlatformDocument* own = library.platform(choice.name, choice.mark); own != nullptr) {
        return of_map(own->shape);
    }
    if (auto known = find_platform(choice.name, converted_platforms_directory())) return *known;
    if (const std::string path = Library::existing_path(choice.name, choice.mark); !path.empty()) {
        return load_platform_file(path, helper_executable());
    }
    std::vector<std::string> names = shipped_platforms();
    names.emplace_back("uniform-N");
    faults.add(choice.mark, "unknown platform " + shown(choice.name), suggestion(choice.name, names));
    return {};
}

/// The machine for `cpus`, or for as many as the first one has.
const PlatformChoice* for_cpus(const Request& request, const ScenarioDocument& scenario, Diagnostics& faults) {
    const std::vector<PlatformChoice>& choices = scenario.platforms;
    if (choices.empty()) return nullptr;
    if (!request.cpus || !scenario.by_range) return &choices.front();
    const auto fits = [&](const PlatformChoice& c) { return c.low <= *request.cpus && *request.cpus <= c.high; };
    const auto it = std::find_if(choices.begin(), choices.end(), fits);
    if (it != choices.end()) return &*it;
    std::string ranges;
    for (const PlatformChoice& c : choices) {
        ranges += (ranges.empty() ? "" : ", ") + std::to_string(c.low) + ".." + std::to_string(c.high);
    }
    faults.add(choices.front().mark, "no machine for " + std::to_string(*request.cpus) + " CPUs", "known: " + ranges);
    return nullptr;
}

/// What the world says of this machine.
std::vector<PlatformSetting> settings_of_world(const Loaded& loaded, const std::string& machine) {
    std::vector<PlatformSetting> settings;
    for (const MachineSetting& one : loaded.resolved.machine_settings) {
        if (one.machine == machine) settings.push_back(one.setting);
    }
    return settings;
}

}  // namespace

Topology choose_platform(const Request& request, const Loaded& loaded, Library& library, Diagnostics& faults,
                         std::vector<std::string>& notes) {
    PlatformChoice asked;
    const PlatformChoice* choice = nullptr;
    if (request.platform) {
        asked.name = *request.platform;
        asked.mark = option_mark("--platform " + asked.name);
        choice = &asked;
    } else {
        choice = for_cpus(request, *loaded.document, faults);
    }
    if (choice == nullptr) return {};
    try {
        Topology machine = find_machine(*choice, library, faults);
        if (machine.cpus.empty()) return {};
        apply_platform_settings(machine, settings_of_world(loaded, machine.name));
        for (const std::string& key : apply_platform_settings(machine, loaded.platform_settings)) {
            notes.push_back("platform." + key + " has no effect on " + machine.name);
        }
        std::uint32_t cpus = machine.cpu_count();
        if (!request.cpus && !request.platform && loaded.document->by_range) cpus = std::min(cpus, choice->high);
        if (request.cpus) cpus = *request.cpus;
        if (cpus == 0 || cpus > machine.cpu_count()) {
            faults.add(choice->mark, std::to_string(cpus) + " CPUs asked for; " + machine.name + " has " +
                                         std::to_string(machine.cpu_count()));
            return {};
        }
        if (cpus > max_simulated_cpus) {
            faults.add(choice->mark, std::to_string(cpus) + " CPUs are more than can be simulated",
                       "at most " + std::to_string(max_simulated_cpus) + "; --cpus boots fewer");
            return {};
        }
        return boot(machine, cpus);
    } catch (const LanguageError&) {
        throw;
    } catch (const InputError& error) {
        faults.add(choice->mark, error.what());
        return {};
    }
}

}  // namespace forksim::language
