#include "tests/system/runs.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "models/run.hpp"
#include "scenarios/library_path.hpp"

namespace forksim::test {
namespace {

namespace fs = std::filesystem;

std::string text_of(uint128 value) {
    std::string digits;
    do {
        digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
        value /= 10;
    } while (value != 0);
    return digits;
}

std::string text_of(const Histogram& histogram) {
    std::ostringstream out;
    out << histogram.count() << " values, " << text_of(histogram.sum_ps()) << " ps, " << histogram.min().ps << ".."
        << histogram.max().ps << ":";
    histogram.for_each_bin([&](Time lowest, Time, std::uint64_t n) { out << ' ' << lowest.ps << '*' << n; });
    return out.str();
}

std::string text_of(const SiteRecord& site) {
    std::ostringstream out;
    out << site.acquisitions << ' ' << site.contended << ' ' << site.releases << ' ' << site.census << ' '
        << site.handoff_ps << "\n    wait " << text_of(site.wait) << "\n    hold " << text_of(site.hold);
    return out.str();
}

std::string text_of(const ResourceRecord& lock) {
    std::ostringstream out;
    for (const uint128 value :
         {lock.queue_integral, lock.wait_sum, lock.hold_integral, lock.hold_sum, lock.busy_integral})
        out << text_of(value) << ' ';
    out << lock.longest_queue;
    return out.str();
}

template <class Numbers>
std::string list(const Numbers& numbers) {
    std::ostringstream out;
    for (const auto n : numbers) out << ' ' << n;
    return out.str();
}

/// What has no name of its own.
std::string totals(const Record& r) {
    std::ostringstream out;
    out << "replications " << r.replications << ", window " << r.window.ps << ", events " << r.events << ", ties "
        << r.ties << ", line ties " << r.line_ties << ", transfers " << r.transfers << ", wakes " << r.wakes
        << ", tasks " << r.tasks_created << ", census " << (r.census_complete ? "complete" : "cut") << "\ncounts"
        << list(r.counts) << "\ncensus counts" << list(r.census_counts) << "\ncpu" << list(r.cpu_use_ps)
        << "\ncritical length " << r.critical_length_ps << '\n';
    for (const std::vector<std::uint64_t>& counts : r.counts_by_replication)
        out << "replication" << list(counts) << '\n';
    out << "over time" << list(r.count_over_time) << '\n';
    return out.str();
}

std::string rows(const Compiled& compiled, const Record& record, bool named) {
    std::vector<std::string> rows;
    const auto add = [&](const std::string& name, const std::string& what, const std::string& value) {
        rows.push_back(what + (named ? ' ' + name : "") + ": " + value + '\n');
    };
    for (std::size_t i = 0; i < record.sites.size(); ++i) {
        const Site& site = compiled.program.sites[i];
        add(site.name + " from " + site.caller, "site", text_of(record.sites[i]));
    }
    for (std::size_t i = 0; i < record.resources.size(); ++i)
        add(compiled.model.locks[i].name, "lock", text_of(record.resources[i]));
    for (std::size_t i = 0; i < record.paths.size(); ++i)
        add(compiled.program.paths[i], "path", text_of(record.paths[i]));
    std::sort(rows.begin(), rows.end());
    std::string text = totals(record);
    for (const std::string& row : rows) text += row;
    return text;
}

template <class Items, class NameOf>
std::size_t index_of(const Items& items, const std::string& name, NameOf name_of) {
    const auto it = std::find_if(items.begin(), items.end(), [&](const auto& item) { return name_of(item) == name; });
    REQUIRE_MESSAGE(it != items.end(), "there is no " << name);
    return static_cast<std::size_t>(it - items.begin());
}

}  // namespace

TempFolder::TempFolder() {
    std::string name = (fs::temp_directory_path() / "forksim-system-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
}

TempFolder::~TempFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

std::string TempFolder::write(const std::string& name, const std::string& text) const {
    const fs::path file = path_ / name;
    fs::create_directories(file.parent_path());
    std::ofstream out(file);
    out << text;
    REQUIRE(out.flush());
    return file.string();
}

std::string read_text(const fs::path& file) {
    std::ifstream in(file);
    REQUIRE_MESSAGE(in, "cannot read " << file);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

std::string shipped_text(const std::string& name) { return read_text(library_directory() / name); }

std::string replaced(std::string text, const std::string& from, const std::string& to, int times) {
    int found = 0;
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
        ++found;
    }
    REQUIRE_MESSAGE(found == times, "found " << found << " times, not " << times << ": " << from);
    return text;
}

std::vector<Record> replications(const Compiled& compiled, std::uint32_t n) {
    std::vector<Record> records;
    for (std::uint32_t i = 0; i < n; ++i) {
        records.push_back(run_replication(compiled.program, compiled.model, compiled.topology, compiled.core,
                                          {compiled.measure.seed, i}));
    }
    return records;
}

Record merged(const std::vector<Record>& records) {
    Record all = records.at(0);
    for (std::size_t i = 1; i < records.size(); ++i) all.merge(records[i]);
    return all;
}

Estimate throughput(const std::vector<Record>& records) {
    Sample sample;
    for (const Record& r : records)
        sample.add(static_cast<double>(r.counts.at(0)) / (static_cast<double>(r.window.ps) * 1e-12));
    return sample.estimate();
}

Estimate waiting(const std::vector<Record>& records, std::size_t lock) {
    Sample sample;
    for (const Record& r : records)
        sample.add(static_cast<double>(r.resources.at(lock).queue_integral) / static_cast<double>(r.window.ps));
    return sample.estimate();
}

std::size_t lock_index(const Compiled& compiled, const std::string& name) {
    return index_of(compiled.model.locks, name, [](const LockSpec& lock) { return lock.name; });
}

std::size_t path_index(const Compiled& compiled, const std::string& name) {
    return index_of(compiled.program.paths, name, [](const std::string& path) { return path; });
}

void check_mean(const Estimate& simulated, double exact, double power) {
    const double four_errors = 4 * simulated.stddev / std::sqrt(simulated.n);
    INFO("simulated " << simulated.mean << " +- " << four_errors << " (4 standard errors), exact " << exact);
    CHECK(std::abs(simulated.mean - exact) <= std::max(four_errors, 0.001 * exact));
    CHECK(four_errors <= power * exact);
}

std::string text_of(const Compiled& compiled, const Record& record) {
    return rows(compiled, record, true) + "critical path" + list(record.critical_path_ps) + '\n';
}

std::string nameless_text_of(const Compiled& compiled, const Record& record) {
    std::vector<std::int64_t> path = record.critical_path_ps;
    std::sort(path.begin(), path.end());
    return rows(compiled, record, false) + "critical path" + list(path) + '\n';
}

}  // namespace forksim::test
