#include "analysis/export/reference.hpp"

#include <algorithm>
#include <string>

#include "sim/error.hpp"

namespace forksim {
namespace {

[[noreturn]] void refuse(std::string_view line) {
    throw InternalError("the reference engine's answer is wrong at '" + std::string(line.substr(0, 60)) + "'");
}

/// The words of a line, all of which must be used.
class Words {
  public:
    explicit Words(std::string_view line) : line_(line), rest_(line) {}

    std::string_view word() {
        const std::size_t end = std::min(rest_.find(' '), rest_.size());
        const std::string_view found = rest_.substr(0, end);
        rest_.remove_prefix(std::min(end + 1, rest_.size()));
        return found;
    }
    uint128 sum() {
        const std::string_view text = word();
        uint128 value = 0;
        if (text.empty() || text.size() > 38) refuse(line_);
        for (const char c : text) {
            if (c < '0' || c > '9') refuse(line_);
            value = 10 * value + static_cast<unsigned>(c - '0');
        }
        return value;
    }
    std::uint64_t number(std::uint64_t most = ~std::uint64_t{0}) {
        const uint128 value = sum();
        if (value > most) refuse(line_);
        return static_cast<std::uint64_t>(value);
    }
    /// An index below `size`.
    std::size_t index(std::size_t size) {
        if (size == 0) refuse(line_);
        return static_cast<std::size_t>(number(size - 1));
    }
    void done() const {
        if (!rest_.empty()) refuse(line_);
    }

  private:
    std::string_view line_;
    std::string_view rest_;
};

void read_line(std::string_view line, ReferenceRecord& into) {
    Record& record = into.record;
    Words words(line);
    const std::string_view what = words.word();
    if (what == "window_ps") {
        record.window.ps = static_cast<std::int64_t>(words.number(static_cast<std::uint64_t>(time_limit.ps)));
    } else if (what == "events") {
        record.events = record.effort.events = words.number();
    } else if (what == "ties") {
        record.ties = record.line_ties = words.number();
    } else if (what == "count") {
        const std::size_t counter = words.index(record.counts.size());
        record.counts[counter] = words.number();
        if (counter == 0) record.effort.operations = record.counts[0];
    } else if (what == "site") {
        const std::size_t site = words.index(record.sites.size());
        record.sites[site].acquisitions = words.number();
        record.sites[site].contended = words.number(record.sites[site].acquisitions);
        into.sums.waits[site] = words.sum();
        into.sums.holds[site] = words.sum();
    } else {
        refuse(line);
    }
    words.done();
}

}  // namespace

void ReferenceRecord::merge(const ReferenceRecord& other) {
    record.merge(other.record);
    for (std::size_t i = 0; i < sums.waits.size(); ++i) {
        sums.waits[i] += other.sums.waits[i];
        sums.holds[i] += other.sums.holds[i];
    }
}

ReferenceRecord parse_reference(std::string_view text, const Program& program, std::size_t resources) {
    ReferenceRecord result;
    result.record.replications = 1;
    result.record.census_complete = false;
    result.record.sites.resize(program.sites.size());
    result.record.resources.resize(resources);
    result.record.counts.resize(program.counters.size());
    result.record.census_counts.resize(program.counters.size());
    result.record.paths.resize(program.paths.size());
    result.sums.waits.resize(program.sites.size());
    result.sums.holds.resize(program.sites.size());
    bool first = true;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        if (end == std::string_view::npos) refuse(line);
        text.remove_prefix(end + 1);
        if (first) {
            if (line != "forksim-reference/1") refuse(line);
            first = false;
        } else if (line == "end" && text.empty()) {
            if (result.record.window.ps == 0) refuse("no window_ps");
            result.record.counts_by_replication.push_back(result.record.counts);
            return result;
        } else {
            read_line(line, result);
        }
    }
    refuse("no end");
}

}  // namespace forksim
