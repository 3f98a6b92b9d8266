#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "models/touch_cost.hpp"

namespace forksim {

/// A red-black tree into which every key goes behind all others, such as pidfs' tree of inode numbers.
/// lib/rbtree.c (__rb_insert, __rb_erase_augmented, ____rb_erase_color), include/linux/rbtree.h (rb_find_add);
/// users: fs/pidfs.c, pidfs_add_pid and pidfs_remove_pid.
///
/// Each node lies on a line of its own (struct pid), the root and the sequence count around it on another. An operation
/// stores to the root's line, reads each node that it looks at (Access::read: where to go next hangs on it) and stores
/// to each node that it changes (Access::store), each once, in the order of the kernel's code. O(log n).
class RbTree {
  public:
    using Node = std::uint32_t;
    static constexpr Node none = ~Node{0};
    enum Side : std::uint8_t { left, right };

    /// A tree of `resident` nodes, inserted in a row; their lines belong to the CPUs in turn.
    /// `lines` must outlive the tree.
    RbTree(Lines& lines, LineId root_line, Cpu cpus, std::uint32_t resident);

    /// Adds the new greatest node. The CPU has filled in the node before: its line is its own.
    Node insert(TouchCost& cost);
    /// REQUIRES that `node` came from insert() and has not been erased.
    void erase(Node node, TouchCost& cost);

    // The structure, at no cost.
    Node root() const { return root_; }
    LineId root_line() const { return root_line_; }
    Node parent(Node n) const { return nodes_[n].parent; }
    Node child(Node n, Side side) const { return nodes_[n].child[side]; }
    bool red(Node n) const { return nodes_[n].red; }
    LineId line(Node n) const { return nodes_[n].line; }

  private:
    struct Cell {
        LineId line = 0;
        Node parent = none;
        std::array<Node, 2> child{none, none};
        std::uint32_t looked_in = 0;   // the last operation that read it
        std::uint32_t changed_in = 0;  // and that stored to it
        bool red = false;
    };
    static Side other(Side side) { return side == left ? right : left; }

    Node new_node();
    void begin(TouchCost* cost);
    Node add_rightmost();
    void rebalance_inserted(Node node);
    void rebalance_erased(Node parent);
    Node unlink_with_two_children(Node node);
    void change_child(Node old_child, Node new_child, Node parent);
    void rotate_set_parents(Node old_top, Node new_top, bool red);

    // What the kernel's code reads and writes, charged to the operation.
    Cell& look(Node n);
    Cell& change(Node n);
    void change_root(Node n) { root_ = n; }  // its line is the operation's already
    void set_parent(Node n, Node parent, bool red);

    Lines& lines_;
    LineId root_line_;
    Node root_ = none;
    std::vector<Cell> nodes_;
    std::vector<Node> free_;
    std::uint32_t operation_ = 0;
    TouchCost* cost_ = nullptr;  // of the operation; nobody pays for the residents
};

}  // namespace forksim
