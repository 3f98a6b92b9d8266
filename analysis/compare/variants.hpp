#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/scenario.hpp"

namespace forksim {

/// One change to a base, as it was asked for.
struct AskedVariant {
    enum class Kind : std::uint8_t { patch, remove, scale, set } kind = Kind::patch;
    std::string text;  ///< the option's value: patches, joined by `+`, SITE, SITE=FACTOR or KEY=VALUE
};

/// A base with one change.
struct Variant {
    std::string name;  ///< "--patch pidmap-once", as it could be typed
    Request request;
};

/// `with_work`: removing a site drops what it did under the lock, too.
Variant variant_of(const Request& base, const AskedVariant& asked, bool with_work);

/// The removal of each acquisition of a compiled base, by name of the site; callers of one site go together.
std::vector<AskedVariant> each_site(const Compiled& base);

}  // namespace forksim
