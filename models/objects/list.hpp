#pragma once
#include <cstdint>
#include <vector>

#include "models/touch_cost.hpp"

namespace forksim {

/// A circular doubly linked list whose members join at the tail. include/linux/list.h (list_add_tail, list_del);
/// users: css_set->tasks, signal->thread_head, init_task.tasks, task_struct->children.
///
/// The head and each member have a line of their own (in task_struct: cg_list, thread_node, tasks, sibling). O(1).
class List {
  public:
    using Node = std::uint32_t;

    /// A list of `resident` members, whose lines belong to the CPUs in turn. `head` says how add_tail takes the head's
    /// line: Access::write if the old tail's address is waited for, Access::store if that overlaps.
    /// `lines` must outlive the list.
    List(Lines& lines, LineId head_line, Access head, Cpu cpus, std::uint32_t resident);

    /// Head, then the old tail (store). The CPU has filled in the new member before: its line is its own.
    Node add_tail(TouchCost& cost);

    /// Its own line, which neighbours have written (a full transfer), then the two neighbours, the head perhaps
    /// among them (stores). REQUIRES that `node` came from add_tail() and has not been taken off.
    void del(Node node, TouchCost& cost);

    // The structure, at no cost.
    static constexpr Node head() { return 0; }
    Node next(Node n) const { return nodes_[n].next; }
    Node prev(Node n) const { return nodes_[n].prev; }
    LineId line(Node n) const { return nodes_[n].line; }

  private:
    struct Cell {
        LineId line = 0;
        Node prev = 0;
        Node next = 0;
    };
    Node link_tail();

    Lines& lines_;
    Access head_access_;
    std::vector<Cell> nodes_;  // [0] is the head
    std::vector<Node> free_;
};

}  // namespace forksim
