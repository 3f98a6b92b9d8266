// Cycles of a lock order: shortest ones through each edge of each strong component.
#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/strong_components.hpp>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/order/lock_order.hpp"

namespace forksim {
namespace {

// lockdep's "strong" paths: a lock that is waited for by a recursive read is not held up by one who holds it for
// reading. So each lock is two vertices, by the way that leads to it: 2 * lock, + 1 after a recursive read, where only
// edges go on that hold the lock otherwise than for reading.
using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
using Vertex = boost::graph_traits<Graph>::vertex_descriptor;
using Hop = std::pair<Vertex, Vertex>;

/// What a lock is held up by when it is waited for as `edge` does, being held as `next` says.
bool blocks(const LockEdge& edge, const LockEdge& next) { return !edge.recursive || next.held != AcquireMode::read; }

class Search {
  public:
    Search(const ModelSpec& model, LockOrder& order) : model_(model), order_(order), graph_(2 * model.locks.size()) {
        for (std::uint32_t i = 0; i < order.edges.size(); ++i) {
            const LockEdge& edge = order.edges[i];
            if (edge.nesting != Nesting::other || !edge.waits) continue;
            const Vertex to = 2 * std::size_t{edge.inner} + (edge.recursive ? 1 : 0);
            add({2 * std::size_t{edge.outer}, to}, i);
            if (edge.held != AcquireMode::read) add({2 * std::size_t{edge.outer} + 1, to}, i);
        }
    }

    void run() {
        within_one_lock();
        between_locks();
        for (auto& [locks, edges] : found_) {
            if (order_.cycles.size() == most_cycles) {
                order_.more_cycles = true;
                break;
            }
            LockCycle& cycle = order_.cycles.emplace_back();
            cycle.locks = locks;
            for (const std::set<std::uint32_t>& hop : edges) cycle.edges.emplace_back(hop.begin(), hop.end());
        }
        for (const auto& [locks, edges] : found_) {
            for (const std::set<std::uint32_t>& hop : edges) {
                for (const std::uint32_t edge : hop) order_.edges[edge].in_cycle = true;
            }
        }
        const auto names = [&](const LockCycle& cycle) {
            std::vector<std::string> list;
            for (const std::uint32_t lock : cycle.locks) list.push_back(model_.locks[lock].name);
            return list;
        };
        std::sort(order_.cycles.begin(), order_.cycles.end(), [&](const LockCycle& a, const LockCycle& b) {
            return std::pair(a.locks.size(), names(a)) < std::pair(b.locks.size(), names(b));
        });
    }

  private:
    void add(const Hop& hop, std::uint32_t edge) {
        std::vector<std::uint32_t>& edges = hops_[hop];
        if (edges.empty()) boost::add_edge(hop.first, hop.second, graph_);
        edges.push_back(edge);
    }

    /// Reads within a read, between which a writer may come, and instances that are taken in both orders.
    void within_one_lock() {
        for (std::uint32_t i = 0; i < order_.edges.size(); ++i) {
            const LockEdge& edge = order_.edges[i];
            if (!edge.waits || edge.nesting == Nesting::other) continue;
            if (edge.nesting == Nesting::again && blocks(edge, edge)) {
                std::vector<std::set<std::uint32_t>>& hops = found_[{edge.outer}];
                hops.resize(1);
                hops[0].insert(i);
            }
            if (edge.nesting != Nesting::downward) continue;
            for (std::uint32_t k = 0; k < order_.edges.size(); ++k) {
                const LockEdge& back = order_.edges[k];
                if (back.outer != edge.outer || back.nesting != Nesting::upward || !back.waits) continue;
                if (!blocks(edge, back) || !blocks(back, edge)) continue;
                std::vector<std::set<std::uint32_t>>& hops = found_[{edge.outer, edge.outer}];
                hops.resize(2);
                hops[0].insert(i);
                hops[1].insert(k);
            }
        }
    }

    void between_locks() {
        std::vector<std::size_t> component(boost::num_vertices(graph_));
        boost::strong_components(
            graph_, boost::make_iterator_property_map(component.begin(), get(boost::vertex_index, graph_)));
        for (const auto& [hop, edges] : hops_) {
            if (component[hop.first] != component[hop.second]) continue;
            keep(way_back(hop));
        }
    }

    /// The shortest cycle through a hop, beginning with its end. REQUIRES both ends in one component.
    std::vector<Vertex> way_back(const Hop& hop) const {
        std::vector<Vertex> before(boost::num_vertices(graph_));
        const auto map = boost::make_iterator_property_map(before.begin(), get(boost::vertex_index, graph_));
        boost::breadth_first_search(
            graph_, hop.second,
            boost::visitor(boost::make_bfs_visitor(boost::record_predecessors(map, boost::on_tree_edge()))));
        std::vector<Vertex> cycle = {hop.first};
        while (cycle.back() != hop.second) cycle.push_back(before[cycle.back()]);
        std::reverse(cycle.begin(), cycle.end());
        return cycle;
    }

    /// One that meets a lock twice contains a shorter one, which another hop leads to.
    void keep(std::vector<Vertex> cycle) {
        const auto name = [&](Vertex vertex) -> const std::string& { return model_.locks[vertex / 2].name; };
        std::set<Vertex> met;
        for (const Vertex vertex : cycle) {
            if (!met.insert(vertex / 2).second) return;
        }
        std::rotate(cycle.begin(),
                    std::min_element(cycle.begin(), cycle.end(), [&](Vertex a, Vertex b) { return name(a) < name(b); }),
                    cycle.end());
        std::vector<std::uint32_t> locks;
        for (const Vertex vertex : cycle) locks.push_back(static_cast<std::uint32_t>(vertex / 2));
        std::vector<std::set<std::uint32_t>>& hops = found_[locks];
        hops.resize(cycle.size());
        for (std::size_t i = 0; i < cycle.size(); ++i) {
            const std::vector<std::uint32_t>& edges = hops_.at({cycle[i], cycle[(i + 1) % cycle.size()]});
            hops[i].insert(edges.begin(), edges.end());
        }
    }

    const ModelSpec& model_;
    LockOrder& order_;
    Graph graph_;
    std::map<Hop, std::vector<std::uint32_t>> hops_;
    std::map<std::vector<std::uint32_t>, std::vector<std::set<std::uint32_t>>> found_;
};

}  // namespace

void find_cycles(const ModelSpec& model, LockOrder& order) { Search(model, order).run(); }

}  // namespace forksim
