#pragma once
#include <cstdint>
#include <vector>

#include "models/line_table.hpp"
#include "models/objects/idr.hpp"
#include "models/objects/list.hpp"
#include "models/objects/rb_tree.hpp"
#include "models/scope.hpp"
#include "models/spec.hpp"
#include "models/touch_cost.hpp"

namespace forksim {

/// The objects of a kernel: their instances by scope, and which element of each belongs to whom.
class ObjectTable {
  public:
    ObjectTable(const ModelSpec& spec, const ScopeIndex& scopes, const LineTable& lines_of_spec, Lines& lines,
                const Topology& topology);

    /// The objects of a new process or task: empty but for their residents, the head's or root's line filled in by
    /// whoever makes it.
    void born(const Birth& birth);

    /// From now on owners may have numbers below `owners`.
    void reserve(std::size_t owners);

    /// Carries out the operation that `touch` names on the element of `owner`: one that is added joins the given
    /// instance, any other is where it was added. Throws InputError if the owner already has an
    /// element, or has none, or no number is left: only a run shows it. REQUIRES an operation of this kind.
    void operate(const Touch& touch, std::uint32_t instance, std::uint32_t owner, TouchCost& cost);

  private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    struct Element {
        std::uint32_t instance = none;  // index into the vector of its kind; none: no element
        std::uint32_t number = 0;       // node, or number given out
    };
    struct Object {
        Instances instances;      // in the vector of its kind
        std::vector<Element> of;  // by owner
    };

    Element& join(const Touch& touch, std::uint32_t instance, std::uint32_t owner);
    Element& of(const Touch& touch, std::uint32_t owner);
    Element leave(const Touch& touch, std::uint32_t owner);

    std::uint32_t add(const ObjectSpec& object, std::uint32_t number);

    const ModelSpec& spec_;
    const ScopeIndex& scopes_;
    const LineTable& lines_of_spec_;
    Lines& lines_;
    Cpu cpus_;
    std::size_t owners_ = 0;
    std::vector<Object> objects_;
    std::vector<RbTree> trees_;
    std::vector<Idr> idrs_;
    std::vector<List> lists_;
};

}  // namespace forksim
