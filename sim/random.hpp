#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "sim/inline.hpp"

namespace forksim {

/// Two 64-bit words: a counter or key of threefry, or the 128 bits that it returns.
using Words = std::array<std::uint64_t, 2>;

/// threefry2x64 with 13 rounds: a bijection of `counter` for every `key`, the fewest rounds that pass BigCrush.
/// Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
FORKSIM_INLINE constexpr Words threefry2x64(Words counter, Words key) {
    const std::uint64_t key2 = 0x1BD11BDAA9FC1A22 ^ key[0] ^ key[1];
    std::uint64_t x = counter[0] + key[0];
    std::uint64_t y = counter[1] + key[1];
    // Written out: the draw is on the hot path, and compilers do not unroll it as a loop.
    const auto rounds = [&](int a, int b, int c, int d) __attribute__((always_inline)) {
        x += y, y = std::rotl(y, a) ^ x;
        x += y, y = std::rotl(y, b) ^ x;
        x += y, y = std::rotl(y, c) ^ x;
        x += y, y = std::rotl(y, d) ^ x;
    };
    rounds(16, 42, 12, 31);
    x += key[1], y += key2 + 1;
    rounds(16, 32, 24, 21);
    x += key2, y += key[0] + 2;
    rounds(16, 42, 12, 31);
    x += key[0], y += key[1] + 3;
    x += y, y = std::rotl(y, 16) ^ x;
    return {x, y};
}

/// Mixes two words into one; the order matters. Every input bit changes every output bit with probability 1/2.
/// Lineages are built from it: mix(mix(parent, spawn step), ordinal).
constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) { return threefry2x64({a, b}, {})[0]; }

/// The number of a name, the same on every machine and in every version: FNV-1a over the bytes, then the
/// finaliser of MurmurHash3 (which spreads FNV's weak upper bits).
constexpr std::uint64_t hash_name(std::string_view name) {
    std::uint64_t h = 0xCBF29CE484222325;
    for (const char c : name) {
        h ^= static_cast<unsigned char>(c);
        h *= 0x00000100000001B3;
    }
    h ^= h >> 33;
    h *= 0xFF51AFD7ED558CCD;
    h ^= h >> 33;
    h *= 0xC4CEB9FE1A85EC53;
    return h ^ (h >> 33);
}

/// 128 random bits as a pure function of who draws, and for what: nothing is drawn in sequence, so a step
/// that is added or removed changes no other step's numbers.
///
/// `stream`       lineage of the task, already mixed with seed and replication
/// `iteration`    of the task's loop
/// `step_name`    hash_name() of the step
/// `draw_number`  distinguishes several draws of one step in one iteration
FORKSIM_INLINE constexpr Words draw(std::uint64_t stream, std::uint64_t iteration, std::uint64_t step_name,
                                    std::uint32_t draw_number) {
    return threefry2x64({iteration, draw_number}, {stream, step_name});
}

}  // namespace forksim
