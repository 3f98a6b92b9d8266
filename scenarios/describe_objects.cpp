// Objects of the kernel that are replayed: their keys, kinds and operations.
#include <algorithm>
#include <array>

#include "scenarios/describe.hpp"

namespace forksim::language {

const Table& object_table() {
    static const Table table{
        "object",
        "A data structure of the kernel, replayed with an owner and sharers for each of its lines.",
        {
            {"kind", Type::choice, "what it is", true, {}, "rbtree|idr|list"},
            {"per", Type::scope, "whose instance a task's element joins", false, "global"},
            {"resident",
             Type::integer,
             "elements of each instance that are there from the start and stay; their lines belong to all CPUs in turn",
             false,
             "0",
             {},
             0,
             1e6},
            {"line", Type::text,
             "rbtree, list: line that the root or head lies on, of the same scope: the name of a line, or `own`", false,
             "own"},
            {"head", Type::choice,
             "list: add_tail waits for the head's line, or only stores to it and what follows overlaps", false, "write",
             "write|store"},
            {"ids",
             Type::integer,
             "idr: numbers given out are below it, at least two more than `resident`",
             false,
             "1024 per CPU, 32768 at least",
             {},
             2,
             1 << 30},
            {"src", Type::choice, "where the numbers come from", false, {}, "counted|published|estimated"},
        }};
    return table;
}

std::span<const ObjectKindTable> object_kinds() {
    static constexpr std::array<ObjectKindTable, 3> kinds = {{
        {"rbtree", ObjectKind::rbtree, "line", "red-black tree; a new element is its greatest (lib/rbtree.c)"},
        {"idr", ObjectKind::idr, "ids", "radix tree that gives out numbers in a circle (lib/idr.c, lib/radix-tree.c)"},
        {"list", ObjectKind::list, "line|head", "doubly linked list (include/linux/list.h)"},
    }};
    return kinds;
}

std::span<const ObjectOpTable> object_ops() {
    static constexpr std::array<ObjectOpTable, 7> ops = {{
        {"insert", ObjectOp::insert, ObjectKind::rbtree, "adds an element behind all others (rb_find_add)"},
        {"erase", ObjectOp::erase, ObjectKind::rbtree, "takes it out (rb_erase)"},
        {"alloc", ObjectOp::alloc, ObjectKind::idr, "takes the next free number (idr_alloc_cyclic)"},
        {"replace", ObjectOp::replace, ObjectKind::idr, "sets what the number stands for (idr_replace)"},
        {"remove", ObjectOp::remove, ObjectKind::idr, "gives the number back (idr_remove)"},
        {"add_tail", ObjectOp::add_tail, ObjectKind::list, "adds an element at the end (list_add_tail)"},
        {"del", ObjectOp::del, ObjectKind::list, "takes it out (list_del)"},
    }};
    return ops;
}

const ObjectKindTable* find_object_kind(std::string_view name) {
    const auto kinds = object_kinds();
    const auto it = std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) { return kind.name == name; });
    return it == kinds.end() ? nullptr : &*it;
}

const ObjectOpTable& table_of(ObjectOp op) {
    const auto ops = object_ops();
    return *std::find_if(ops.begin(), ops.end(), [&](const ObjectOpTable& one) { return one.op == op; });
}

std::vector<std::string> ops_of(ObjectKind kind) {
    std::vector<std::string> names;
    for (const ObjectOpTable& op : object_ops()) {
        if (op.kind == kind) names.emplace_back(op.name);
    }
    return names;
}

}  // namespace forksim::language
