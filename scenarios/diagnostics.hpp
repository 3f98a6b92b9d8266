#pragma once
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/error.hpp"

namespace forksim {

/// Where in the user's input something stands. Lines and columns count from 1; 0 means unknown.
struct Mark {
    std::shared_ptr<const std::string> file;  ///< path, or the option it came from ("--set ..."); null: nowhere
    std::uint32_t line = 0;
    std::uint32_t column = 0;
};

/// One fault of the input, with what was expected and, where there is one, a way out.
struct Diagnostic {
    std::string file;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    std::string message;  ///< one line, no full stop
    std::string hint;     ///< may be empty; one line

    /// "file:line:column: message (hint)" as far as these are known.
    std::string text() const;
    bool operator==(const Diagnostic&) const = default;
};

/// All faults found in the input of one request. what() has one line for each.
struct LanguageError : InputError {
    explicit LanguageError(std::vector<Diagnostic> found);
    std::vector<Diagnostic> diagnostics;  ///< at least one; by file, line and column
};

/// Collects faults, so that all of them are reported at once.
class Diagnostics {
  public:
    /// Adds a fault; one that is there already is not added again.
    void add(const Mark& mark, std::string message, std::string hint = {});
    bool empty() const { return found_.empty(); }
    std::size_t size() const { return found_.size(); }
    /// Says that something was left out because of a fault, so that checks of the whole would find faults that are
    /// none.
    void mark_incomplete() { complete_ = false; }
    bool complete() const { return complete_; }
    /// Throws LanguageError if there are faults.
    void throw_if_any() const;

  private:
    std::vector<Diagnostic> found_;
    std::set<std::string> texts_;  // of the faults found
    bool complete_ = true;
};

/// The candidate that differs least from `name` by typing errors, or "" if none is close.
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

/// "did you mean 'X'?" for the nearest candidate; else the candidates themselves if they are few, else "".
std::string suggestion(std::string_view name, const std::vector<std::string>& candidates);

/// "'text'", shortened and freed of control characters.
std::string shown(std::string_view text);

}  // namespace forksim
