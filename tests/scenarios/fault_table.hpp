#pragma once
#include <string>
#include <vector>

namespace forksim::test {

/// A scenario with a mark ^ where the fault is to be reported, and what the message must say.
struct Fault {
    std::string name;
    std::string text;
    std::string message;  ///< part of it
    std::string hint;     ///< part of it; empty: any
};

/// CHECKs that each fault is the only one found, at its own place, also when it moves to another line.
void check_places(const std::vector<Fault>& faults);
void check_fault(const Fault& fault);

}  // namespace forksim::test
