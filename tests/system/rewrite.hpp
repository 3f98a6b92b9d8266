#pragma once
#include <string>

/// Other ways to write the same YAML document.
namespace forksim::test {

/// Keys of every map in reverse order; the first of a document, which says what it is, stays first. Comments go.
std::string reordered(const std::string& document);

/// Locks and steps of a kernel under other names, whose alphabetical order has nothing to do with the old ones.
std::string with_other_names(const std::string& kernel);

}  // namespace forksim::test
