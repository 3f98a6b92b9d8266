// One description per kind: reader, schema, reference and messages follow from the tables.
#include "scenarios/describe.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "models/spec.hpp"
#include "scenarios/library_path.hpp"
#include "scenarios/listing.hpp"
#include "scenarios/reader.hpp"
#include "scenarios/steps.hpp"

namespace forksim {

using namespace language;

namespace {

std::vector<const Table*> tables_and_steps() {
    std::vector<const Table*> tables = all_tables();
    for (const StepKind* kind : step_kinds()) tables.push_back(&kind->table);
    return tables;
}

std::string contents(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// Compares a generated text with a file of the source tree; with FORKSIM_REGENERATE set, writes the file instead.
void check_generated(const std::string& file, const std::string& begin, const std::string& end,
                     const std::string& generated) {
    const auto path = library_directory() / "scenarios" / file;
    const std::string text = contents(path);
    const std::size_t from = begin.empty() ? 0 : text.find(begin) + begin.size();
    const std::size_t to = end.empty() ? text.size() : text.find(end);
    REQUIRE_MESSAGE((begin.empty() || text.find(begin) != std::string::npos), file, " lacks the mark ", begin);
    REQUIRE(to >= from);
    if (std::getenv("FORKSIM_REGENERATE") != nullptr) {
        std::ofstream(path) << text.substr(0, from) << generated << text.substr(to);
        return;
    }
    const bool current = text.substr(from, to - from) == generated;
    CHECK_MESSAGE(current, file, " is not what the tables say; run this test with FORKSIM_REGENERATE=1");
}

}  // namespace

TEST_CASE("every key of every table is described, and its fallback is a value that it takes") {
    for (const Table* table : tables_and_steps()) {
        CAPTURE(std::string(table->name));
        CHECK(!table->doc.empty());
        std::set<std::string_view> seen;
        for (const Key& key : table->keys) {
            CAPTURE(std::string(key.name));
            CHECK(seen.insert(key.name).second);
            CHECK((!key.doc.empty() || key.type == Type::none));
            CHECK((key.type == Type::choice) == !key.choices.empty());
            const bool inner = key.type == Type::named || key.type == Type::listed;
            CHECK((!inner || key.nested != nullptr));
            const bool simple = key.type == Type::duration || key.type == Type::time || key.type == Type::number ||
                                key.type == Type::integer || key.type == Type::fraction || key.type == Type::choice ||
                                key.type == Type::scope || key.type == Type::integers || key.type == Type::tasks ||
                                key.type == Type::affinity;
            if (!simple || key.fallback.empty() || key.fallback.find(' ') != std::string_view::npos) continue;
            Diagnostics faults;
            Reading reading{faults, {}, Source::none};
            const Node node = parse_value(std::string(key.fallback), "fallback", faults);
            CHECK(read_value(reading, key, node).has_value());
            CHECK(faults.empty());
        }
    }
}

TEST_CASE("every step kind is found by its name, and no kind is named like a key of all steps") {
    for (const StepKind* kind : step_kinds()) {
        CHECK(find_step_kind(kind->name()) == kind);
        const bool lowers = kind->lower != nullptr;
        CHECK(lowers);
        CHECK(step_table().find(kind->name()) == nullptr);
    }
}

TEST_CASE("a lock may be of each kind that is described, and of no other") {
    const std::vector<std::string> choices = split(lock_table().find("kind")->choices, '|');
    REQUIRE(choices.size() == lock_kinds().size());
    std::set<LockKind> kinds;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        CHECK(choices[i] == lock_kinds()[i].name);
        CHECK(kinds.insert(lock_kinds()[i].kind).second);
    }
}

TEST_CASE("the JSON Schema in the library is the one that the tables give, and has every key") {
    const std::string schema = json_schema();
    for (const Table* table : tables_and_steps()) {
        for (const Key& key : table->keys) {
            CAPTURE(std::string(key.name));
            CHECK((key.free || schema.find("\"" + std::string(key.name) + "\"") != std::string::npos));
        }
    }
    check_generated("schema.json", "", "", schema);
}

TEST_CASE("the reference in README.md is the one that the tables give") {
    check_generated("README.md", "<!-- generated from the tables: begin -->\n",
                    "<!-- generated from the tables: end -->", reference_tables());
}

}  // namespace forksim
