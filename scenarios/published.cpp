// Published figures: what was measured on real machines, and which run stands for it.
#include "scenarios/published.hpp"

#include <algorithm>
#include <utility>

#include "scenarios/load.hpp"

namespace forksim {

using namespace language;

const Table& language::published_table() {
    static const Table table{
        "published",
        "A figure that was measured on a real machine and published, and the run that stands for it.",
        {
            {"published", Type::word, "its name", true},
            {"scenario", Type::text, "the scenario that stands for what was measured", true},
            {"patches", Type::words, "patches on top of the scenario's own"},
            {"kernel", Type::text, "the kernel that the scenario runs on", true},
            {"cpus",
             Type::integer,
             "logical CPUs of the machine",
             true,
             {},
             {},
             1,
             1e6,
             nullptr,
             false,
             false,
             false,
             true},
            {"value", Type::number, "the figure", true, {}, {}, 1e-9, 1e18, nullptr, false, false, false, true},
            {"unit", Type::text, "its unit: the scenario's first counter per second, such as threads/s", true},
            {"spread",
             Type::number,
             "what was published as +-, in the same unit",
             false,
             {},
             {},
             0,
             1e18,
             nullptr,
             false,
             false,
             false,
             true},
            {"read_in", Type::text, "where it was read, in words", true},
            {"role",
             Type::choice,
             "worlds were fitted to it, or it is held against them",
             true,
             {},
             "fitted|predicted"},
            {"note", Type::text, "what the model is known to lack there"},
        }};
    return table;
}

PublishedDocument language::read_published(Reading& reading, const Node& node) {
    const Fields fields = read_fields(reading, published_table(), node);
    PublishedDocument document;
    document.name = fields.word("published");
    document.mark = node.mark;
    PublishedCase& one = document.figure;
    one.name = document.name;
    one.scenario = fields.word("scenario");
    one.kernel = fields.word("kernel");
    one.unit = fields.word("unit");
    one.read_in = fields.word("read_in");
    one.note = fields.word("note");
    one.fitted = fields.word("role") == "fitted";
    one.cpus = static_cast<std::uint32_t>(fields.number("cpus", 0));
    one.value = fields.number("value", 0);
    if (fields.find("spread") != nullptr) one.spread = fields.number("spread", 0);
    if (const auto* patches = fields.get<std::vector<std::string>>("patches"); patches != nullptr)
        one.patches = *patches;
    for (const std::string_view key : {"kernel", "cpus", "unit"}) {
        const Attribute* attribute = fields.find(key);
        document.marks.emplace_back(key, attribute == nullptr ? node.mark : attribute->mark);
    }
    return document;
}

void language::check_published(const PublishedDocument& document, const DocumentSet& beside, Diagnostics& faults) {
    const PublishedCase& figure = document.figure;
    Request request;
    request.scenario = figure.scenario;
    if (std::ranges::find(beside.scenarios, figure.scenario, &ScenarioDocument::name) != beside.scenarios.end())
        request.scenario = *document.mark.file + "#" + figure.scenario;
    request.patches = figure.patches;
    const Compiled compiled = compile(request);
    const std::string unit = compiled.program.counters[0] + "/s";
    const std::pair<std::string, std::string> said[] = {
        {figure.kernel, compiled.banner.kernel},
        {std::to_string(figure.cpus), std::to_string(compiled.banner.cpus)},
        {figure.unit, unit},
    };
    for (std::size_t i = 0; i < std::size(said); ++i) {
        const auto& [key, mark] = document.marks[i];
        if (said[i].first != said[i].second)
            faults.add(mark, shown(said[i].first) + " is not the " + key + " of " + shown(figure.scenario),
                       "expected " + said[i].second);
    }
}

std::vector<PublishedCase> published_cases() {
    Diagnostics faults;
    Library library(faults);
    std::vector<PublishedCase> cases;
    for (const std::string& name : Library::shipped_names("published")) {
        if (const PublishedDocument* document = library.published(name, {}); document != nullptr)
            cases.push_back(document->figure);
    }
    faults.throw_if_any();
    return cases;
}

bool runs_alike(const Compiled& one, const Compiled& other) {
    Compiled alike = other;
    alike.measure = one.measure;
    alike.core.warmup = one.core.warmup;
    alike.core.duration = one.core.duration;
    return hash_of(one) == hash_of(alike);
}

namespace {

/// The numbers in a name, "linux-6.12" as 6 and 12: what versions are sorted by.
std::vector<std::uint64_t> version_of(const std::string& name) {
    std::vector<std::uint64_t> numbers;
    bool inside = false;
    for (const char c : name) {
        const bool digit = c >= '0' && c <= '9';
        if (digit && !inside) numbers.push_back(0);
        if (digit) numbers.back() = numbers.back() * 10 + static_cast<std::uint64_t>(c - '0');
        inside = digit;
    }
    return numbers;
}

}  // namespace

std::optional<std::uint32_t> version_steps(std::string_view one, std::string_view other) {
    std::vector<std::string> kernels = Library::shipped_names("kernels");
    std::ranges::sort(kernels, {}, version_of);
    const auto first = std::ranges::find(kernels, one);
    const auto second = std::ranges::find(kernels, other);
    if (first == kernels.end() || second == kernels.end()) return std::nullopt;
    return static_cast<std::uint32_t>(std::abs(second - first));
}

}  // namespace forksim
