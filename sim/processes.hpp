#pragma once
#include <cstdint>
#include <vector>

#include "sim/check.hpp"

namespace forksim {

/// The processes of a run: their numbers, and who created them. What is per process is kept under these numbers.
///
/// A number is given at the creation of a process, and given again, the one that came free last first, when all its
/// tasks have ended and nobody else keeps it. The processes of the root tasks have the first numbers; the next one is
/// that of init, which is the parent of whoever has no other.
class Processes {
  public:
    using Number = std::uint32_t;

    /// Processes 0 .. `roots` - 1 and init.
    explicit Processes(Number roots) : all_(roots + 1), init_(roots) {
        for (Process& process : all_) process.parent = init_;
        all_[init_].kept = all_[init_].tasks = 1;  // never ends
    }

    Number init() const { return init_; }

    /// A new process, without a task so far.
    Number create(Number parent) {
        Number number;
        if (free_.empty()) {
            number = static_cast<Number>(all_.size());
            all_.emplace_back();
        } else {
            number = free_.back();
            free_.pop_back();
        }
        Process& process = all_[number];
        process.parent = parent;
        process.parent_life = all_[parent].life;
        ++process.life;
        return number;
    }

    /// One task more. REQUIRES that the process has one, or has just been created.
    void join(Number number) {
        ++all_[number].tasks;
        ++all_[number].kept;
    }
    /// One of its tasks has ended.
    void leave(Number number) {
        --all_[number].tasks;
        let_go(number);
    }
    /// The number is not given again before let_go(): somebody may still ask for what belongs to the process.
    void keep(Number number) { ++all_[number].kept; }
    void let_go(Number number) {
        FORKSIM_CHECK(all_[number].kept > 0, "let a process go that nobody kept");
        if (--all_[number].kept == 0) free_.push_back(number);
    }

    /// Who created the process, or init if that has ended (forget_original_parent, kernel/exit.c).
    Number parent_of(Number number) const {
        const Process& process = all_[number];
        const Process& parent = all_[process.parent];
        return parent.tasks > 0 && parent.life == process.parent_life ? process.parent : init_;
    }

  private:
    struct Process {
        Number parent = 0;
        std::uint32_t parent_life = 0;  // of the number `parent`: which of the processes that had it
        std::uint32_t life = 0;         // how often the number has been given
        std::uint32_t tasks = 0;        // that have not ended
        std::uint32_t kept = 0;         // tasks, and keep() without let_go()
    };

    std::vector<Process> all_;
    std::vector<Number> free_;
    Number init_;
};

}  // namespace forksim
