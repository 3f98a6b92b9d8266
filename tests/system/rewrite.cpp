#include "tests/system/rewrite.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace forksim::test {
namespace {

using Entry = std::pair<std::string, YAML::Node>;

/// Writes nodes in flow style.
struct Writer {
    bool reverse = false;
    std::function<std::string(const std::string&)> rename;  ///< of a lock or step; empty: none

    std::string document(const YAML::Node& node) const {
        std::string text;
        for (const Entry& e : entries_of(node, true)) {
            text += e.first + ": ";
            text += (rename && e.first == "locks" ? locks(e.second) : value(e.first, e.second)) + '\n';
        }
        return text;
    }

    std::string locks(const YAML::Node& node) const {
        std::string text;
        for (const Entry& e : entries_of(node)) {
            text += (text.empty() ? "{" : ", ") + rename(e.first) + ": ";
            text += value(e.first, e.second);
        }
        return text + '}';
    }

    std::string value(const std::string& key, const YAML::Node& node) const {
        static const std::vector<std::string> named = {"name",      "section", "lock",       "unlock",
                                                       "down_read", "up_read", "down_write", "up_write"};
        if (rename && node.IsScalar() && std::find(named.begin(), named.end(), key) != named.end())
            return rename(node.Scalar());
        if (rename && key == "set") return settings(node);
        return any(node);
    }

    /// LOCK.KEY: VALUE, the only form that kernels use.
    std::string settings(const YAML::Node& node) const {
        std::string text;
        for (const Entry& e : entries_of(node)) {
            const std::size_t dot = e.first.rfind('.');
            text += (text.empty() ? "{" : ", ") + rename(e.first.substr(0, dot)) + e.first.substr(dot) + ": ";
            text += any(e.second);
        }
        return text + '}';
    }

    std::string any(const YAML::Node& node) const {
        if (node.IsNull()) return "null";
        if (node.IsScalar()) {
            std::string quotes = node.Tag() == "!" ? "\"" : "";
            return quotes + node.Scalar() + quotes;
        }
        std::string text;
        if (node.IsSequence()) {
            for (const YAML::Node& item : node) text += (text.empty() ? "" : ", ") + any(item);
            return '[' + text + ']';
        }
        for (const Entry& e : entries_of(node)) {
            text += (text.empty() ? "" : ", ") + e.first + ": ";
            text += value(e.first, e.second);
        }
        return '{' + text + '}';
    }

    /// In the order in which to write them.
    std::vector<Entry> entries_of(const YAML::Node& node, bool first_stays = false) const {
        std::vector<Entry> entries;
        for (const auto& entry : node) entries.emplace_back(entry.first.Scalar(), entry.second);
        if (!reverse) return entries;
        std::vector<Entry> backwards;  // assigning to a Node would change the document
        if (first_stays) backwards.push_back(entries.front());
        for (std::size_t i = entries.size(); i-- > (first_stays ? 1 : 0);) backwards.push_back(entries[i]);
        return backwards;
    }
};

}  // namespace

std::string reordered(const std::string& document) { return Writer{true, {}}.document(YAML::Load(document)); }

std::string with_other_names(const std::string& kernel) {
    const auto backwards = [](const std::string& name) {
        const std::size_t end = std::min(name.find('@'), name.size());
        std::string other = "n" + name.substr(0, end);  // siglock@parent is nkcolgis@parent
        std::reverse(other.begin() + 1, other.end());
        return other + name.substr(end);
    };
    return Writer{false, backwards}.document(YAML::Load(kernel));
}

}  // namespace forksim::test
