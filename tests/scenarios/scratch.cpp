#include "tests/scenarios/scratch.hpp"

#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "models/spec.hpp"

namespace forksim::test {
namespace {

std::string time_text(Time t) {
    return t.ps % 1'000'000 == 0 ? std::to_string(t.ps / 1'000'000) + "us" : std::to_string(t.ps / 1000) + "ns";
}

std::string sync_text(const Op& op, const ModelSpec& model) {
    constexpr std::array<const char*, 18> names = {
        "acquire",         "release",       "touch",     "atomic",    "await",           "signalled",
        "signal",          "call_rcu",      "pool_get",  "pool_put",  "rcu_read_lock",   "rcu_read_unlock",
        "synchronize_rcu", "expedited_rcu", "seq_begin", "seq_retry", "seq_write_begin", "seq_write_end"};
    std::string text = names[op.sub];
    switch (static_cast<SyncCode>(op.sub)) {
        case SyncCode::acquire: {
            constexpr std::array<const char*, 3> modes = {"", " read", " write"};
            return text + " " + model.locks[op.a].name + modes[op.b];
        }
        case SyncCode::release:
        case SyncCode::seq_begin:
        case SyncCode::seq_retry:
        case SyncCode::seq_write_begin:
        case SyncCode::seq_write_end:
            return text + " " + model.locks[op.a].name;
        case SyncCode::touch:
            for (const Touch& touch : model.touch_lists[op.a]) {
                constexpr std::array<const char*, 4> accesses = {"read", "write", "peek", "store"};
                constexpr std::array<const char*, 7> operations = {"insert", "erase",    "alloc", "replace",
                                                                   "remove", "add_tail", "del"};
                constexpr std::array<const char*, 3> whose = {"", " embryo", " handle "};
                if (touch.object) {
                    text += " " + model.objects[touch.line].name + ":" +
                            operations[static_cast<std::size_t>(touch.op)] +
                            whose[static_cast<std::size_t>(touch.whose)] +
                            (touch.whose == Whose::handle ? std::to_string(touch.handle) : "");
                    continue;
                }
                text += " " + model.lines[touch.line].name + ":" + std::to_string(touch.count) +
                        accesses[static_cast<std::size_t>(touch.access)];
            }
            return text;
        case SyncCode::atomic:
            return text + " " + model.lines[op.a].name;
        case SyncCode::call_rcu:
            return text + " " + std::to_string(op.a);
        default:
            return text;
    }
}

std::string op_text(const Op& op, const Compiled& compiled) {
    constexpr std::array<const char*, 18> names = {
        "work",   "busy",  "sleep", "sync", "jump",  "branch",        "repeat",      "next",    "turn",
        "create", "start", "exit",  "end",  "count", "measure_begin", "measure_end", "resched", "yield"};
    const std::string name = names[static_cast<std::size_t>(op.code)];
    switch (op.code) {
        case Code::work:
        case Code::busy:
        case Code::sleep:
            return name + (op.sub == 1 ? " user " : " ") + time_text({compiled.program.samplers[op.a].mean_ps});
        case Code::sync:
            return sync_text(op, compiled.model);
        case Code::jump:
        case Code::branch:
        case Code::next:
        case Code::turn:
            return name + " " + std::to_string(op.a);
        case Code::repeat:
            return name + " " + std::to_string(op.b) + " " + std::to_string(op.a);
        case Code::exit:
            return op.a == no_op ? name : name + " " + std::to_string(op.a);
        case Code::count:
            return name + " " + compiled.program.counters[op.a];
        case Code::measure_begin:
        case Code::measure_end:
            return name + " " + compiled.program.paths[op.a];
        default:
            return name;
    }
}

}  // namespace

Scratch::Scratch() {
    static int ordinal = 0;
    directory_ = (std::filesystem::temp_directory_path() /
                  ("forksim-scratch-" + std::to_string(::getpid()) + "-" + std::to_string(++ordinal)))
                     .string();
    std::filesystem::create_directories(directory_);
}

Scratch::~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
}

std::string Scratch::file(const std::string& name, const std::string& text) const {
    const std::string path = directory_ + "/" + name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
}

Compiled compile_text(const std::string& text, const std::function<void(Request&)>& change) {
    const Scratch scratch;
    Request request;
    request.scenario = scratch.file("scenario.yaml", text);
    if (change) change(request);
    return compile(request);
}

std::vector<Diagnostic> faults_of(const std::string& text, const std::function<void(Request&)>& change) {
    try {
        compile_text(text, change);
    } catch (const LanguageError& error) {
        return error.diagnostics;
    }
    return {};
}

std::string scenario_of(const std::string& steps, const std::string& functions) {
    return "scenario: s\n"
           "platform: {uniform: 4}\n"
           "locks: {L: {kind: spinlock}, R: {kind: rwlock}, S: {kind: rwsem}, P: {kind: percpu_rwsem}}\n"
           "lines: {a: {}, b: {}}\n"
           "pools: {p: {size: 2}}\n"
           "functions: " +
           functions +
           "\n"
           "workload:\n"
           "  - tasks: t\n"
           "    count: 2\n"
           "    forever: [" +
           steps + ", {count: n}]\n";
}

std::string scenario_of_kinds(const std::string& steps, const std::string& functions) {
    std::string text = scenario_of(steps, functions);
    const std::string locks = "locks: {";
    return text.insert(text.find(locks) + locks.size(),
                       "M: {kind: mutex}, F: {kind: futex_pi}, T: {kind: ticket}, A: {kind: test_and_set}, "
                       "C: {kind: seqcount, under: L}, Q: {kind: seqcount, under: R}, N: {kind: seqcount}, ");
}

std::string ops_text(const Compiled& compiled) {
    std::string text;
    for (const Op& op : compiled.program.ops) {
        if (!text.empty()) text += "; ";
        text += op_text(op, compiled);
        if (op.site != 0) text += " @ " + compiled.program.sites[op.site].name;
    }
    return text;
}

}  // namespace forksim::test
