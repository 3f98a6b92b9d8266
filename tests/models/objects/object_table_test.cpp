#include "models/objects/object_table.hpp"

#include <doctest/doctest.h>

#include "models/run.hpp"
#include "sim/error.hpp"
#include "tests/models/objects/counted_copies.hpp"
#include "tests/support/steps.hpp"

using namespace forksim;
using namespace forksim::test;

namespace {

Touch on(std::uint32_t object, ObjectOp op, Whose whose = Whose::self) {
    Touch touch;
    touch.line = object;
    touch.object = true;
    touch.op = op;
    touch.whose = whose;
    return touch;
}

enum ObjectNumber : std::uint32_t { pidfs_rb, pids, css_tasks };
enum TouchList : std::uint32_t { join, publish, leave, leave_css, reap };

/// The objects of a task's life, and which steps touch them.
ModelSpec model_of_lives() {
    ModelSpec model;
    ObjectSpec tree{"pidfs_rb", ObjectKind::rbtree, {}, 50, own_line, Access::write, 0};
    ObjectSpec idr{"pids", ObjectKind::idr, {}, 50, own_line, Access::write, 0};
    ObjectSpec list{"css_tasks", ObjectKind::list, {}, 50, own_line, Access::write, 0};
    model.objects = {tree, idr, list};
    model.touch_lists = {
        {on(pids, ObjectOp::alloc, Whose::embryo), on(pidfs_rb, ObjectOp::insert, Whose::embryo),
         on(css_tasks, ObjectOp::add_tail, Whose::embryo)},
        {on(pids, ObjectOp::replace, Whose::embryo)},
        {on(pids, ObjectOp::remove), on(pidfs_rb, ObjectOp::erase)},
        {on(css_tasks, ObjectOp::del)},
        {on(pids, ObjectOp::remove, Whose::handle), on(pidfs_rb, ObjectOp::erase, Whose::handle),
         on(css_tasks, ObjectOp::del, Whose::handle)},
    };
    model.signals = {"done"};
    model.handles = 1;
    return model;
}

/// One spawner per CPU; a thread takes itself out, from css_tasks in the next task's context (finish_task_switch).
Record lives_of_threads(Cpu cpus) {
    ProgramBuilder builder(uniform_machine(cpus));
    const std::uint32_t at_switch = builder.place(builder.steps().sync(SyncCode::touch, leave_css).end());
    const std::uint32_t child = builder.place(builder.steps()
                                                  .work(Time::from_ns(300))
                                                  .sync(SyncCode::signal)
                                                  .sync(SyncCode::touch, leave)
                                                  .exit_then(at_switch));
    builder.counter("threads");
    for (Cpu cpu = 0; cpu < cpus; ++cpu)
        builder.task(builder.steps()
                         .create("clone", child)
                         .sync(SyncCode::touch, join)
                         .sync(SyncCode::touch, publish)
                         .start()
                         .sync(SyncCode::await)
                         .count()
                         .work(Time::from_ns(100 + 7 * cpu))
                         .forever(),
                     cpu);
    return run_replication(builder.program, model_of_lives(), builder.topology, builder.config, {1, 0});
}

/// The parent takes its child out some time after that has ended, when another task may have its number.
Record lives_of_processes(Cpu cpus, bool reaped) {
    ProgramBuilder builder(uniform_machine(cpus));
    const std::uint32_t child = builder.place(builder.steps().work(Time::from_ns(300)).sync(SyncCode::signal).exit());
    builder.counter("processes");
    for (Cpu cpu = 0; cpu < cpus; ++cpu) {
        Steps life = builder.steps()
                         .create("fork", child)
                         .sync(SyncCode::touch, join)
                         .sync(SyncCode::touch, publish)
                         .start()
                         .sync(SyncCode::await)
                         .count()
                         .work(Time::from_ns(1500 + 70 * cpu));
        if (reaped) life.sync(SyncCode::touch, reap);
        builder.task(life.forever(), cpu);
    }
    return run_replication(builder.program, model_of_lives(), builder.topology, builder.config, {1, 0});
}

}  // namespace

