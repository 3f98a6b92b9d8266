#pragma once
#include <string>
#include <utility>
#include <vector>

#include "scenarios/scenario.hpp"

namespace forksim {

/// One step of a function as it stands after kernel edits, patches and settings.
struct ShownStep {
    int depth = 0;      ///< 0 at the top of the function
    std::string block;  ///< "hit", "miss", "else", ... if it is the first of such a block; "" in the usual one
    std::string kind;
    std::string name;     ///< "" if it was given none
    std::string site;     ///< FUNCTION/NAME that draws and statistics use
    std::string lock;     ///< lock, line, pool, function or signal that it names
    std::string mode;     ///< "", "read", "write"
    std::string value;    ///< "60ns", "lognormal 15ms cv 0.5", "p 0.06"; "" if it has none
    std::string source;   ///< counted, published, estimated or ""
    std::string range;    ///< "40ns..90ns" or ""
    std::string touches;  ///< "pidns write, tag 2 store, idr alloc embryo" or ""
    std::string when;     ///< condition, or ""
};

struct ShownFunction {
    std::string context;  ///< "parent" ("task" if none is spawned), "child", "next task on the CPU" or "softirq"
    std::string name;
    std::vector<std::string> callers;  ///< in this context; empty at the top
    std::vector<ShownStep> steps;
};

struct ShownSite {
    std::string name;
    std::string caller;
    std::string lock;  ///< "" for atomics and touches outside sections
    std::string mode;
};

/// A lock, line, object or pool that the program uses, with its keys.
struct ShownObject {
    std::string what;  ///< "lock", "line", "object", "pool"
    std::string name;
    std::vector<std::pair<std::string, std::string>> keys;
};

/// Everything that `show` prints.
struct Listing {
    Banner banner;
    Measure measure;
    std::string hash;
    std::vector<std::string> notes;
    std::vector<std::pair<std::string, std::string>> config;  ///< every key, defaults included
    std::vector<ShownFunction> functions;  ///< reached ones, by context, in the order in which they are met
    std::vector<ShownSite> sites;          ///< of the compiled program, without site 0
    std::vector<ShownObject> objects;      ///< used ones
};

/// Compiles and describes. Throws LanguageError.
Listing show(const Request& request);

/// A file of the library.
struct ListedFile {
    std::string name;
    std::string about;  ///< first sentence of its opening comment
};
std::vector<ListedFile> list_scenarios();
std::vector<ListedFile> list_kernels();
std::vector<ListedFile> list_patches();
std::vector<std::string> list_platforms();

/// Checks everything in a scenario, kernel or patch, by name or path; of a path, all documents. Returns what was found
/// good: "scenario one-lock", "kernel linux-6.19". Throws LanguageError with all faults.
std::vector<std::string> check(const Request& request);

/// The JSON Schema (draft 2020-12) of scenario, kernel, patch and platform documents, generated from the tables.
std::string json_schema();

/// The tables of the language as Markdown, generated: the reference part of README.md.
std::string reference_tables();

}  // namespace forksim
