#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

namespace forksim {

/// Two 64-bit words: a counter or key of threefry, or the 128 bits that it returns.
using Words = std::array<std::uint64_t, 2>;

/// threefry2x64 with 13 rounds: a bijection of `counter` for every `key`, random to every known test.
/// Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
constexpr Words threefry2x64(Words counter, Words key) {
    constexpr int rotation[8] = {16, 42, 12, 31, 16, 32, 24, 21};
    const std::uint64_t schedule[3] = {key[0], key[1], 0x1BD11BDAA9FC1A22 ^ key[0] ^ key[1]};
    std::uint64_t x = counter[0] + schedule[0];
    std::uint64_t y = counter[1] + schedule[1];
    for (unsigned round = 0; round < 13; ++round) {
        x += y;
        y = std::rotl(y, rotation[round % 8]) ^ x;
        if (round % 4 == 3) {
            const unsigned injection = round / 4 + 1;
            x += schedule[injection % 3];
            y += schedule[(injection + 1) % 3] + injection;
        }
    }
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
constexpr Words draw(std::uint64_t stream, std::uint64_t iteration, std::uint64_t step_name,
                     std::uint32_t draw_number) {
    return threefry2x64({iteration, draw_number}, {stream, step_name});
}

}  // namespace forksim
