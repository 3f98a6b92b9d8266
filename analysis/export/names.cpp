#include "analysis/export/build_result.hpp"

namespace forksim {

const char* name_of(LockKind kind) {
    switch (kind) {
        case LockKind::spinlock:
            return "spinlock";
        case LockKind::rwlock:
            return "rwlock";
        case LockKind::rwsem:
            return "rwsem";
        case LockKind::percpu_rwsem:
            return "percpu_rwsem";
        case LockKind::ticket:
            return "ticket";
        case LockKind::test_and_set:
            return "test_and_set";
        case LockKind::seqcount:
            return "seqcount";
        case LockKind::mutex:
            return "mutex";
        case LockKind::futex_pi:
            return "futex_pi";
    }
    return "";
}

const char* name_of(PreemptModel model) {
    switch (model) {
        case PreemptModel::none:
            return "none";
        case PreemptModel::voluntary:
            return "voluntary";
        case PreemptModel::lazy:
            return "lazy";
        case PreemptModel::full:
            return "full";
    }
    return "";
}

const char* name_of(TieBreak tie_break) {
    switch (tie_break) {
        case TieBreak::random:
            return "random";
        case TieBreak::id:
            return "id";
    }
    return "";
}

}  // namespace forksim
