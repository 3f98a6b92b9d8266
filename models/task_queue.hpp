#pragma once
#include <vector>

#include "models/memory.hpp"
#include "sim/core.hpp"

namespace forksim {

/// Tasks in a row, linked through Wait::next: a task is in at most one.
class TaskQueue {
  public:
    bool empty() const { return first_ == no_task; }
    Task front() const { return first_; }

    void push(std::vector<Wait>& waits, Task t) {
        waits[t].next = no_task;
        (first_ == no_task ? first_ : waits[last_].next) = t;
        last_ = t;
    }
    void push_front(std::vector<Wait>& waits, Task t) {
        if (first_ == no_task) last_ = t;
        waits[t].next = first_;
        first_ = t;
    }
    Task pop(const std::vector<Wait>& waits) {
        const Task t = first_;
        first_ = waits[t].next;
        return t;
    }
    /// REQUIRES that `t` is in it.
    void remove(std::vector<Wait>& waits, Task t) {
        Task previous = no_task;
        Task* link = &first_;
        while (*link != t) {
            previous = *link;
            link = &waits[previous].next;
        }
        *link = waits[t].next;
        if (last_ == t) last_ = previous;
    }

  private:
    Task first_ = no_task;
    Task last_ = no_task;  // if there is a first one
};

}  // namespace forksim
