#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace forksim::oracle {

/// 128 bits that stand for a state. Two of ten million states share them with probability 1e-25.
struct Fingerprint {
    std::uint64_t low;
    std::uint64_t high;

    bool operator==(const Fingerprint&) const = default;
};

/// Of `count` bytes.
Fingerprint fingerprint(const void* bytes, std::size_t count);

/// Visited states and one number for each: open addressing, 24 bytes per slot.
class StateTable {
  public:
    StateTable();

    /// The number of this state, and whether it was there; a new one has the number 0. Valid until the next call.
    struct Found {
        std::uint32_t* number;
        bool known;
    };
    Found find_or_add(Fingerprint key);

    std::size_t size() const { return used_; }

  private:
    struct Slot {
        Fingerprint key;
        std::uint32_t number;
        bool taken;
    };
    void grow();
    Slot& slot(Fingerprint key);

    std::vector<Slot> slots_;
    std::size_t used_ = 0;
};

}  // namespace forksim::oracle
