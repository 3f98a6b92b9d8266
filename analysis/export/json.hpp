#pragma once
#include <span>
#include <string>

#include "analysis/export/histogram_text.hpp"
#include "analysis/export/json_writer.hpp"
#include "analysis/export/result.hpp"

namespace forksim {

/// The result as JSON of the schema "forksim-result/1" (README.md of this folder).
std::string to_json(const Result& result, std::span<const NamedHistogram> histograms);

/// The same as one value inside a larger document.
void write_result(JsonWriter& json, const Result& result, std::span<const NamedHistogram> histograms);

}  // namespace forksim
