// Steps that read and write under a sequence count.
#include "scenarios/lowering.hpp"

namespace forksim::language {
namespace {

void lower_seqread(Lowering& lowering, const Step& step) { lowering.seqread(step); }

void lower_seqwrite(Lowering& lowering, const Step& step) {
    const Attribute* lock = step.fields.find("seqwrite");
    if (lock == nullptr) return;
    const Declared* declared = lowering.declared_lock(std::get<std::string>(lock->value), lock->mark);
    if (declared == nullptr) return;
    if (const std::string kind = declared->fields.word("kind"); kind != "seqcount") {
        lowering.fault(lock->mark, "'seqwrite' of a " + kind, "expected a seqcount");
        return;
    }
    lowering.section(step);
}

}  // namespace

const StepKind& seqread_kind() {
    static const StepKind kind{
        {"seqread",
         "Reads under a seqcount: waits while it is being written, and begins anew if it was written meanwhile.",
         {{"seqread", Type::lock, "the seqcount", true},
          {"body", Type::steps, "what is read; it may run several times"},
          {"on_retry", Type::steps, "done before each further attempt, outside the read section"}}},
        false,
        false,
        lower_seqread};
    return kind;
}

const StepKind& seqwrite_kind() {
    static const StepKind kind{
        {"seqwrite",
         "Writes under a seqcount, with the lock held that it names in `under`. `section` of a seqcount is the same.",
         {{"seqwrite", Type::lock, "the seqcount", true}, {"body", Type::steps, "what is written"}}},
        false,
        false,
        lower_seqwrite};
    return kind;
}

}  // namespace forksim::language