TEST_CASE("threads enter the objects by their parent and leave them by themselves, at the switch too") {
    const Record alone = lives_of_threads(1);
    CHECK(alone.counts[0] > 1000);
    CHECK(alone.transfers == 0);
    const Record four = lives_of_threads(4);
    CHECK(four.counts[0] > 1000);
    // Each life of many CPUs moves several lines of the tree, of the leaf and of the list.
    CHECK(four.transfers > 10 * four.counts[0]);
}

TEST_CASE("a parent takes its ended child out although another task has that one's number by now") {
    const Record four = lives_of_processes(4, true);
    CHECK(four.counts[0] > 1000);
    CHECK(four.tasks_created > four.counts[0]);
    CHECK_THROWS_WITH_AS(lives_of_processes(4, false), doctest::Contains("pids: a task is added that is still there"),
                         InputError);
}

TEST_CASE("an element leaves the instance that it joined, whoever takes it out") {
    ModelSpec model;
    LineSpec signal{"signal", {Scope::process, 1}, 1, false};
    model.lines = {signal};
    model.objects = {{"threads", ObjectKind::list, {Scope::process, 1}, 0, 0, Access::write, 0}};
    model.process_count = 3;
    const Topology machine = uniform_machine(2);
    Memory memory(machine);
    ScopeIndex scopes(machine, model.process_count);
    LineTable lines(model, scopes, memory);
    ObjectTable objects(model, scopes, lines, memory.lines, machine);
    objects.reserve(5);
    TouchCost enter{memory.lines, 0, Time::from_us(1), 512};
    objects.operate(on(0, ObjectOp::add_tail), 2, 4, enter);
    TouchCost out{memory.lines, 1, Time::from_us(2), 512};
    objects.operate(on(0, ObjectOp::del), 1, 4, out);
    CHECK(memory.lines.transfers_of(lines.shared(0, signal.per, 2)) ==
          1);  // the head, on the line of process 2's signals
    CHECK(memory.lines.transfers_of(lines.shared(0, signal.per, 1)) == 0);
    CHECK(out.at == Time::from_us(2) + Time{1000 + 500});  // its own line, then the head's as both neighbours
}

TEST_CASE("an operation on an element that is not there, is there already, or is of another kind is refused") {
    const ModelSpec model = model_of_lives();
    const Topology machine = uniform_machine(2);
    Memory memory(machine);
    ScopeIndex scopes(machine, 1);
    LineTable lines(model, scopes, memory);
    ObjectTable objects(model, scopes, lines, memory.lines, machine);
    objects.reserve(2);
    TouchCost cost{memory.lines, 0, Time::from_us(1), 512};
    CHECK_THROWS_WITH_AS(objects.operate(on(pidfs_rb, ObjectOp::erase), 0, 1, cost), doctest::Contains("pidfs_rb"),
                         InputError);
    objects.operate(on(pidfs_rb, ObjectOp::insert), 0, 1, cost);
    CHECK_THROWS_AS(objects.operate(on(pidfs_rb, ObjectOp::insert), 0, 1, cost), InputError);
    CHECK_THROWS_WITH_AS(objects.operate(on(pids, ObjectOp::insert), 0, 1, cost),
                         doctest::Contains("pids: an operation of another kind"), InternalError);
    ModelSpec few = model_of_lives();
    few.objects[pids].ids = 52;
    ObjectTable last_number(few, scopes, lines, memory.lines, machine);
    last_number.reserve(2);
    last_number.operate(on(pids, ObjectOp::alloc), 0, 0, cost);
    CHECK_THROWS_WITH_AS(last_number.operate(on(pids, ObjectOp::alloc), 0, 1, cost),
                         doctest::Contains("pids: all numbers are taken"), InputError);
    objects.operate(on(pidfs_rb, ObjectOp::insert), 0, 0, cost);
    objects.operate(on(pidfs_rb, ObjectOp::erase), 0, 1, cost);
    CHECK_THROWS_AS(objects.operate(on(pidfs_rb, ObjectOp::erase), 0, 1, cost), InputError);
}
