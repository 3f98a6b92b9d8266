// Control flow, counting and measuring.
#include <cmath>

#include "scenarios/lowering.hpp"

namespace forksim::language {
namespace {

Key inside(Key key) {
    key.inside = true;
    return key;
}

void lower_call(Lowering& lowering, const Step& step) {
    if (const Attribute* function = step.fields.find("call"); function != nullptr) {
        lowering.call(std::get<std::string>(function->value), function->mark, step.fields.find("victim"));
    }
}

void lower_branch(Lowering& lowering, const Step& step) {
    const double p = step.fields.number("p", 0);
    const auto threshold = static_cast<std::uint64_t>(std::floor(p * 4294967296.0 + 0.5));
    if (threshold >= std::uint64_t{1} << 32) {
        lowering.block(step, "do");
        return;
    }
    const std::uint64_t key = Lowering::key(step) & 0xFFFFFFFF00000000;
    const std::uint32_t branch = lowering.emit(Code::branch, 0, key | threshold);
    const Lowering::State before = lowering.state();
    lowering.block(step, "do");
    const Lowering::State taken = lowering.state();
    if (step.block("else") == nullptr) {
        lowering.set_target(branch);
        lowering.set_state(lowering.join(taken, before, step.mark, "branch"));
        return;
    }
    const std::uint32_t to_end = lowering.emit(Code::jump);
    lowering.set_target(branch);
    lowering.set_state(before);
    lowering.block(step, "else");
    lowering.set_target(to_end);
    lowering.set_state(lowering.join(taken, lowering.state(), step.mark, "branch"));
}

void lower_repeat(Lowering& lowering, const Step& step) {
    const Attribute* each = step.fields.find("each");
    const Attribute* take = step.fields.find("take");
    if (each != nullptr || take != nullptr) {
        lowering.for_each_child(step, each != nullptr ? *each : *take, take != nullptr);
        return;
    }
    const auto turns = static_cast<std::uint64_t>(step.fields.number("n", 0));
    const std::uint32_t open = lowering.emit(Code::repeat, 0, turns);
    const std::uint32_t start = lowering.here();
    const Lowering::State before = lowering.state();
    lowering.loop_begins();
    lowering.block(step, "do");
    lowering.loop_ends(before, step.mark);
    lowering.emit(Code::next, start);
    lowering.set_target(open);
    Lowering::State after = lowering.state();
    if (turns == 0) after = before;
    lowering.set_state(std::move(after));
}

void lower_forever(Lowering& lowering, const Step& step) { lowering.forever(step, "forever"); }

void lower_count(Lowering& lowering, const Step& step) {
    if (step.fields.find("count") != nullptr) lowering.emit(Code::count, lowering.counter(step.fields.word("count")));
}

void lower_measure(Lowering& lowering, const Step& step) {
    lowering.needs_task(step);
    for (const Block& block : step.blocks) {
        const std::uint32_t path = lowering.path(block.label);
        lowering.emit(Code::measure_begin, path);
        lowering.steps(block.steps);
        if (!lowering.state().ended) lowering.emit(Code::measure_end, path);
    }
}

}  // namespace

const StepKind& call_kind() {
    static const StepKind kind{{"call",
                                "Runs a function here.",
                                {{"call", Type::function, "the function", true},
                                 {"victim", Type::handle, "whom the function means by `victim`", false,
                                  "whom the caller means, at first self"}}},
                               false,
                               false,
                               lower_call};
    return kind;
}

const StepKind& branch_kind() {
    static const StepKind kind{{"branch",
                                "Goes one of two ways by chance.",
                                {{"branch", Type::mapping, "probability and steps", true},
                                 inside({"p", Type::fraction, "probability of `do`", true, {}, {}, 0, 1}),
                                 inside({"do", Type::steps, "with probability `p`", true}),
                                 inside({"else", Type::steps, "otherwise"})}},
                               true,
                               false,
                               lower_branch};
    return kind;
}

const StepKind& repeat_kind() {
    static const StepKind kind{{"repeat",
                                "Runs steps a number of times.",
                                {{"repeat", Type::mapping, "one of n, each and take, and steps", true},
                                 inside({"n", Type::integer, "how often", false, {}, {}, 0, 1e9}),
                                 inside({"each", Type::handle, "for each child in a set, oldest first"}),
                                 inside({"take", Type::handle, "the same, and takes each out of the set"}),
                                 inside({"do", Type::steps, "the steps", true})}},
                               true,
                               false,
                               lower_repeat};
    return kind;
}

const StepKind& forever_kind() {
    static const StepKind kind{
        {"forever", "Runs steps without end; nothing comes after.", {{"forever", Type::steps, "the steps", true}}},
        false,
        false,
        lower_forever};
    return kind;
}

const StepKind& count_kind() {
    static const StepKind kind{{"count",
                                "Counts one. The counter that is met first is the throughput.",
                                {{"count", Type::word, "name of the counter; a unit such as `threads`", true}}},
                               false,
                               false,
                               lower_count};
    return kind;
}

const StepKind& measure_kind() {
    Key path{"PATH", Type::steps, "the steps, under the name of the path", true};
    path.inside = path.free = true;
    static const StepKind kind{{"measure",
                                "Measures how long steps take: `{measure: {join: [...]}}`.",
                                {{"measure", Type::mapping, "name and steps", true}, path}},
                               true,
                               false,
                               lower_measure};
    return kind;
}

}  // namespace forksim::language
