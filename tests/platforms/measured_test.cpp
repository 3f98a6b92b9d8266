#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "platforms/library.hpp"
#include "platforms/machine.hpp"

// data/core_to_core_medians.csv: medians of measured core-to-core matrices (MIT licence beside it), half a
// compare-and-swap round trip. home_node: on which socket a matrix's line had its home, told by which socket was fast.

using namespace forksim;

namespace {

/// What was measured, by relation.
struct Row {
    std::uint32_t home_node = 0;
    std::map<std::string, double> median_ns;
    std::map<std::string, std::size_t> pairs;
};

std::map<std::string, Row> measured() {
    std::ifstream in(FORKSIM_MEASURED);
    std::map<std::string, Row> rows;
    std::string line;
    std::getline(in, line);
    REQUIRE(line == "matrix,home_node,relation,pairs,median_ns");
    while (std::getline(in, line)) {
        std::vector<std::string> cells;
        std::istringstream text(line);
        for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
        REQUIRE(cells.size() == 5);
        Row& row = rows[cells[0]];
        row.home_node = static_cast<std::uint32_t>(std::stoul(cells[1]));
        row.pairs[cells[2]] = std::stoul(cells[3]);
        row.median_ns[cells[2]] = std::stod(cells[4]);
    }
    return rows;
}

std::map<std::string, std::vector<double>> costs_by_relation(const Topology& t, std::uint32_t home_node) {
    std::map<std::string, std::vector<double>> costs;
    for (Cpu a = 0; a < t.cpu_count(); ++a) {
        for (Cpu b = 0; b < a; ++b) {
            const CpuPlace& x = t.cpus[a];
            const CpuPlace& y = t.cpus[b];
            const std::string relation = x.core == y.core       ? "smt"
                                         : x.llc == y.llc       ? "llc"
                                         : x.socket == y.socket ? "socket" + std::to_string(x.socket)
                                                                : "cross";
            costs[relation].push_back(static_cast<double>(transfer_cost(t, a, b, home_node).ps) / 1000);
        }
    }
    return costs;
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Every relation of the machine lies within 3 % of the row; `same_size`: the row was measured on a machine of its
/// size.
void check_against(const Topology& t, const std::string& matrix, bool same_size) {
    CAPTURE(t.name);
    CAPTURE(matrix);
    const std::map<std::string, Row> rows = measured();
    REQUIRE(rows.contains(matrix));
    const Row& row = rows.at(matrix);
    for (const auto& entry : costs_by_relation(t, row.home_node)) {
        const std::string& relation = entry.first;
        const std::vector<double>& costs = entry.second;
        CAPTURE(relation);
        REQUIRE(row.median_ns.contains(relation));
        CHECK(median(costs) == doctest::Approx(row.median_ns.at(relation)).epsilon(0.03));
        if (same_size) CHECK(costs.size() == row.pairs.at(relation));
    }
}

Topology shape_like(const char* like, std::uint32_t sockets, std::uint32_t cores, std::uint32_t smt) {
    PlatformShape shape;
    shape.like = like;
    shape.sockets = sockets;
    shape.cores = cores;
    shape.smt = smt;
    return topology_of_shape(shape);
}

}  // namespace

TEST_CASE("each measured machine gives back the medians of its matrix within 3 %") {
    check_against(*find_platform("broadwell-2s-18c-smt"), "Intel(R) Xeon(R) CPU E5-2695 v4 @ 2.10GHz", true);
    check_against(*find_platform("cascadelake-2s-24c-smt"), "Intel(R) Xeon(R) Platinum 8275CL CPU @ 3.00GHz", true);
    check_against(*find_platform("icelake-2s-32c-smt"), "Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz", true);
    check_against(*find_platform("milanx-1s-64c-smt"), "AMD EPYC 7773X", true);
    check_against(*find_platform("graviton3-1s-64c"), "AWS Graviton3", true);
    check_against(*find_platform("kunpeng-1s-64c"), "HiSilicon Kunpeng 920-6426 @ 2.6GHz", true);
    check_against(shape_like("xeon-6242", 2, 16, 2), "Dual Intel(R) Xeon Gold 6242 @ 2.8GHz", true);
    check_against(shape_like("graviton2", 1, 64, 1), "AWS Graviton2", true);
}

TEST_CASE("each socket of a dual EPYC gives back the median of that socket, near the home or far from it") {
    check_against(*find_platform("rome-2s-64c-smt"), "Dual AMD EPYC 7742 64-Core Processor", true);
    check_against(*find_platform("milan-2s-48c-smt"), "AMD EPYC 7R13 48-Core Processor", true);
}

TEST_CASE("the 2 x 20 core Cascade Lake lies within 3 % of both Cascade Lake rows") {
    check_against(*find_platform("cascadelake-2s-20c-smt"), "Dual Intel(R) Xeon Gold 6242 @ 2.8GHz", false);
    check_against(*find_platform("cascadelake-2s-20c-smt"), "Intel(R) Xeon(R) Platinum 8275CL CPU @ 3.00GHz", false);
}

TEST_CASE("the one-socket Xeon has the distance within a socket of its row") {
    check_against(*find_platform("xeon-1s-20c"), "Intel(R) Xeon(R) Platinum 8275CL CPU @ 3.00GHz", false);
}

TEST_CASE("the big EPYC is Milan with a tenth more between caches") {
    const Topology milan = *find_platform("milan-2s-48c-smt");
    const Topology big = *find_platform("epyc-2s-128c-smt");
    const auto cost = [](const Topology& t, Cpu a, Cpu b) { return static_cast<double>(transfer_cost(t, a, b, 0).ps); };
    CHECK(cost(big, 0, 1) == cost(milan, 0, 1));
    CHECK(cost(big, 0, 8) == doctest::Approx(1.1 * cost(milan, 0, 8)).epsilon(0.001));
    CHECK(cost(big, 0, 128) == doctest::Approx(1.1 * cost(milan, 0, 48)).epsilon(0.001));
    CHECK(cost(big, 128, 136) == cost(big, 0, 128));  // far from the home within a socket: as dear as across
}
