#include "analysis/export/csv.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "tests/analysis/export/made_up.hpp"

using namespace forksim;

TEST_CASE("each line of the CSV holds one number and says what it is") {
    const std::string csv = to_csv(made_up::result());
    CHECK(csv.starts_with("table,name,caller,metric,value\n"));
    for (const char* line :
         {"throughput,threads/s,,mean,50000\n", "locks,pid,,per_op,2.5\n", "locks,pid,,wait_ns.min,1.5\n",
          "sites,release/unhash,exit,acquisitions,71\n", "sites,release/unhash,*,acquisitions,101\n",
          "paths,turn,,latency_ns.count,1000\n", "cpu,,,kernel,0.5\n", "events,,,ties,6\n", "counts,forks,,count,7\n"})
        CHECK_MESSAGE(csv.find(line) != std::string::npos, line);
    std::istringstream lines(csv);
    for (std::string line; std::getline(lines, line);) CHECK(std::ranges::count(line, ',') == 4);
}

TEST_CASE("commas and quotes in names are quoted") {
    Result r = made_up::result();
    r.run.scenario = "a,\"b\"";
    CHECK(to_csv(r).find("scenario,\"a,\"\"b\"\"\",,seed,42\n") != std::string::npos);
}
