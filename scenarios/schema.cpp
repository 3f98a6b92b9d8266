// The JSON Schema of the language, generated from the same tables as the reader.
#include <nlohmann/json.hpp>
#include <string>

#include "scenarios/describe.hpp"
#include "scenarios/listing.hpp"
#include "scenarios/steps.hpp"

namespace forksim {

using namespace language;

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* word_pattern = "^[A-Za-z_][A-Za-z0-9_.-]*$";

Json reference_to(std::string_view name) { return {{"$ref", "#/$defs/" + std::string(name)}}; }
Json any_of(std::initializer_list<Json> list) { return {{"anyOf", Json(list)}}; }
Json array_of(const Json& items) { return {{"type", "array"}, {"items", items}}; }
Json map_of(const Json& values) { return {{"type", "object"}, {"additionalProperties", values}}; }
Json text() { return {{"type", "string"}}; }
Json scalar() { return {{"type", Json::array({"string", "number"})}}; }

std::string definition_name(const Table& table) {
    std::string name;
    for (const char c : table.name) name += c == ' ' ? '-' : c;
    return name;
}

Json number_schema(const Key& key) {
    Json plain = {{"type", key.type == Type::integer ? "integer" : "number"}};
    if (key.low > -1e300) plain["minimum"] = key.low;
    if (key.type == Type::fraction) {
        plain["maximum"] = 1;
    } else if (key.high < 1e300) {
        plain["maximum"] = key.high;
    }
    return any_of({plain, reference_to("expression"), reference_to("number")});
}

Json value_schema(const Key& key) {
    switch (key.type) {
        case Type::none:
            return {{"type", "null"}};
        case Type::duration:
        case Type::time:
            return any_of({reference_to("expression"), reference_to("time")});
        case Type::durations:
            return array_of(reference_to("expression"));
        case Type::number:
        case Type::integer:
        case Type::fraction:
            return number_schema(key);
        case Type::integers:
            return scalar();
        case Type::boolean:
            return {{"type", "boolean"}};
        case Type::choice: {
            Json words = Json::array();
            for (const std::string& word : split(key.choices, '|')) {
                // YAML reads on and off as words here, but other readers as booleans.
                words.push_back(word);
                if (word == "on" || word == "off") words.push_back(word == "on");
            }
            return {{"enum", words}};
        }
        case Type::word:
            return {{"type", "string"}, {"pattern", word_pattern}};
        case Type::words:
        case Type::addresses:
        case Type::bases:
            return any_of({text(), array_of(text())});
        case Type::touch:
            return any_of({map_of(reference_to("access")), array_of(map_of(reference_to("access")))});
        case Type::scope:
            return reference_to("scope");
        case Type::affinity:
            return reference_to("affinity");
        case Type::tasks:
            return any_of({{{"type", "integer"}, {"minimum", 1}},
                           reference_to("expression"),
                           {{"type", "object"},
                            {"properties", {{"per", {{"const", "cpu"}}}}},
                            {"required", {"per"}},
                            {"additionalProperties", false}}});
        case Type::mapping: {
            if (key.nested == nullptr) return {{"type", "object"}};
            const Json map = reference_to(definition_name(key.nested()));
            return key.scalar ? any_of({map, scalar()}) : map;
        }
        case Type::steps:
            return reference_to("steps");
        case Type::let:
            return map_of(scalar());
        case Type::named: {
            const Json map = reference_to(definition_name(key.nested()));
            return map_of(any_of({map, {{"type", "null"}}}));
        }
        case Type::listed:
            return array_of(reference_to(definition_name(key.nested())));
        case Type::functions:
            return map_of(any_of({reference_to("steps"), reference_to("function")}));
        case Type::destinations:
            return any_of({reference_to("destination"), array_of(reference_to("destination"))});
        case Type::settings:
            return {{"type", "object"}};
        case Type::factors:
            return map_of(scalar());
        case Type::rows:
            return array_of(array_of(scalar()));
        case Type::platform:
            return any_of(
                {text(),
                 reference_to("platform"),
                 {{"type", "object"},
                  {"patternProperties", {{"^[0-9]+(\\.\\.[0-9]+)?$", any_of({text(), reference_to("platform")})}}},
                  {"additionalProperties", false}}});
        default:
            return scalar();
    }
}

Json described(const Key& key) {
    Json schema = value_schema(key);
    if (!key.doc.empty()) schema["description"] = key.doc;
    return schema;
}

Json table_schema(const Table& table) {
    Json properties = Json::object();
    Json required = Json::array();
    for (const Key& key : table.keys) {
        properties[std::string(key.name)] = described(key);
        if (key.required) required.push_back(key.name);
    }
    Json schema = {{"type", "object"}, {"description", table.doc}, {"properties", properties}};
    if (!required.empty()) schema["required"] = required;
    schema["additionalProperties"] = false;
    return schema;
}

/// The map behind the kind: the keys inside it.
Json inner_schema(const StepKind& kind) {
    Json properties = Json::object();
    Json required = Json::array();
    Json others = false;
    for (const Key& key : kind.table.keys) {
        if (!key.inside) continue;
        if (key.free) {
            others = value_schema(key);
            continue;
        }
        properties[std::string(key.name)] = described(key);
        if (key.required) required.push_back(key.name);
    }
    Json schema = {{"type", "object"}, {"properties", properties}};
    if (!required.empty()) schema["required"] = required;
    schema["additionalProperties"] = others;
    return kind.may_be_bare ? any_of({schema, {{"type", "null"}}}) : schema;
}

Json step_schema(const StepKind& kind) {
    Json properties = Json::object();
    Json required = Json::array({kind.name()});
    for (const Key& key : kind.table.keys) {
        if (key.inside) continue;
        const bool principal = key.name == kind.name();
        Json value = principal && kind.is_map ? inner_schema(kind) : described(key);
        if (principal && !kind.is_map && kind.may_be_bare) value = any_of({value, {{"type", "null"}}});
        properties[std::string(key.name)] = std::move(value);
        if (key.required && !principal) required.push_back(key.name);
    }
    for (const Key& key : step_table().keys) properties[std::string(key.name)] = described(key);
    const Json map = {{"type", "object"},
                      {"description", kind.table.doc},
                      {"properties", properties},
                      {"required", required},
                      {"additionalProperties", false}};
    const bool is_word = kind.table.keys.front().type == Type::none || kind.may_be_bare;
    return is_word ? any_of({map, {{"const", kind.name()}}}) : map;
}

}  // namespace

