#pragma once
#include <functional>
#include <string>
#include <vector>

#include "scenarios/scenario.hpp"

namespace forksim::test {

/// A directory of files that vanishes with it.
class Scratch {
  public:
    Scratch();
    ~Scratch();
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    /// Writes a file and returns its path.
    std::string file(const std::string& name, const std::string& text) const;
    const std::string& directory() const { return directory_; }

  private:
    std::string directory_;
};

/// Compiles a scenario given as text; `change` may change the request.
Compiled compile_text(const std::string& text, const std::function<void(Request&)>& change = {});

/// The faults found in it; empty if there are none.
std::vector<Diagnostic> faults_of(const std::string& text, const std::function<void(Request&)>& change = {});

/// A scenario of two tasks on four CPUs that takes lock L in turn; `steps` stands in its loop, in flow style:
/// "{work: 1us}, {section: L}". Locks L (spinlock), R (rwlock), S (rwsem), P (percpu_rwsem), lines a, b, pool p.
std::string scenario_of(const std::string& steps, const std::string& functions = "{}");

/// The same with locks M (mutex), F (futex_pi), T (ticket), A (test_and_set), and the seqcounts C under L, Q under R
/// and N under nothing.
std::string scenario_of_kinds(const std::string& steps, const std::string& functions = "{}");

/// The ops of a program in words, without operands that are numbers of samplers or keys:
/// "acquire L @ t/hold; work 1us; release L @ t/hold; count n; turn".
std::string ops_text(const Compiled& compiled);

}  // namespace forksim::test
