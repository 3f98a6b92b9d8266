#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/reader.hpp"

namespace forksim::language {

/// The files of one request: finds documents by name in the file that names them, then in the shipped library, then as
/// a path (relative to that file, then to the working directory). Every file is read once.
class Library {
  public:
    explicit Library(Diagnostics& faults) : faults_(faults) {}

    /// Null after reporting a fault at `mark`, whose file is the one that names it. `name` may be a name, a path, or
    /// PATH#NAME where a file has several. The pointers stay valid as long as the library.
    const ScenarioDocument* scenario(const std::string& name, const Mark& mark);
    const KernelDocument* kernel(const std::string& name, const Mark& mark);
    /// `scenario`: where the scenario stands that the patch is for; an option finds patches of its file.
    const PatchDocument* patch(const std::string& name, const Mark& mark, const Mark& scenario = {});
    const WorldsDocument* worlds(const std::string& name, const Mark& mark);
    const PublishedDocument* published(const std::string& name, const Mark& mark);

    /// A `platform:` document in the file `mark` stands in; null if there is none, which is no fault.
    const PlatformDocument* platform(const std::string& name, const Mark& mark);

    /// A file that exists at `path`, seen from the file in which `mark` stands; else "".
    static std::string existing_path(const std::string& path, const Mark& mark);

    /// The shipped names in a part of the library: "" for scenarios, "kernels", "patches"; sorted.
    static std::vector<std::string> shipped_names(std::string_view part);

    /// What a file holds; read on first use.
    const DocumentSet& file(const std::string& path);

  private:
    template <class Document>
    const Document* find(const std::string& name, const Mark& mark, std::vector<Document> DocumentSet::*list,
                         std::string_view part, std::string_view what, const Mark& scenario);

    Diagnostics& faults_;
    std::map<std::string, DocumentSet> files_;
};

}  // namespace forksim::language
