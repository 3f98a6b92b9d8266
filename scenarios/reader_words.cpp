// Reads values that are words, or small notations of words.
#include <algorithm>
#include <cmath>

#include "scenarios/value_readers.hpp"

namespace forksim::language {
namespace {

/// "0-47" or "96" or several of them with commas; appends to `cpus`.
bool read_cpu_list(const std::string& text, std::vector<std::pair<std::uint32_t, std::uint32_t>>& cpus) {
    for (const std::string& part : split(text, ',')) {
        const std::vector<std::string> ends = split(part, '-');
        const auto is_number = [](const std::string& s) {
            return !s.empty() && s.size() <= 6 && s.find_first_not_of("0123456789") == std::string::npos;
        };
        if (ends.size() > 2 || !std::all_of(ends.begin(), ends.end(), is_number)) return false;
        const auto first = static_cast<std::uint32_t>(std::stoul(ends.front()));
        const auto last = static_cast<std::uint32_t>(std::stoul(ends.back()));
        if (last < first) return false;
        cpus.emplace_back(first, last);
    }
    return true;
}

}  // namespace

std::optional<std::string> read_choice(Reading& reading, const Key& key, const Node& node) {
    const std::vector<std::string> words = split(key.choices, '|');
    if (is_plain(node) && std::find(words.begin(), words.end(), node.text) != words.end()) return node.text;
    const std::string near = is_plain(node) ? nearest(node.text, words) : "";
    const std::string hint = near.empty() ? "" : "; did you mean '" + near + "'?";
    reading.faults.add(node.mark, what_it_is(node) + " is no value of " + shown(key.name),
                       "expected " + expectation(key) + hint);
    return {};
}

std::optional<bool> read_boolean(Reading& reading, const Key& key, const Node& node) {
    if (is_plain(node) && (node.text == "true" || node.text == "false")) return node.text == "true";
    wrong_value(reading, key, node);
    return {};
}

std::optional<std::vector<std::string>> read_words(Reading& reading, const Key& key, const Node& node) {
    std::vector<std::string> words;
    if (is_plain(node)) return std::vector<std::string>{node.text};
    if (node.kind != Node::Kind::list) {
        wrong_value(reading, key, node);
        return {};
    }
    for (const Node& item : node.items) {
        if (is_plain(item)) {
            words.push_back(item.text);
        } else {
            wrong_value(reading, key, item);
        }
    }
    return words;
}

std::optional<Condition> read_condition(Reading& reading, const Key& key, const Node& node) {
    Condition condition;
    std::string text = is_plain(node) ? node.text : "";
    if (text.rfind("not ", 0) == 0) {
        condition.negated = true;
        text = text.substr(4);
    }
    if (text.rfind("called_by ", 0) == 0 && is_word(text.substr(10))) {
        condition.caller = text.substr(10);
        return condition;
    }
    for (const std::string comparison : {"==", "!="}) {
        const std::size_t at = text.find(" " + comparison + " ");
        if (at == std::string::npos || condition.negated) continue;
        condition.negated = comparison == "!=";
        condition.value = text.substr(at + 4);
        text = text.substr(0, at);
    }
    if (text.rfind("config.", 0) != 0 || text.find(' ') != std::string::npos) {
        wrong_value(reading, key, node);
        return {};
    }
    condition.key = text.substr(7);
    if (config_table().find(condition.key) == nullptr) {
        reading.faults.add(node.mark, "unknown configuration " + shown(condition.key),
                           suggestion(condition.key, config_table().names()));
        return {};
    }
    return condition;
}

std::optional<ScopeSpec> read_scope(Reading& reading, const Key& key, const Node& node) {
    if (node.kind == Node::Kind::map && node.items.size() == 1 && node.items.front().key == "cpus") {
        const Key every{"cpus", Type::integer, "", true, {}, {}, 1, 4096};
        const std::optional<double> n = read_plain(reading, every, node.items.front());
        if (!n) return {};
        return ScopeSpec{Scope::cpus, static_cast<std::uint32_t>(*n)};
    }
    // One user and one cgroup so far: what belongs to them is global.
    const std::vector<std::pair<std::string, Scope>> words = {
        {"global", Scope::global}, {"process", Scope::process}, {"cpu", Scope::cpu},      {"node", Scope::node},
        {"task", Scope::task},     {"uid", Scope::global},      {"cgroup", Scope::global}};
    const auto it = std::find_if(words.begin(), words.end(), [&](const auto& w) { return w.first == node.text; });
    if (is_plain(node) && it != words.end()) return ScopeSpec{it->second, 1};
    wrong_value(reading, key, node);
    return {};
}

std::optional<Affinity> read_affinity(Reading& reading, const Key& key, const Node& node) {
    Affinity affinity;
    if (is_plain(node) && (node.text == "any" || node.text == "core" || node.text == "pu")) {
        affinity.kind = node.text == "any"    ? Affinity::Kind::any
                        : node.text == "core" ? Affinity::Kind::core
                                              : Affinity::Kind::pu;
        return affinity;
    }
    affinity.kind = Affinity::Kind::cpus;
    const Node* cpus = node.kind == Node::Kind::map && node.items.size() == 1 ? node.find("cpus") : nullptr;
    bool good = cpus != nullptr;
    if (good && is_plain(*cpus)) good = read_cpu_list(cpus->text, affinity.cpus);
    if (good && cpus->kind == Node::Kind::list) {
        for (const Node& item : cpus->items) good = good && is_plain(item) && read_cpu_list(item.text, affinity.cpus);
    }
    if (good && !affinity.cpus.empty()) return affinity;
    reading.faults.add(node.mark, "this is no affinity", "expected " + expectation(key));
    return {};
}

}  // namespace forksim::language
