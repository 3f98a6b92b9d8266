// Which patches are asked for, and the configuration that they will find.
#include "scenarios/load.hpp"

namespace forksim::language {

std::vector<AskedPatch> asked_patches(const Request& request, const ScenarioDocument& scenario) {
    std::vector<AskedPatch> asked;
    for (const auto& [name, mark] : scenario.patches) asked.push_back({name, mark, true});
    for (const std::string& name : request.base_patches) {
        asked.push_back({name, option_mark("--base-patch " + name), true});
    }
    for (const std::string& name : request.patches) asked.push_back({name, option_mark("--patch " + name), false});
    return asked;
}

std::optional<Edit> edit_of_option(const std::string& text, Diagnostics& faults) {
    const std::string option = "--set " + text;
    const Mark mark = option_mark(option);
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
        faults.add(mark, "expected ADDRESS.KEY=VALUE");
        return {};
    }
    const std::size_t before = faults.size();
    Edit edit;
    edit.verb = Edit::Verb::set;
    edit.mark = mark;
    Node value = parse_value(text.substr(equals + 1), option, faults);
    if (faults.size() != before) return {};
    edit.settings.push_back({text.substr(0, equals), mark, std::move(value)});
    return edit;
}

std::optional<Edit> edit_of(const AskedEdit& asked, Diagnostics& faults) {
    const bool scales = asked.verb == AskedEdit::Verb::scale;
    const std::string option = (scales ? "--scale " : "--remove ") + asked.text;
    Edit edit;
    edit.mark = edit.address_mark = option_mark(option);
    edit.address = asked.text;
    edit.verb = asked.verb == AskedEdit::Verb::unwrap ? Edit::Verb::unwrap : Edit::Verb::remove;
    if (!scales) return edit;
    edit.verb = Edit::Verb::scale;
    const std::size_t equals = asked.text.rfind('=');
    double factor = 0;
    if (equals != std::string::npos && equals != 0) {
        const std::size_t before = faults.size();
        const Node value = parse_value(asked.text.substr(equals + 1), option, faults);
        if (faults.size() != before) return {};
        Reading reading{faults, {}, Source::none};
        const auto read = read_value(reading, factor_key(), value);
        if (!read) return {};
        factor = std::get<Number>(*read).value;
        edit.factors.push_back({asked.text.substr(0, equals), edit.mark, factor});
        return edit;
    }
    faults.add(edit.mark, "expected SITE=FACTOR");
    return {};
}

void settle_config(const std::vector<Edit>& edits, Fields& config, Diagnostics& faults) {
    Definitions none;
    const std::vector<Before> past;
    Fields unused;
    for (const Edit& edit : edits) {
        if (edit.verb != Edit::Verb::set || edit.when) continue;
        Edit settings = edit;
        settings.settings.clear();
        for (const Setting& setting : edit.settings) {
            if (setting.address.rfind("config.", 0) == 0) settings.settings.push_back(setting);
        }
        apply_edits({{none, {}, {}, past}, config, unused, unused, config, {}}, {settings}, faults);
    }
}

void settle_version(const KernelDocument& kernel, Library& library, Fields& config, Diagnostics& faults) {
    override_fields(config, kernel.config);
    for (const auto& [name, mark] : kernel.patches) {
        if (const PatchDocument* patch = library.patch(name, mark)) settle_config(patch->edits, config, faults);
    }
    settle_config(kernel.edits, config, faults);
}

Fields settled_config(const Request& request, const ScenarioDocument& scenario, Library& library, Diagnostics& faults) {
    Fields config = scenario.config;
    for (const AskedPatch& asked : asked_patches(request, scenario)) {
        const PatchDocument* patch = library.patch(asked.name, asked.mark, scenario.mark);
        if (patch != nullptr) settle_config(patch->edits, config, faults);
    }
    for (const std::string& text : request.sets) {
        if (text.rfind("config.", 0) != 0) continue;
        if (const std::optional<Edit> edit = edit_of_option(text, faults)) settle_config({*edit}, config, faults);
    }
    return config;
}

}  // namespace forksim::language
