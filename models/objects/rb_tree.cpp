#include "models/objects/rb_tree.hpp"

namespace forksim {

RbTree::RbTree(Lines& lines, LineId root_line, Cpu cpus, std::uint32_t resident)
    : lines_(lines), root_line_(root_line) {
    for (std::uint32_t i = 0; i < resident; ++i) {
        begin(nullptr);
        lines_.renew(nodes_[add_rightmost()].line, i % cpus);
    }
}

RbTree::Node RbTree::insert(TouchCost& cost) {
    begin(&cost);
    return add_rightmost();
}

/// pidfs_add_pid: write_seqcount_begin, rb_find_add.
RbTree::Node RbTree::add_rightmost() {
    const Node node = new_node();
    if (cost_ != nullptr) {
        lines_.renew(nodes_[node].line, cost_->cpu);
        cost_->access(root_line_, Access::store);
    }
    Node parent = none;
    for (Node n = root_; n != none; n = look(n).child[right]) parent = n;
    Cell& cell = change(node);
    cell.child = {none, none};
    set_parent(node, parent, true);
    if (parent == none) {
        change_root(node);
    } else {
        change(parent).child[right] = node;
    }
    rebalance_inserted(node);
    return node;
}

/// __rb_insert
void RbTree::rebalance_inserted(Node node) {
    Node above = look(node).parent;
    while (above != none && look(above).red) {
        const Node top = look(above).parent;
        const Side side = look(top).child[right] == above ? right : left;
        const Side away = other(side);
        const Node uncle = look(top).child[away];
        if (uncle != none && look(uncle).red) {  // case 1: flip colours, go on two levels up
            set_parent(uncle, top, false);
            set_parent(above, top, false);
            node = top;
            above = look(node).parent;
            set_parent(node, above, true);
            continue;
        }
        if (look(above).child[away] == node) {  // case 2: rotate at the parent, then as case 3
            const Node inner = look(node).child[side];
            change(above).child[away] = inner;
            change(node).child[side] = above;
            if (inner != none) set_parent(inner, above, false);
            set_parent(above, node, true);
            above = node;
        }
        const Node inner = look(above).child[away];  // case 3: rotate at the grandparent
        change(top).child[side] = inner;
        change(above).child[away] = top;
        if (inner != none) set_parent(inner, top, false);
        rotate_set_parents(top, above, true);
        return;
    }
    if (above == none) set_parent(node, none, false);
}

/// pidfs_remove_pid, __rb_erase_augmented
void RbTree::erase(Node node, TouchCost& cost) {
    begin(&cost);
    cost.access(root_line_, Access::store);
    const Cell& cell = look(node);
    Node rebalance = none;
    if (cell.child[left] != none && cell.child[right] != none) {
        rebalance = unlink_with_two_children(node);
    } else {
        const Node child = cell.child[left] != none ? cell.child[left] : cell.child[right];
        change_child(node, child, cell.parent);
        if (child != none) {
            set_parent(child, cell.parent, cell.red);
        } else if (!cell.red) {
            rebalance = cell.parent;
        }
    }
    if (rebalance != none) rebalance_erased(rebalance);
    free_.push_back(node);
}

/// The successor takes the node's place. Returns where a black node is missing, or none.
RbTree::Node RbTree::unlink_with_two_children(Node node) {
    const Cell& cell = look(node);
    const Node child = cell.child[right];
    Node successor = child;
    Node above = child;
    for (Node n = look(child).child[left]; n != none; n = look(n).child[left]) {
        above = successor;
        successor = n;
    }
    const Node below = look(successor).child[right];
    if (successor != child) {
        change(above).child[left] = below;
        change(successor).child[right] = child;
        change(child).parent = successor;
    }
    change(successor).child[left] = cell.child[left];
    change(cell.child[left]).parent = successor;
    change_child(node, successor, cell.parent);
    Node rebalance = none;
    if (below != none) {
        set_parent(below, above, false);
    } else if (!look(successor).red) {
        rebalance = above;
    }
    set_parent(successor, cell.parent, cell.red);
    return rebalance;
}

/// ____rb_erase_color: below `above` the paths on one side are one black node short.
void RbTree::rebalance_erased(Node above) {
    Node node = none;
    for (;;) {
        const Side side = look(above).child[right] == node ? left : right;  // the sibling's
        const Side near = other(side);
        Node sibling = look(above).child[side];
        if (look(sibling).red) {  // case 1: rotate at the parent
            const Node inner = look(sibling).child[near];
            change(above).child[side] = inner;
            change(sibling).child[near] = above;
            set_parent(inner, above, false);
            rotate_set_parents(above, sibling, true);
            sibling = inner;
        }
        Node outer = look(sibling).child[side];
        if (outer == none || !look(outer).red) {
            const Node inner = look(sibling).child[near];
            if (inner == none || !look(inner).red) {  // case 2: flip the sibling, go on one level up
                set_parent(sibling, above, true);
                if (look(above).red) {
                    change(above).red = false;
                    return;
                }
                node = above;
                above = look(node).parent;
                if (above == none) return;
                continue;
            }
            const Node far = look(inner).child[side];  // case 3: rotate at the sibling, then as case 4
            change(sibling).child[near] = far;
            change(inner).child[side] = sibling;
            change(above).child[side] = inner;
            if (far != none) set_parent(far, sibling, false);
            outer = sibling;
            sibling = inner;
        }
        const Node inner = look(sibling).child[near];  // case 4: rotate at the parent, flip colours
        change(above).child[side] = inner;
        change(sibling).child[near] = above;
        set_parent(outer, sibling, false);
        if (inner != none) change(inner).parent = above;
        rotate_set_parents(above, sibling, false);
        return;
    }
}

/// __rb_change_child
void RbTree::change_child(Node old_child, Node new_child, Node parent) {
    if (parent == none) {
        change_root(new_child);
        return;
    }
    const Side side = look(parent).child[left] == old_child ? left : right;
    change(parent).child[side] = new_child;
}

/// __rb_rotate_set_parents: `new_top` takes the place and the colour of `old_top`.
void RbTree::rotate_set_parents(Node old_top, Node new_top, bool red) {
    const Node parent = look(old_top).parent;
    set_parent(new_top, parent, look(old_top).red);
    set_parent(old_top, new_top, red);
    change_child(old_top, new_top, parent);
}

RbTree::Node RbTree::new_node() {
    if (!free_.empty()) {
        const Node node = free_.back();
        free_.pop_back();
        return node;
    }
    nodes_.emplace_back();
    nodes_.back().line = lines_.add(0);  // renew() gives it its home
    return static_cast<Node>(nodes_.size() - 1);
}

void RbTree::begin(TouchCost* cost) {
    cost_ = cost;
    ++operation_;
}

RbTree::Cell& RbTree::look(Node n) {
    Cell& cell = nodes_[n];
    if (cell.looked_in != operation_) {
        cell.looked_in = operation_;
        if (cost_ != nullptr) cost_->access(cell.line, Access::read);
    }
    return cell;
}

RbTree::Cell& RbTree::change(Node n) {
    Cell& cell = nodes_[n];
    if (cell.changed_in != operation_) {
        cell.changed_in = operation_;
        if (cost_ != nullptr) cost_->access(cell.line, Access::store);
    }
    return cell;
}

void RbTree::set_parent(Node n, Node parent, bool red) {
    Cell& cell = change(n);
    cell.parent = parent;
    cell.red = red;
}

}  // namespace forksim
