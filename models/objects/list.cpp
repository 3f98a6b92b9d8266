#include "models/objects/list.hpp"

namespace forksim {

List::List(Lines& lines, LineId head_line, Access head, Cpu cpus, std::uint32_t resident)
    : lines_(lines), head_access_(head) {
    nodes_.push_back({head_line, 0, 0});
    for (std::uint32_t i = 0; i < resident; ++i) lines_.renew(nodes_[link_tail()].line, i % cpus);
}

List::Node List::add_tail(TouchCost& cost) {
    const Node tail = nodes_[head()].prev;
    cost.access(nodes_[head()].line, head_access_);
    if (tail != head()) cost.access(nodes_[tail].line, Access::store);
    const Node node = link_tail();
    lines_.renew(nodes_[node].line, cost.cpu);
    return node;
}

void List::del(Node node, TouchCost& cost) {
    const Cell cell = nodes_[node];
    cost.access(cell.line, Access::write);  // read first, poisoned at once
    cost.access(nodes_[cell.next].line, Access::store);
    if (cell.prev != cell.next) cost.access(nodes_[cell.prev].line, Access::store);
    nodes_[cell.next].prev = cell.prev;
    nodes_[cell.prev].next = cell.next;
    free_.push_back(node);
}

List::Node List::link_tail() {
    Node node;
    if (free_.empty()) {
        node = static_cast<Node>(nodes_.size());
        nodes_.emplace_back();
        nodes_[node].line = lines_.add(0);  // renew() gives it its home
    } else {
        node = free_.back();
        free_.pop_back();
    }
    const Node tail = nodes_[head()].prev;
    nodes_[node].prev = tail;
    nodes_[node].next = head();
    nodes_[tail].next = node;
    nodes_[head()].prev = node;
    return node;
}

}  // namespace forksim
