#include "models/objects/object_table.hpp"

#include <algorithm>
#include <utility>

#include "sim/check.hpp"
#include "sim/error.hpp"

namespace forksim {

namespace {

ObjectKind kind_of(ObjectOp op) {
    switch (op) {
        case ObjectOp::insert:
        case ObjectOp::erase:
            return ObjectKind::rbtree;
        case ObjectOp::alloc:
        case ObjectOp::replace:
        case ObjectOp::remove:
            return ObjectKind::idr;
        case ObjectOp::add_tail:
        case ObjectOp::del:
            break;
    }
    return ObjectKind::list;
}

/// pid_idr_init, kernel/pid.c
std::uint32_t default_ids(Cpu cpus) { return std::max<std::uint32_t>(32768, 1024 * cpus); }

}  // namespace

ObjectTable::ObjectTable(const ModelSpec& spec, const ScopeIndex& scopes, const LineTable& lines_of_spec, Lines& lines,
                         const Topology& topology)
    : spec_(spec), scopes_(scopes), lines_of_spec_(lines_of_spec), lines_(lines), cpus_(topology.cpu_count()) {
    for (const ObjectSpec& object : spec.objects) {
        const std::uint32_t count = scopes.count(object.per);
        std::uint32_t first = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint32_t added = add(object, i);
            if (i == 0) first = added;
        }
        objects_.push_back({{first, count}, {}});
    }
}

/// Makes instance `number` of an object; returns where it is in the vector of its kind.
std::uint32_t ObjectTable::add(const ObjectSpec& object, std::uint32_t number) {
    if (object.kind == ObjectKind::idr) {
        idrs_.emplace_back(lines_, cpus_, object.ids != 0 ? object.ids : default_ids(cpus_), object.resident);
        return static_cast<std::uint32_t>(idrs_.size() - 1);
    }
    const LineId root = object.line == own_line ? lines_.add(scopes_.home(object.per, number))
                                                : lines_of_spec_.shared(object.line, object.per, number);
    if (object.kind == ObjectKind::rbtree) {
        trees_.emplace_back(lines_, root, cpus_, object.resident);
        return static_cast<std::uint32_t>(trees_.size() - 1);
    }
    lists_.emplace_back(lines_, root, object.head, cpus_, object.resident);
    return static_cast<std::uint32_t>(lists_.size() - 1);
}

void ObjectTable::born(const Birth& birth) {
    for (std::uint32_t i = 0; i < objects_.size(); ++i) {
        const ObjectSpec& object = spec_.objects[i];
        if (object.per.scope != birth.scope) continue;
        while (objects_[i].instances.count() <= birth.number)
            objects_[i].instances.add(add(object, objects_[i].instances.count()));
        if (birth.maker == no_cpu || object.line != own_line) continue;
        const std::uint32_t instance = objects_[i].instances[birth.number];
        if (object.kind == ObjectKind::list) lines_.renew(lists_[instance].line(List::head()), birth.maker);
        if (object.kind == ObjectKind::rbtree) lines_.renew(trees_[instance].root_line(), birth.maker);
    }
}

void ObjectTable::reserve(std::size_t owners) {
    if (owners <= owners_) return;
    owners_ = owners;
    for (Object& object : objects_) object.of.resize(owners);
}

void ObjectTable::operate(const Touch& touch, std::uint32_t instance, std::uint32_t owner, TouchCost& cost) {
    FORKSIM_CHECK(spec_.objects[touch.line].kind == kind_of(touch.op),
                  spec_.objects[touch.line].name + ": an operation of another kind of object");
    switch (touch.op) {
        case ObjectOp::insert: {
            Element& element = join(touch, instance, owner);
            element.number = trees_[element.instance].insert(cost);
            return;
        }
        case ObjectOp::erase: {
            const Element element = leave(touch, owner);
            trees_[element.instance].erase(element.number, cost);
            return;
        }
        case ObjectOp::alloc: {
            Element& element = join(touch, instance, owner);
            element.number = idrs_[element.instance].alloc(cost);
            if (element.number == 0) {
                throw InputError(spec_.objects[touch.line].name +
                                 ": all numbers are taken: `ids` are too few for the tasks that live at once");
            }
            return;
        }
        case ObjectOp::replace: {
            const Element& element = of(touch, owner);
            idrs_[element.instance].replace(element.number, cost);
            return;
        }
        case ObjectOp::remove: {
            const Element element = leave(touch, owner);
            idrs_[element.instance].remove(element.number, cost);
            return;
        }
        case ObjectOp::add_tail: {
            Element& element = join(touch, instance, owner);
            element.number = lists_[element.instance].add_tail(cost);
            return;
        }
        case ObjectOp::del: {
            const Element element = leave(touch, owner);
            lists_[element.instance].del(element.number, cost);
            return;
        }
    }
}

ObjectTable::Element& ObjectTable::join(const Touch& touch, std::uint32_t instance, std::uint32_t owner) {
    Object& object = objects_[touch.line];
    Element& element = object.of[owner];
    if (element.instance != none) {
        throw InputError(spec_.objects[touch.line].name +
                         ": a task is added that is still there; it, or the one that had its number before, was never "
                         "taken out");
    }
    element.instance = object.instances[instance];
    return element;
}

ObjectTable::Element& ObjectTable::of(const Touch& touch, std::uint32_t owner) {
    Element& element = objects_[touch.line].of[owner];
    if (element.instance == none) {
        throw InputError(spec_.objects[touch.line].name + ": a task is not there that should be; it was never added, " +
                         "or is taken out twice");
    }
    return element;
}

ObjectTable::Element ObjectTable::leave(const Touch& touch, std::uint32_t owner) {
    return std::exchange(of(touch, owner), Element{});
}

}  // namespace forksim
