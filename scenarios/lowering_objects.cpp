// Numbers for objects, and whose element a step means.
#include "scenarios/lowering.hpp"

namespace forksim::language {

std::uint32_t Lowering::object_number(const Declared& declared) {
    const std::uint32_t number = number_of(objects_, declared.name);
    if (number < model.objects.size()) return number;
    const Fields& fields = declared.fields;
    ObjectSpec object;
    object.name = declared.name;
    object.kind = find_object_kind(fields.word("kind"))->kind;
    if (const auto* scope = fields.get<ScopeSpec>("per"); scope != nullptr) object.per = *scope;
    object.resident = static_cast<std::uint32_t>(fields.number("resident", 0));
    object.head = fields.word("head") == "store" ? Access::store : Access::write;
    object.ids = static_cast<std::uint32_t>(fields.number("ids", 0));
    model.objects.push_back(object);
    object_uses_.emplace_back();
    if (const std::string shared = fields.word("line", "own"); shared != "own") {
        model.objects[number].line = line(shared, fields.find("line")->mark);
    }
    return number;
}

Touch Lowering::operation(const Step& step, const TouchItem& item) {
    Touch touch;
    touch.object = true;
    touch.op = item.op;
    touch.whose = item.whose;
    const Declared* declared = find_declared(resolved_.define.objects, item.line);
    if (declared == nullptr || find_object_kind(declared->fields.word("kind")) == nullptr) return touch;
    touch.line = object_number(*declared);
    if (check_element(item) && item.whose == Whose::handle) {
        if (item.handle == "parent") fault(item.what_mark, "the element of 'parent': elements belong to tasks");
        const Someone who = someone(item.handle, item.what_mark);
        touch.whose = who.whose;
        touch.handle = who.handle;
    }
    ObjectUse& use = object_uses_[touch.line];
    const bool adds = item.op == ObjectOp::insert || item.op == ObjectOp::alloc || item.op == ObjectOp::add_tail;
    use.added = use.added || adds;
    if (!adds && use.needs.line == 0) use.needs = item.what_mark.line != 0 ? item.what_mark : step.mark;
    return touch;
}

/// Elements belong to tasks: an operation is possible where the task is known.
bool Lowering::check_element(const TouchItem& item) {
    const Context context = entries_[entry_].context;
    const std::string& function = entries_[entry_].function->name;
    if (context == Context::softirq) {
        fault(item.what_mark, "an operation on the object " + shown(item.line) + " in a softirq",
              shown(function) + " has no task of its own: whose element would it be?");
        return false;
    }
    const bool one_of_several = item.whose == Whose::handle && item.handle != "victim" && item.handle != "self";
    if (item.whose != Whose::embryo && !one_of_several) return true;
    if (context == Context::at_switch) {
        fault(item.what_mark, "another task's element in at-switch work",
              shown(function) + " knows only the task that has ended");
        return false;
    }
    if (item.whose == Whose::embryo && (!spawning_ || state_.started)) {
        fault(item.what_mark,
              state_.started && spawning_ ? "the child has been started: it is no embryo any more"
                                          : "'embryo' where no child is being spawned",
              "it is the child between `spawn` and {start: child}, in the function that `via` names");
    }
    return true;  // someone() looks for children
}

void Lowering::check_object_uses() {
    if (!faults_.empty()) return;  // a step may be missing because of one
    for (std::size_t i = 0; i < object_uses_.size(); ++i) {
        const ObjectUse& use = object_uses_[i];
        if (use.added || use.needs.line == 0) continue;
        std::string adds;
        for (const ObjectOpTable& op : object_ops()) {
            if (op.kind == model.objects[i].kind && adds.empty()) adds = op.name;
        }
        fault(use.needs, "nothing is ever added to " + shown(model.objects[i].name),
              "expected a step that touches it with " + adds);
    }
}

}  // namespace forksim::language
