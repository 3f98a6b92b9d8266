#pragma once
#include <span>
#include <string>

#include "scenarios/listing.hpp"

namespace forksim {

/// A scenario with everything applied to it, for people, at most text_width columns wide: what it is, configuration,
/// locks, lines and pools, functions by context with the value of each step and its source, sites.
std::string listing_text(const Listing& listing);

/// Names with what they are about, as two columns; a text too long for its line goes on below.
std::string files_text(std::span<const ListedFile> files, std::size_t indent);

}  // namespace forksim
