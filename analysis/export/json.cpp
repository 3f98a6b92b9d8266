#include "analysis/export/json.hpp"

#include "analysis/export/numbers.hpp"

namespace forksim {
namespace {

constexpr auto one_line = JsonWriter::Layout::one_line;

void exact(JsonWriter& json, std::string_view key, std::int64_t ps, bool known) {
    json.key(key);
    if (known)
        json.raw(exact_ns(ps));
    else
        json.null();
}

void strings(JsonWriter& json, std::string_view key, const std::vector<std::string>& values) {
    json.key(key).begin_array();
    for (const std::string& value : values) json.string(value);
    json.end();
}

void durations(JsonWriter& json, std::string_view key, const Durations& d) {
    json.key(key).begin_object(one_line);
    json.key("count").integer(d.count);
    json.key("sum").raw(exact_ns(d.sum_ps));
    exact(json, "min", d.min_ps, d.detailed);
    exact(json, "max", d.max_ps, d.detailed);
    json.key("mean").real(d.mean_ps / 1000);
    json.key("stddev").real(d.detailed ? d.stddev_ps / 1000 : unknown);
    exact(json, "p50", d.p50_ps, d.detailed);
    exact(json, "p90", d.p90_ps, d.detailed);
    exact(json, "p99", d.p99_ps, d.detailed);
    exact(json, "p99.9", d.p999_ps, d.detailed);
    json.end();
}

void usage(JsonWriter& json, const Usage& u) {
    json.key("acquisitions").integer(u.acquisitions);
    json.key("contended").integer(u.contended);
    json.key("per_op").real(u.per_op);
    json.key("serial_ns_per_op").real(u.serial_ps_per_op / 1000);
    json.key("utilization").real(u.utilization);
    json.key("critical_share").real(u.critical_share);
    durations(json, "wait_ns", u.wait);
    durations(json, "hold_ns", u.hold);
    if (!u.wait_parts.empty()) {
        json.key("wait_parts").begin_object(one_line);
        for (const WaitPart& part : u.wait_parts) json.key(part.name).raw(exact_ns(part.sum_ps));
        json.end();
    }
    if (u.retries) json.key("retries").integer(*u.retries);
}

void scenario(JsonWriter& json, const Result& r) {
    json.key("scenario").begin_object();
    json.key("name").string(r.run.scenario);
    json.key("hash").string(r.run.hash);
    json.key("kernel").string(r.run.kernel);
    json.key("patches").begin_array(one_line);
    for (const std::string& patch : r.run.base_patches) json.string(patch);
    for (const std::string& patch : r.run.patches) json.string(patch);
    json.end();
    json.key("settings").begin_array(one_line);
    for (const std::string& setting : r.run.settings) json.string(setting);
    json.end();
    json.key("platform").string(r.run.platform);
    json.key("composition").string(r.run.composition);
    json.key("cpus").integer(r.run.cpus);
    json.key("preempt").string(name_of(r.run.preempt));
    if (r.run.worlds > 0) json.key("world").integer(r.run.world);
    json.key("seed").integer(r.run.seed);
    json.key("tie_break").string(name_of(r.run.tie_break));
    json.key("engine").string(r.run.engine);
    json.key("replications").integer(r.throughput.n);
    exact(json, "warmup_ns", r.run.warmup.ps, true);
    exact(json, "duration_ns", r.run.duration.ps, true);
    exact(json, "simulated_ns", r.simulated.ps, true);
    json.end();
}

void estimate(JsonWriter& json, const Estimate& e) {
    json.key("mean").real(e.mean);
    json.key("ci95").real(e.half_width);
    json.key("n").integer(e.n);
}

void throughput(JsonWriter& json, const Result& r) {
    json.key("throughput").begin_object();
    json.key("unit").string(r.unit);
    estimate(json, r.throughput);
    json.key("count").integer(r.operations);
    json.key("stopped").string(name_of(r.stopped));
    json.key("worlds").begin_object(one_line);
    if (r.worlds) {
        json.key("low").real(r.worlds->throughput.low).key("high").real(r.worlds->throughput.high);
        json.key("n").integer(r.worlds->throughput.n);
        json.key("leaders").begin_object(one_line);
        for (const auto& [lock, times] : r.worlds->leaders) json.key(lock).integer(times);
        json.end();
    } else {
        json.key("low").null().key("high").null().key("n").integer(0);
    }
    json.end().end();

    json.key("counts").begin_array();
    for (const CountResult& c : r.counts) {
        json.begin_object(one_line).key("name").string(c.name).key("count").integer(c.count);
        json.key("unit").string(c.name + "/s");
        estimate(json, c.per_second);
        json.end();
    }
    json.end();
}

void locks_and_sites(JsonWriter& json, const Result& r) {
    json.key("locks").begin_array();
    for (const LockResult& lock : r.locks) {
        json.begin_object().key("lock").string(lock.lock).key("kind").string(lock.kind);
        usage(json, lock.usage);
        json.end();
    }
    json.end();
    json.key("sites").begin_array();
    for (const SiteResult& site : r.sites) {
        json.begin_object().key("site").string(site.site).key("caller").string(site.caller);
        json.key("lock").string(site.lock).key("mode").string(site.mode);
        usage(json, site.usage);
        json.end();
    }
    json.end();
}

void parts(JsonWriter& json, const PathParts& p, std::string_view suffix, double scale) {
    const auto part = [&](std::string name, double value) { json.key(name.append(suffix)).real(value / scale); };
    part("user", p.user);
    part("kernel", p.kernel);
    part("hold", p.hold);
    part("lines", p.lines);
    part("handoff", p.handoff);
    part("switch", p.context_switch);
    part("wake_up", p.wake_up);
    part("interrupt", p.interrupt);
    part("asleep", p.asleep);
}

void shares(JsonWriter& json, const Result& r) {
    json.key("cpu");
    if (r.cpu) {
        json.begin_object(one_line).key("user").real(r.cpu->user).key("kernel").real(r.cpu->kernel);
        json.key("spin").real(r.cpu->spin).key("switch").real(r.cpu->context_switch).key("idle").real(r.cpu->idle);
        json.end();
    } else {
        json.null();
    }
    json.key("critical_path");
    if (r.critical_path) {
        json.begin_object(one_line);
        parts(json, *r.critical_path, "", 1);
        json.end();
    } else {
        json.null();
    }
    json.key("anchor");
    if (r.anchor) {
        json.begin_object(one_line).key("operations").integer(r.anchor->operations);
        json.key("lifecycle_ns").real(r.anchor->length_ps / 1000);
        parts(json, r.anchor->parts, "_ns", 1000);
        json.end();
    } else {
        json.null();
    }
}

void all_histograms(JsonWriter& json, std::span<const NamedHistogram> histograms) {
    json.key("histograms").begin_array();
    for (const NamedHistogram& h : histograms) {
        json.begin_object().key("name").string(h.name).key("of").string(h.of).key("bins_ns").begin_array();
        h.histogram.for_each_bin([&](Time lowest, Time highest, std::uint64_t count) {
            json.begin_object(one_line);
            exact(json, "min", lowest.ps, true);
            exact(json, "max", highest.ps, true);
            json.key("count").integer(count).end();
        });
        json.end().end();
    }
    json.end();
}

}  // namespace

void write_result(JsonWriter& json, const Result& r, std::span<const NamedHistogram> histograms) {
    json.begin_object();
    json.key("schema").string("forksim-result/1");
    json.key("version").string(r.run.version);
    scenario(json, r);
    throughput(json, r);
    locks_and_sites(json, r);
    json.key("paths").begin_array();
    for (const PathResult& path : r.paths) {
        json.begin_object().key("path").string(path.path).key("count").integer(path.latency.count);
        durations(json, "latency_ns", path.latency);
        json.end();
    }
    json.end();
    shares(json, r);
    json.key("events").begin_object(one_line).key("count").integer(r.events).key("ties").integer(r.ties);
    json.key("line_ties").integer(r.line_ties).end();
    strings(json, "notes", r.notes);
    strings(json, "warnings", r.warnings);
    if (r.trust) {
        json.key("trust");
        trust_json(json, *r.trust);
    }
    if (!histograms.empty()) all_histograms(json, histograms);
    if (r.host) {
        json.key("host").begin_object(one_line).key("wall_s").real(r.host->wall_s);
        json.key("events_per_s").real(r.host->events_per_s).key("ops_per_s").real(r.host->ops_per_s).end();
    }
    json.end();
}

std::string to_json(const Result& r, std::span<const NamedHistogram> histograms) {
    JsonWriter json;
    write_result(json, r, histograms);
    return json.text();
}

}  // namespace forksim
