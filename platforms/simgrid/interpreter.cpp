// What the ops of a program mean. Part of Context.
#include <utility>

#include "platforms/simgrid/context.hpp"
#include "platforms/simgrid/world.hpp"
#include "sim/check.hpp"
#include "sim/error.hpp"
#include "sim/random.hpp"

namespace forksim::reference {
namespace {

/// What LineTable asks of the core, for one context.
struct Asker {
    const World& world;
    const Context& context;

    Time now() const { return world.now(); }
    Cpu cpu_of(Task) const { return context.cpu; }
    std::uint32_t process_of(Task) const { return context.process_number(); }
    const Topology& topology() const { return world.topology; }
    std::uint64_t draw(Task, std::uint64_t key) const {
        return forksim::draw(context.stream, context.iteration, key, 0)[0];
    }
};

}  // namespace

void Context::execute() {
    stretch_ = {};
    std::uint32_t steps = 0;
    Time last = world.now();
    for (;;) {
        const Op& op = world.program.ops[pc];
        if (op.code == Code::work) {
            work(op);
            continue;
        }
        finish_stretch();
        steps = world.now() == last ? steps + 1 : 0;
        last = world.now();
        if (steps > 10'000'000) throw ModelStuck("a loop without time: " + name());
        switch (op.code) {
            case Code::busy: {
                const Time ends = world.now() + drawn(op);
                ++pc;
                pass(ends, ends);  // goes on in the wall clock's time
                break;
            }
            case Code::sleep:
                sleep(op);
                break;
            case Code::sync:
                sync(op);
                break;
            case Code::jump:
            case Code::turn:
                if (op.code == Code::turn) ++iteration;
                pc = op.a;
                break;
            case Code::branch:
                branch(op);
                break;
            case Code::repeat:
                begin_loop(op);
                break;
            case Code::next:
                next_turn(op);
                break;
            case Code::leave:
                iteration = loops_.back().iteration;
                loops_.pop_back();
                pc = op.a;
                break;
            case Code::create:
                create(op);
                break;
            case Code::start:
                start();
                break;
            case Code::exit:
                if (die(op)) break;
                end();
                return;
            case Code::end:
                if (!is_softirq()) end();
                return;
            case Code::count:
                if (world.open()) ++world.answer.counts[op.a];
                ++pc;
                break;
            case Code::measure_begin:
            case Code::measure_end:
            case Code::resched:
                ++pc;
                break;  // latencies are not recorded; without slices nothing else is due
            case Code::yield:
                ++pc;
                if (!world.cpus.others_wait(cpu)) break;
                world.cpus.give_up(*this, true);
                arrive();
                break;
            case Code::work:
                break;
            default:
                throw InputError("the reference engine does not model op " + std::to_string(static_cast<int>(op.code)));
        }
    }
}

Time Context::drawn(const Op& op) const {
    const Sampler& sampler = world.program.samplers[op.a];
    if (sampler.table == Sampler::constant) return Time{sampler.mean_ps};
    return sample(world.program.tables, sampler, forksim::draw(stream, iteration, op.b, 0)[0]);
}

/// Work in a row at one site makes one stretch, as long as it stays in user or kernel mode: callbacks that must wait
/// for interrupts wait for its end.
void Context::work(const Op& op) {
    const bool user = op.sub == 1;
    const bool has_work = stretch_.ends > stretch_.work_from;
    if (stretch_.ends > world.now() && (stretch_.user != user || (has_work && stretch_.site != op.site)))
        finish_stretch();
    if (stretch_.ends <= world.now()) stretch_ = {world.now(), world.now(), user, op.site};
    stretch_.site = op.site;
    stretch_.ends += drawn(op);
    ++pc;
}

/// Kernel time that no interrupt pushes back, such as that of lines on their way.
void Context::busy(Time length) {
    const Time ends = world.now() + length;
    stretch_ = {ends, ends, false, 0};
}

void Context::finish_stretch() {
    if (stretch_.ends > world.now()) pass(stretch_.work_from, stretch_.ends);
}

void Context::sync(const Op& op) {
    switch (static_cast<SyncCode>(op.sub)) {
        case SyncCode::acquire:
        case SyncCode::acquire_of:
        case SyncCode::seq_write_begin:
            world.locks.acquire(*this, op);
            ++pc;
            break;
        case SyncCode::release:
        case SyncCode::seq_write_end:
            busy(world.locks.release(*this, op));
            ++pc;
            break;
        case SyncCode::seq_begin:
            world.locks.seq_begin(*this, op);
            ++pc;
            break;
        case SyncCode::seq_retry: {
            Time took;
            pc += world.locks.seq_retry(*this, op, took) ? 1 : 2;
            busy(took);
            break;
        }
        case SyncCode::touch:
            touch(op);
            break;
        case SyncCode::atomic:
            atomic(op);
            break;
        case SyncCode::await:
            await(op);
            break;
        case SyncCode::signalled:
            pc += (named(op.a)->given >> op.b & 1) != 0 ? 2 : 1;
            break;
        case SyncCode::signal:
        case SyncCode::signal_of:
            signal(op);
            break;
        case SyncCode::call_rcu:
            world.rcu.call(*this, op.a);
            ++pc;
            break;
        case SyncCode::pool_get: {
            std::uint32_t& filled = pool(op);
            pc += filled > 0 ? 2 : 1;
            if (filled > 0) --filled;
            break;
        }
        case SyncCode::pool_put: {
            std::uint32_t& filled = pool(op);
            const bool room = filled < world.spec.pools[op.a].size;
            if (room) ++filled;
            pc += room ? 2 : 1;
            break;
        }
        case SyncCode::rcu_read_lock:
            if (rcu_readers++ == 0 && world.open()) ++world.answer.sites[op.site].acquisitions;
            ++pc;
            break;
        case SyncCode::rcu_read_unlock:
            FORKSIM_CHECK(rcu_readers-- > 0, "rcu_read_unlock() without rcu_read_lock()");
            ++pc;
            break;
        case SyncCode::synchronize_rcu:
            world.rcu.synchronize(*this);
            ++pc;
            break;
        case SyncCode::next_child:
            pc += sets[op.a].turn(op.b == 1) ? 2 : 1;
            break;
        case SyncCode::synchronize_rcu_expedited:
            throw InputError("the reference engine does not model expedited grace periods");
        default:
            throw InputError("the reference engine does not model sync op " + std::to_string(int{op.sub}));
    }
    if (stretch_.ends <= world.now()) let_softirqs_run();
}

void Context::touch(const Op& op) {
    const Asker asker{world, *this};
    struct {
        Context& me;
        void operate(const Touch& touch, TouchCost& cost) const {
            const std::uint32_t instance = me.world.instance(me.world.spec.objects[touch.line].per, me);
            me.world.objects.operate(touch, instance, me.identity(touch), cost);
        }
        std::uint32_t number(const Touch& touch, const ScopeSpec& per) const {
            return me.instance_of(per, touch.whose, touch.handle);
        }
    } const others{*this};
    busy(world.lines.touch(asker, number, op, others).busy_for());
    ++pc;
}

void Context::atomic(const Op& op) {
    const Asker asker{world, *this};
    busy(world.lines.atomic(asker, number, op).busy_for());
    ++pc;
}

std::uint32_t& Context::pool(const Op& op) {
    return world.pools[op.a][world.instance(world.spec.pools[op.a].per, *this)];
}

void Context::sleep(const Op& op) {
    const Time wakes = world.now() + drawn(op);
    ++pc;
    world.cpus.give_up(*this, false);
    while (world.now() < wakes) sleeper.wait_until(wakes, world.timer_turn(number));
    world.cpus.wake(*this);
    arrive();
}

void Context::branch(const Op& op) {
    const std::uint64_t bits = forksim::draw(stream, iteration, op.b >> 32, 0)[0];
    pc = (bits >> 32) < (op.b & 0xFFFFFFFF) ? pc + 1 : op.a;
}

void Context::begin_loop(const Op& op) {
    if (op.b == 0) {
        pc = op.a;
        return;
    }
    loops_.push_back({iteration, op.b, 0});
    iteration = mix(iteration, 1);
    ++pc;
}

void Context::next_turn(const Op& op) {
    Loop& loop = loops_.back();
    if (++loop.done < loop.turns) {
        iteration = mix(loop.iteration, loop.done + 1);
        pc = op.a;
        return;
    }
    iteration = loop.iteration;
    loops_.pop_back();
    ++pc;
}

bool Context::die(const Op& op) {
    FORKSIM_CHECK(held.empty() && rcu_readers == 0, "a task ended with a lock held");
    children.clear();
    sets.clear();
    world.cpus.dying(*this);
    dying = true;
    const Time switched = world.now() + world.config.context_switch;
    sleeper.wait_for_turn(turn());
    while (world.now() < switched) sleeper.wait_until(switched, turn());
    world.cpus.arrived(*this);
    if (op.a == no_op) return false;
    pc = op.a;
    let_softirqs_run();
    return true;
}

void Context::end() {
    FORKSIM_CHECK(dying, "a task ran past its end");
    world.cpus.gone(*this);
    world.free_number(number);
    --process->tasks;
    own = nullptr;
    process = nullptr;
}

}  // namespace forksim::reference