std::string json_schema() {
    Json definitions = Json::object();
    definitions["expression"] = {{"type", Json::array({"string", "number"})},
                                 {"description", "a number or time: 3, 1%, 60ns, 1.4us, 5j, 2^-20, 1/(n*50)"}};
    std::string operations;
    for (const ObjectOpTable& op : object_ops()) operations += (operations.empty() ? "" : "|") + std::string(op.name);
    definitions["access"] = {
        {"type", "string"},
        {"pattern", "^(([0-9]+ )?(read|write|peek|store)|(" + operations + ")( embryo| @[A-Za-z_][A-Za-z0-9_.-]*)?)$"}};
    definitions["scope"] = any_of({{{"enum", {"global", "process", "cpu", "node", "task", "uid", "cgroup"}}},
                                   {{"type", "object"},
                                    {"properties", {{"cpus", {{"type", "integer"}, {"minimum", 1}}}}},
                                    {"required", {"cpus"}},
                                    {"additionalProperties", false}}});
    definitions["affinity"] = any_of({{{"enum", {"any", "core", "pu"}}},
                                      {{"type", "object"},
                                       {"properties", {{"cpus", any_of({scalar(), array_of(scalar())})}}},
                                       {"required", {"cpus"}},
                                       {"additionalProperties", false}}});
    definitions["destination"] = {{"type", "object"},
                                  {"properties", {{"before", text()}, {"after", text()}}},
                                  {"minProperties", 1},
                                  {"maxProperties", 1},
                                  {"additionalProperties", false}};
    Json kinds = Json::array();
    for (const StepKind* kind : step_kinds()) {
        const std::string name = "step-" + std::string(kind->name());
        definitions[name] = step_schema(*kind);
        kinds.push_back(reference_to(name));
    }
    definitions["step"] = {{"anyOf", kinds}};
    definitions["steps"] = any_of({array_of(reference_to("step")), reference_to("step")});
    for (const Table* table : all_tables()) definitions[definition_name(*table)] = table_schema(*table);
    Json documents = Json::array();
    for (const Table* table :
         {&scenario_table(), &kernel_table(), &patch_table(), &platform_table(), &worlds_table(), &published_table()}) {
        Json document = reference_to(definition_name(*table));
        document["required"] = {table->name};
        documents.push_back(document);
    }
    const Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                         {"title", "forksim scenario, kernel, patch, platform, table of worlds or published figure"},
                         {"anyOf", documents},
                         {"$defs", definitions}};
    return schema.dump(1, ' ') + "\n";
}

}  // namespace forksim
