#pragma once

namespace forksim {

/// 128-bit integers: an extension of g++ and clang++, used for exact products and sums only.
__extension__ typedef unsigned __int128 uint128;

}  // namespace forksim
