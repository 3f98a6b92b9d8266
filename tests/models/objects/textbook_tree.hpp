#pragma once
#include <cstdint>
#include <map>

#include "tests/models/objects/counted_copies.hpp"

namespace forksim::test {

/// A red-black tree by the textbook (Cormen, Leiserson, Rivest, Stein, chapter 13), keyed by numbers in a map, with
/// what it looks at and changes counted as accesses to one line per key. Key 0 is no node; its line is the root's.
/// Where a line is looked at while a store to it is on its way, the order of the stores before matters: it is the
/// kernel's.
class TextbookTree {
  public:
    struct Node {
        std::uint64_t parent = 0;
        std::uint64_t child[2] = {0, 0};
        bool red = false;
    };
    explicit TextbookTree(CountedCopies& copies) : copies_(copies) {}

    const std::map<std::uint64_t, Node>& nodes() const { return nodes_; }
    std::uint64_t root() const { return root_; }

    /// A key greater than all others.
    void insert(std::uint64_t key) {
        copies_.store({0, 0});
        std::uint64_t parent = 0;
        for (std::uint64_t n = root_; n != 0; n = see(n).child[1]) parent = n;
        nodes_[key] = {parent, {0, 0}, true};
        copies_.store({key, 0});
        put_below(parent, 0, key);
        std::uint64_t x = key;
        while (x != root_ && see(see(x).parent).red) {
            const std::uint64_t p = see(x).parent;
            const std::uint64_t g = see(p).parent;
            const int side = see(g).child[1] == p ? 1 : 0;
            const std::uint64_t uncle = see(g).child[1 - side];
            if (is_red(uncle)) {
                colour(p, false);
                colour(uncle, false);
                colour(g, true);
                x = g;
                continue;
            }
            if (see(p).child[1 - side] == x) {
                rotate(p, side);
                x = p;
            }
            colour(see(x).parent, false);
            colour(g, true);
            rotate(g, 1 - side);
        }
        if (see(root_).red) colour(root_, false);
    }

    void erase(std::uint64_t key) {
        copies_.store({0, 0});
        const Node z = see(key);
        std::uint64_t short_side = 0;  // root of the side that lacks a black node; may be empty
        std::uint64_t above = 0;       // and its parent
        bool lacks_black = !z.red;
        if (z.child[0] == 0 || z.child[1] == 0) {
            short_side = z.child[0] != 0 ? z.child[0] : z.child[1];
            above = z.parent;
            transplant(key, short_side);
        } else {
            std::uint64_t y = z.child[1];
            while (see(y).child[0] != 0) y = see(y).child[0];
            lacks_black = !see(y).red;
            short_side = see(y).child[1];
            above = y;
            if (y != z.child[1]) {
                above = see(y).parent;
                transplant(y, short_side);
                put(y).child[1] = z.child[1];
                put(z.child[1]).parent = y;
            }
            put(y).child[0] = z.child[0];
            put(z.child[0]).parent = y;
            transplant(key, y);
            colour(y, z.red);
        }
        nodes_.erase(key);
        // The only child of a black node is red, or there would be too few black nodes on the other side.
        if (short_side != 0) {
            colour(short_side, false);
        } else if (lacks_black) {
            fix(short_side, above);
        }
    }

  private:
    void fix(std::uint64_t x, std::uint64_t above) {
        while (above != 0 && (x == 0 || !see(x).red)) {
            const int side = see(above).child[1] == x ? 0 : 1;  // the sibling's
            std::uint64_t w = see(above).child[side];
            if (see(w).red) {
                rotate(above, 1 - side);
                colour(w, false);
                colour(above, true);
                w = see(above).child[side];
            }
            if (is_red(see(w).child[side])) {
                settle(above, w, side);
                return;
            }
            if (is_red(see(w).child[1 - side])) {
                const std::uint64_t inner = see(w).child[1 - side];
                colour(inner, false);
                colour(w, true);
                rotate(w, side);
                settle(above, inner, side);
                return;
            }
            colour(w, true);
            x = above;
            above = see(x).parent;
        }
        if (x != 0 && see(x).red) colour(x, false);
    }
    /// Case 4: the sibling's outer child is red.
    void settle(std::uint64_t above, std::uint64_t w, int side) {
        colour(w, see(above).red);
        colour(above, false);
        colour(see(w).child[side], false);
        rotate(above, 1 - side);
    }
    /// `x` goes down on side `side`, its other child takes its place.
    void rotate(std::uint64_t x, int side) {
        const std::uint64_t y = see(x).child[1 - side];
        const std::uint64_t inner = see(y).child[side];
        const std::uint64_t parent = see(x).parent;
        put(x).child[1 - side] = inner;
        put(y).child[side] = x;
        if (inner != 0) put(inner).parent = x;
        put(y).parent = parent;
        put(x).parent = y;
        put_below(parent, x, y);
    }
    void transplant(std::uint64_t old_node, std::uint64_t new_node) {
        const std::uint64_t parent = see(old_node).parent;
        put_below(parent, old_node, new_node);
        if (new_node != 0) put(new_node).parent = parent;
    }
    /// In the place of `old_node`, or as the right child if that is none.
    void put_below(std::uint64_t parent, std::uint64_t old_node, std::uint64_t new_node) {
        if (parent == 0) {
            root_ = new_node;  // the root's line is the step's already
        } else {
            const int side = old_node != 0 && see(parent).child[0] == old_node ? 0 : 1;
            put(parent).child[side] = new_node;
        }
    }
    bool is_red(std::uint64_t n) { return n != 0 && see(n).red; }
    void colour(std::uint64_t n, bool red) { put(n).red = red; }
    const Node& see(std::uint64_t n) {
        copies_.load({n, 0});
        return nodes_.at(n);
    }
    Node& put(std::uint64_t n) {
        copies_.store({n, 0});
        return nodes_.at(n);
    }

    CountedCopies& copies_;
    std::map<std::uint64_t, Node> nodes_;
    std::uint64_t root_ = 0;
};

}  // namespace forksim::test
