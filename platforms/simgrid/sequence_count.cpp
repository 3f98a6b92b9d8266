#include "platforms/simgrid/sequence_count.hpp"

#include "platforms/simgrid/world.hpp"
#include "sim/check.hpp"

namespace forksim::reference {

bool SequenceCount::lock(Context& me, AcquireMode) {
    FORKSIM_CHECK(!being_written(), "two writers of a seqcount at once");
    ++sequence_;
    world_.memory.store(line_, me.cpu, world_.now());
    return false;
}

Time SequenceCount::unlock(Context& me, AcquireMode) {
    FORKSIM_CHECK(being_written(), "a seqcount was given up by nobody's writer");
    ++sequence_;
    world_.memory.store(line_, me.cpu, world_.now());
    Context::changed(world_, readers_);
    return {};
}

SequenceCount::Seen SequenceCount::read_begin(Context& me) {
    Seen seen{sequence_, false};
    Time done = world_.load(line_, me.cpu);
    while (being_written()) {  // while ((seq = READ_ONCE(s->sequence)) & 1) cpu_relax()
        seen.waited = true;
        me.poll(readers_, line_, done, [this] { return !being_written(); });
        seen.sequence = sequence_;
        done = world_.load(line_, me.cpu);
    }
    world_.noted(me.number) = seen.sequence;
    me.pass_last(done);
    return seen;
}

bool SequenceCount::read_retry(Context& me, std::uint32_t begun_with, Time& ready) {
    ready = world_.load(line_, me.cpu);
    return sequence_ != begun_with;
}

}  // namespace forksim::reference
