#include <cmath>

#include "analysis/compare/whatif.hpp"
#include "analysis/export/json.hpp"
#include "analysis/export/leading.hpp"

namespace forksim {
namespace {

void leaders(JsonWriter& json, std::string_view key, const Leaders& list) {
    json.key(key).begin_object(JsonWriter::Layout::one_line);
    for (const auto& [lock, worlds] : list) json.key(lock).integer(worlds);
    json.end();
}

void bottleneck(JsonWriter& json, std::string_view key, const Result& result) {
    const Leading leading = leading_demand(result);
    json.key(key);
    if (leading.first == nullptr) {
        json.null();
    } else {
        json.string(leading.first->lock);
    }
}

void strings(JsonWriter& json, std::string_view key, const std::vector<std::string>& list) {
    json.key(key).begin_array();
    for (const std::string& one : list) json.string(one);
    json.end();
}

void order(JsonWriter& json, std::string_view key, const Result& result) {
    json.key(key).begin_array(JsonWriter::Layout::one_line);
    for (const LockResult* lock : by_demand(result)) {
        if (lock->usage.serial_ps_per_op > 0) json.string(lock->lock);
    }
    json.end();
}

void difference(JsonWriter& json, const WhatifVariant& variant) {
    const PairedDifference& d = variant.difference;
    json.key("diff_percent").begin_object(JsonWriter::Layout::one_line);
    json.key("mean").real(d.mean).key("low").real(d.low()).key("high").real(d.high());
    if (variant.model) {
        json.key("model_low").real(variant.model->percent.low).key("model_high").real(variant.model->percent.high);
    } else {
        json.key("model_low").null().key("model_high").null();
    }
    json.key("n").integer(d.n).key("stddev").real(d.stddev).key("variance_ratio").real(d.variance_ratio).end();
    json.key("verdict").string(name_of(variant.verdict));
}

void write_variant(JsonWriter& json, const WhatifVariant& variant, const Result& base) {
    json.begin_object().key("name").string(variant.name);
    difference(json, variant);
    bottleneck(json, "bottleneck_before", base);
    bottleneck(json, "bottleneck_after", variant.result);
    order(json, "order_before", base);
    order(json, "order_after", variant.result);
    json.key("worlds");
    if (variant.model) {
        json.begin_object().key("n").integer(variant.model->percent.n);
        json.key("faster").integer(variant.model->faster).key("slower").integer(variant.model->slower);
        leaders(json, "leaders", variant.model->leaders);
        json.key("diff_percent").begin_array(JsonWriter::Layout::one_line);
        for (const double mean : variant.model->means) json.real(mean);
        json.end().end();
    } else {
        json.null();
    }
    json.key("explanation");
    if (variant.explanation) {
        explanation_json(json, *variant.explanation);
    } else {
        json.null();
    }
    json.key("result");
    write_result(json, variant.result, {});
    json.end();
}

}  // namespace

std::string whatif_json(const Whatif& whatif) {
    JsonWriter json;
    json.begin_object().key("schema").string("forksim-whatif/1");
    json.key("confidence").real(confidence).key("comparisons").integer(whatif.plan.comparisons);
    json.key("precision_percent").real(whatif.plan.precision).key("margin_percent").real(whatif.margin);
    json.key("with_work").boolean(whatif.with_work).key("ranked").boolean(whatif.ranked);
    json.key("points").begin_array();
    for (const WhatifPoint& point : whatif.points) {
        json.begin_object().key("cpus").integer(point.cpus).key("stopped").string(name_of(point.stopped));
        json.key("world_replications").integer(point.world_replications);
        leaders(json, "leaders", point.base_leaders);
        json.key("base");
        write_result(json, point.base, {});
        json.key("variants").begin_array();
        for (const WhatifVariant& variant : point.variants) write_variant(json, variant, point.base);
        json.end();
        json.key("trust");
        if (point.trust) {
            trust_json(json, *point.trust);
        } else {
            json.null();
        }
        json.end();
    }
    json.end();
    strings(json, "notes", whatif.notes);
    strings(json, "warnings", whatif.warnings);
    json.end();
    return json.text();
}

}  // namespace forksim
