#pragma once
#include <variant>
#include <vector>

#include "models/memory.hpp"
#include "models/pv_spin.hpp"
#include "models/queue_spin.hpp"
#include "models/tas_spin.hpp"
#include "sim/core.hpp"

namespace forksim {

/// The spinlock inside another lock, as the machine has it (Topology::virt): for kinds whose time goes elsewhere, so
/// that they need not exist three times.
class AnySpin {
  public:
    explicit AnySpin(const Making& making) : word_(made(making)) {}

    template <class C>
    Step acquire(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        return std::visit([&](auto& word) { return word.acquire(core, memory, waits, t); }, word_);
    }
    template <class C>
    Time release(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        return std::visit([&](auto& word) { return word.release(core, memory, waits, t); }, word_);
    }

  private:
    using Word = std::variant<QueueSpin, TasSpin, PvSpin>;
    static Word made(const Making& making) {
        switch (making.topology.virt) {
            case Virt::tas:
                return TasSpin(making);
            case Virt::pv:
                return PvSpin(making);
            case Virt::none:
                break;
        }
        return QueueSpin(making);
    }

    Word word_;
};

}  // namespace forksim
