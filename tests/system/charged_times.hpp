#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace forksim::test {

/// Adds up what one turn of a task costs when nothing is contended and every line is at hand, straight from the YAML
/// text of a kernel and a scenario: neither the project's reader nor its compiler nor its simulator has a say in it.
///
/// Knows the steps that threads' lives are made of; any other makes the test fail. Pools hit, `when:` steps are left
/// out (psi is off), all times must be constant or are taken by their means.
class ChargedTimes {
  public:
    /// Reads both; the functions of the scenario join those of the kernel.
    ChargedTimes(const std::string& kernel, const std::string& scenario);
    ~ChargedTimes();

    /// In ps: one turn of the first workload entry, with all that its children do, every wake-up of the two that a
    /// thread's life needs, and a context switch for each task that gives up the CPU.
    std::int64_t turn_ps() const;

    /// In ps: the steps of one function, what it calls included.
    std::int64_t function_ps(const std::string& name) const;

    /// "1.2us" in ps. The test fails if it is no time.
    static std::int64_t parse_ps(const std::string& text);

  private:
    struct Nodes;
    std::unique_ptr<Nodes> nodes_;
};

}  // namespace forksim::test
