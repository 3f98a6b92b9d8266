#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "models/touch_cost.hpp"

namespace forksim {

/// A radix tree that hands out numbers in a circle, such as the pids of a namespace. The idr itself (its next number,
/// the root of the tree) lies on a line of its owner's, which the caller touches. lib/idr.c (idr_alloc_cyclic,
/// idr_replace, idr_remove), lib/radix-tree.c (idr_get_free, __radix_tree_lookup,
/// __radix_tree_replace, __radix_tree_delete, delete_node), include/linux/xarray.h (struct xa_node).
///
/// A node has 64 slots on nine lines: 40 bytes of header (count, shift, parent), then the slots, then the tags. A leaf
/// is made when a number from its range is first taken and freed with the last one, so about every 64 numbers. Each
/// operation walks from the root (reads of headers, of slots on the way, of tags) and stores to the leaf; a leaf that
/// fills up, gets its first free slot, is made or freed stores to its parent too. O(levels). The tree has the height
/// that the greatest number needs from the beginning, and keeps its root.
class Idr {
  public:
    /// Numbers from 1 to `ids` - 1, the first `resident` of them taken for ever; their lines belong to the CPUs in
    /// turn. REQUIRES resident + 1 < ids <= 2^30. `lines` must outlive the idr.
    Idr(Lines& lines, Cpu cpus, std::uint32_t ids, std::uint32_t resident);

    /// idr_alloc_cyclic: the next free number behind the last one given out. Begins again at 300 (RESERVED_PIDS of
    /// kernel/pid.c). 0 if all are taken.
    std::uint32_t alloc(TouchCost& cost);
    /// idr_replace. REQUIRES that `id` is taken, as does remove().
    void replace(std::uint32_t id, TouchCost& cost);
    /// idr_remove
    void remove(std::uint32_t id, TouchCost& cost);

    /// Leaves made since the beginning, those of the residents included.
    std::uint64_t leaves_made() const { return leaves_made_; }

  private:
    using Node = std::uint32_t;
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    static constexpr std::uint32_t header = 0;  // lines of a node
    static constexpr std::uint32_t tags = 8;
    static constexpr std::uint32_t lines_per_node = 9;
    static std::uint32_t slot_line(std::uint32_t offset) { return (40 + 8 * offset) / 64; }

    struct Cell {
        LineId first_line = 0;
        Node parent = none;
        std::uint8_t offset = 0;                // in its parent
        std::uint8_t count = 0;                 // slots in use
        std::uint16_t changed = 0;              // lines that the operation has stored to, as bits
        std::uint32_t operation = 0;            // that `changed` is of
        std::uint64_t free = 0;                 // the tag IDR_FREE, by slot
        std::array<std::uint32_t, 64> child{};  // unless it is a leaf
    };
    static std::uint32_t digit(std::uint32_t id, std::uint32_t level) { return id >> (6 * level) & 63; }

    void begin(TouchCost* cost);
    std::uint32_t take_free(std::uint64_t start);
    void take(Node leaf, std::uint32_t offset);
    Node walk(std::uint32_t id);
    void free_empty(Node node);
    Node new_node(Node parent, std::uint32_t offset, std::uint32_t level);
    void look(Node node, std::uint32_t line);
    void change(Node node, std::uint32_t line);

    Lines& lines_;
    std::uint32_t ids_;
    std::uint32_t levels_ = 1;
    std::uint32_t next_ = 1;
    Node root_ = none;
    std::vector<Cell> nodes_;
    std::vector<Node> free_nodes_;
    std::uint64_t leaves_made_ = 0;
    std::uint32_t operation_ = 0;
    TouchCost* cost_ = nullptr;  // of the operation; nobody pays for the residents
};

}  // namespace forksim
