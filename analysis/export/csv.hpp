#pragma once
#include <string>

#include "analysis/export/result.hpp"

namespace forksim {

/// The result as CSV (RFC 4180, lines end in LF), one number per line: "table,name,caller,metric,value".
/// Names of tables and metrics, units and numbers are those of the JSON; nested keys are joined by a dot
/// ("wait_ns.p99"). What is not known has no line.
std::string to_csv(const Result& result);

}  // namespace forksim
