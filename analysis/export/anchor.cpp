#include "analysis/export/anchor.hpp"

#include "platforms/machine.hpp"

namespace forksim {

OneTask reduced_to_one_task(const RunSubject& subject) {
    OneTask one{subject.program, subject.model, boot(subject.topology, 1)};
    for (Sampler& sampler : one.program.samplers) sampler.table = Sampler::constant;
    one.model.rcu.grace_period.table = Sampler::constant;
    for (CpuMask& mask : one.program.masks) {
        mask = CpuMask(1);
        mask.set(0);
    }
    if (one.program.roots.size() > 1) one.program.roots.erase(one.program.roots.begin() + 1, one.program.roots.end());
    return one;
}

std::optional<Anchor> anchor_of(const Record& record) {
    if (record.counts.empty() || record.counts[0] == 0 || record.critical_path_ps.empty()) return std::nullopt;
    const auto operations = static_cast<double>(record.counts[0]);
    return Anchor{record.counts[0], static_cast<double>(record.critical_length_ps) / operations,
                  critical_parts(record).divided_by(operations)};
}

}  // namespace forksim
