#include "models/objects/idr.hpp"

#include <bit>

#include "sim/check.hpp"

namespace forksim {

namespace {
constexpr std::uint32_t reserved_pids = 300;  // kernel/pid.c
}

Idr::Idr(Lines& lines, Cpu cpus, std::uint32_t ids, std::uint32_t resident) : lines_(lines), ids_(ids) {
    FORKSIM_CHECK(ids <= 1u << 30 && resident + 1 < ids, "an idr with no number to give out");
    while ((std::uint64_t{ids} - 1) >> (6 * levels_) != 0) ++levels_;
    begin(nullptr);
    root_ = new_node(none, 0, levels_ - 1);
    for (std::uint32_t id = 1; id <= resident; ++id) {
        begin(nullptr);
        take_free(id);
    }
    next_ = resident + 1;
    for (Node node = 0; node < nodes_.size(); ++node)
        for (std::uint32_t line = 0; line < lines_per_node; ++line)
            lines_.renew(nodes_[node].first_line + line, (lines_per_node * node + line) % cpus);
}

std::uint32_t Idr::alloc(TouchCost& cost) {
    begin(&cost);
    const std::uint32_t first = next_ > reserved_pids ? reserved_pids : 1;
    std::uint32_t id = take_free(next_);
    if (id == none) id = take_free(first);
    if (id == none) return 0;
    next_ = id + 1;
    return id;
}

/// idr_get_free, then radix_tree_iter_replace and radix_tree_iter_tag_clear.
std::uint32_t Idr::take_free(std::uint64_t start) {
    if (start >= ids_) return none;
    Node node = root_;
    for (std::uint32_t level = levels_ - 1;; --level) {
        look(node, header);
        std::uint32_t offset = digit(static_cast<std::uint32_t>(start), level);
        if (level > 0) look(node, slot_line(offset));
        look(node, tags);
        if ((nodes_[node].free >> offset & 1) == 0) {
            const std::uint64_t behind = offset == 63 ? 0 : nodes_[node].free >> (offset + 1);
            offset = behind == 0 ? 64 : offset + 1 + static_cast<std::uint32_t>(std::countr_zero(behind));
            start = (start >> (6 * level + 6) << (6 * level + 6)) + (std::uint64_t{offset} << (6 * level));
            if (start >= ids_) return none;
            while (offset == 64) {
                offset = nodes_[node].offset + 1u;
                node = nodes_[node].parent;
                ++level;
            }
            if (level > 0) look(node, slot_line(offset));
        }
        if (level == 0) {
            take(node, offset);
            return static_cast<std::uint32_t>(start);
        }
        const Node child = nodes_[node].child[offset];
        node = child != none ? child : new_node(node, offset, level - 1);
    }
}

/// __radix_tree_replace, node_tag_clear
void Idr::take(Node leaf, std::uint32_t offset) {
    nodes_[leaf].count += 1;
    change(leaf, header);
    change(leaf, slot_line(offset));
    for (Node node = leaf; node != none; node = nodes_[node].parent) {
        nodes_[node].free &= ~(std::uint64_t{1} << offset);
        change(node, tags);
        if (nodes_[node].free != 0) return;
        offset = nodes_[node].offset;
    }
}

void Idr::replace(std::uint32_t id, TouchCost& cost) {
    begin(&cost);
    const Node leaf = walk(id);
    look(leaf, tags);
    change(leaf, slot_line(digit(id, 0)));
}

/// radix_tree_delete_item, node_tag_set
void Idr::remove(std::uint32_t id, TouchCost& cost) {
    begin(&cost);
    const Node leaf = walk(id);
    std::uint32_t offset = digit(id, 0);
    FORKSIM_CHECK((nodes_[leaf].free >> offset & 1) == 0, "a number is given back that is free");
    for (Node node = leaf; node != none; node = nodes_[node].parent) {
        look(node, tags);
        if ((nodes_[node].free >> offset & 1) != 0) break;
        nodes_[node].free |= std::uint64_t{1} << offset;
        change(node, tags);
        offset = nodes_[node].offset;
    }
    nodes_[leaf].count -= 1;
    change(leaf, header);
    change(leaf, slot_line(digit(id, 0)));
    free_empty(leaf);
}

/// __radix_tree_lookup
Idr::Node Idr::walk(std::uint32_t id) {
    Node node = root_;
    for (std::uint32_t level = levels_ - 1;; --level) {
        look(node, header);
        if (level == 0) return node;
        look(node, slot_line(digit(id, level)));
        node = nodes_[node].child[digit(id, level)];
        FORKSIM_CHECK(node != none, "a number is looked up that nobody has");
    }
}

/// delete_node
void Idr::free_empty(Node node) {
    while (nodes_[node].count == 0 && nodes_[node].parent != none) {
        const Node parent = nodes_[node].parent;
        change(parent, slot_line(nodes_[node].offset));
        change(parent, header);
        nodes_[parent].child[nodes_[node].offset] = none;
        nodes_[parent].count -= 1;
        free_nodes_.push_back(node);
        node = parent;
    }
}

/// radix_tree_node_alloc: a node of the CPU's own stock, linked into its parent.
Idr::Node Idr::new_node(Node parent, std::uint32_t offset, std::uint32_t level) {
    Node node;
    if (free_nodes_.empty()) {
        node = static_cast<Node>(nodes_.size());
        nodes_.emplace_back();
        nodes_[node].first_line = lines_.add(0);  // renew() gives them their home
        for (std::uint32_t line = 1; line < lines_per_node; ++line) lines_.add(0);
    } else {
        node = free_nodes_.back();
        free_nodes_.pop_back();
    }
    Cell& cell = nodes_[node];
    cell.parent = parent;
    cell.offset = static_cast<std::uint8_t>(offset);
    cell.count = 0;
    cell.free = ~std::uint64_t{0};
    if (level == 0) {
        ++leaves_made_;
    } else {
        cell.child.fill(none);
    }
    if (cost_ != nullptr)
        for (std::uint32_t line = 0; line < lines_per_node; ++line) lines_.renew(cell.first_line + line, cost_->cpu);
    if (parent != none) {
        change(parent, slot_line(offset));
        change(parent, header);
        nodes_[parent].child[offset] = node;
        nodes_[parent].count += 1;
    }
    return node;
}

void Idr::begin(TouchCost* cost) {
    cost_ = cost;
    ++operation_;
}

void Idr::look(Node node, std::uint32_t line) {
    if (cost_ != nullptr) cost_->access(nodes_[node].first_line + line, Access::read);
}

/// Several stores to a line on its way are one transfer.
void Idr::change(Node node, std::uint32_t line) {
    if (cost_ == nullptr) return;
    Cell& cell = nodes_[node];
    if (cell.operation != operation_) cell.changed = 0;
    cell.operation = operation_;
    const auto bit = static_cast<std::uint16_t>(1u << line);
    if ((cell.changed & bit) != 0) return;
    cell.changed = static_cast<std::uint16_t>(cell.changed | bit);
    cost_->access(cell.first_line + line, Access::store);
}

}  // namespace forksim
