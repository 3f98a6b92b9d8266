#include "tests/oracles/state_table.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace forksim::oracle {
namespace {

std::uint64_t mix(std::uint64_t h) {
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93ULL;
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93ULL;
    return h ^ (h >> 32);
}

}  // namespace

Fingerprint fingerprint(const void* bytes, std::size_t count) {
    const unsigned char* at = static_cast<const unsigned char*>(bytes);
    std::uint64_t low = 0x243f6a8885a308d3ULL;
    std::uint64_t high = 0x13198a2e03707344ULL;
    for (std::size_t done = 0; done < count; done += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, at + done, std::min<std::size_t>(8, count - done));
        low = mix(low ^ word);
        high = mix(high + word * 0x9e3779b97f4a7c15ULL);
    }
    return {low, high};
}

StateTable::StateTable() : slots_(std::size_t{1} << 12) {}

StateTable::Slot& StateTable::slot(Fingerprint key) {
    std::size_t at = key.low & (slots_.size() - 1);
    while (slots_[at].taken && !(slots_[at].key == key)) at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
}

StateTable::Found StateTable::find_or_add(Fingerprint key) {
    if (10 * used_ >= 6 * slots_.size()) grow();
    Slot& found = slot(key);
    const bool known = found.taken;
    if (!known) {
        found = {key, 0, true};
        ++used_;
    }
    return {&found.number, known};
}

void StateTable::grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& from : old) {
        if (from.taken) slot(from.key) = from;
    }
}

}  // namespace forksim::oracle
