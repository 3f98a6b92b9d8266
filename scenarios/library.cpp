#include "scenarios/library.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "scenarios/library_path.hpp"
#include "scenarios/resolve.hpp"

namespace forksim::language {
namespace {

namespace fs = std::filesystem;

fs::path shipped_directory(std::string_view part) { return library_directory() / "scenarios" / part; }

bool looks_like_path(const std::string& name) {
    return name.find('/') != std::string::npos || name.find('#') != std::string::npos ||
           (name.size() > 5 && name.compare(name.size() - 5, 5, ".yaml") == 0);
}

void check_shipped_sources(const DocumentSet& set, Diagnostics& faults) {
    for (const KernelDocument& kernel : set.kernels) {
        check_sources(kernel.config, faults);
        check_sources(kernel.rcu, faults);
        check_sources(kernel.spin, faults);
        check_sources(kernel.define, faults);
        check_sources(kernel.add, faults);
        for (const Edit& edit : kernel.edits) check_sources(edit.with, faults);
    }
    for (const PatchDocument& patch : set.patches) {
        check_sources(patch.add, faults);
        for (const Edit& edit : patch.edits) check_sources(edit.with, faults);
    }
}

template <class Document>
std::vector<std::string> names_in(const std::vector<Document>& list) {
    std::vector<std::string> names;
    for (const Document& document : list) names.push_back(document.name);
    return names;
}

template <class Document>
const Document* named(const std::vector<Document>& list, const std::string& name) {
    const auto it = std::find_if(list.begin(), list.end(), [&](const Document& d) { return d.name == name; });
    return it == list.end() ? nullptr : &*it;
}

}  // namespace

const DocumentSet& Library::file(const std::string& path) {
    const auto [it, is_new] = files_.try_emplace(path);
    if (!is_new) return it->second;
    const std::size_t before = faults_.size();
    const std::vector<Node> nodes = read_documents(path, faults_);
    if (faults_.size() != before && nodes.empty()) faults_.mark_incomplete();
    it->second = read_document_set(nodes, faults_);
    const std::string shipped = shipped_directory("").string();
    if (path.compare(0, shipped.size(), shipped) == 0) check_shipped_sources(it->second, faults_);
    return it->second;
}

std::string Library::existing_path(const std::string& path, const Mark& mark) {
    std::error_code ignored;
    if (mark.file && mark.line > 0 && fs::path(path).is_relative()) {
        const fs::path beside = fs::path(*mark.file).parent_path() / path;
        if (fs::exists(beside, ignored)) return beside.lexically_normal().string();
    }
    return fs::exists(path, ignored) ? path : "";
}

std::vector<std::string> Library::shipped_names(std::string_view part) {
    std::vector<std::string> names;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(shipped_directory(part), ignored)) {
        if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

template <class Document>
const Document* Library::find(const std::string& name, const Mark& mark, std::vector<Document> DocumentSet::*list,
                              std::string_view part, std::string_view what, const Mark& scenario) {
    // The file that names it, or whose scenario an option is about.
    std::vector<std::string> beside;
    const Mark& around = mark.line > 0 ? mark : scenario;
    if (around.file && around.line > 0 && files_.count(*around.file) > 0) {
        const DocumentSet& own = files_.at(*around.file);
        if (const Document* found = named(own.*list, name); found != nullptr) return found;
        beside = names_in(own.*list);
    }
    const std::size_t before = faults_.size();
    const auto in_file = [&](const std::string& path, const std::string& wanted) -> const Document* {
        const DocumentSet& set = file(path);
        const std::vector<Document>& documents = set.*list;
        if (!wanted.empty()) {
            if (const Document* found = named(documents, wanted); found != nullptr) return found;
        } else if (documents.size() == 1) {
            return &documents.front();
        }
        if (faults_.size() != before) return nullptr;
        const Mark place{std::make_shared<const std::string>(path), 0, 0};
        const std::string asked = wanted.empty() ? "" : " named " + shown(wanted);
        if (documents.empty() || !wanted.empty()) {
            faults_.add(place, "no " + std::string(what) + asked + " in this file",
                        suggestion(wanted, names_in(documents)));
        } else {
            faults_.add(place, "several " + std::string(what) + "s in this file",
                        "name one: " + path + "#" + documents.front().name);
        }
        return nullptr;
    };
    std::error_code ignored;
    const fs::path shipped = shipped_directory(part) / (name + ".yaml");
    if (is_word(name) && fs::exists(shipped, ignored)) {
        const Document* found = in_file(shipped.string(), name);
        if (found == nullptr) faults_.mark_incomplete();
        return found;
    }
    const std::size_t hash = name.rfind('#');
    const std::string path = existing_path(name.substr(0, hash), mark);
    if (!path.empty() || (mark.line == 0 && looks_like_path(name))) {
        const Document* found =
            in_file(path.empty() ? name.substr(0, hash) : path, hash == std::string::npos ? "" : name.substr(hash + 1));
        if (found == nullptr) faults_.mark_incomplete();
        return found;
    }
    std::vector<std::string> known = shipped_names(part);
    known.insert(known.end(), beside.begin(), beside.end());
    faults_.add(mark, "unknown " + std::string(what) + " " + shown(name), suggestion(name, known));
    faults_.mark_incomplete();
    return nullptr;
}

const ScenarioDocument* Library::scenario(const std::string& name, const Mark& mark) {
    return find(name, mark, &DocumentSet::scenarios, "", "scenario", {});
}
const KernelDocument* Library::kernel(const std::string& name, const Mark& mark) {
    return find(name, mark, &DocumentSet::kernels, "kernels", "kernel", {});
}
const PatchDocument* Library::patch(const std::string& name, const Mark& mark, const Mark& scenario) {
    return find(name, mark, &DocumentSet::patches, "patches", "patch", scenario);
}
const WorldsDocument* Library::worlds(const std::string& name, const Mark& mark) {
    return find(name, mark, &DocumentSet::worlds, "worlds", "table of worlds", {});
}
const PublishedDocument* Library::published(const std::string& name, const Mark& mark) {
    return find(name, mark, &DocumentSet::published, "published", "published figure", {});
}

const PlatformDocument* Library::platform(const std::string& name, const Mark& mark) {
    if (!mark.file || files_.count(*mark.file) == 0) return nullptr;
    return named(files_.at(*mark.file).platforms, name);
}

}  // namespace forksim::language
