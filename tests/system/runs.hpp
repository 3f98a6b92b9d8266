#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/stats/estimate.hpp"
#include "scenarios/scenario.hpp"
#include "sim/record.hpp"

/// What tests of the whole walk share: files of their own, replications, and what must be said of a mean.
namespace forksim::test {

/// A folder that belongs to one test and is gone after it.
class TempFolder {
  public:
    TempFolder();
    ~TempFolder();
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    /// Writes a file, in a subfolder if `name` says so, and returns its path.
    std::string write(const std::string& name, const std::string& text) const;

  private:
    std::filesystem::path path_;
};

std::string read_text(const std::filesystem::path& file);

/// A file of the shipped library, such as "scenarios/threadspawn1.yaml".
std::string shipped_text(const std::string& name);

/// `text` with `from`, which must be there exactly `times` times, replaced by `to`.
std::string replaced(std::string text, const std::string& from, const std::string& to, int times = 1);

/// Replications 0 .. n-1 of a compiled scenario with its own seed, not merged.
std::vector<Record> replications(const Compiled& compiled, std::uint32_t n);

/// All replications in one record, in their order.
Record merged(const std::vector<Record>& records);

/// Counter 0 per second, over replications.
Estimate throughput(const std::vector<Record>& records);

/// The mean number of waiters at a lock, over replications.
Estimate waiting(const std::vector<Record>& records, std::size_t lock);

/// The index of a lock, path, counter or site (the first of its name) of that name; the test fails if there is none.
std::size_t lock_index(const Compiled& compiled, const std::string& name);
std::size_t path_index(const Compiled& compiled, const std::string& name);

/// CHECKs that a simulated mean is the exact one: off by at most 4 standard errors or 0.1 %, whichever is more; and
/// that those 4 standard errors are at most `power` of it, so that the check says something.
void check_mean(const Estimate& simulated, double exact, double power);

/// All that a record holds, as text, sites, locks and paths by name and in the order of their names: two records are
/// the same if their texts are.
std::string text_of(const Compiled& compiled, const Record& record);

/// text_of() for a program whose names say nothing: the rows alone, sorted.
std::string nameless_text_of(const Compiled& compiled, const Record& record);

}  // namespace forksim::test
