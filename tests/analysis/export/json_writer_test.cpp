#include "analysis/export/json_writer.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "sim/error.hpp"

using forksim::JsonWriter;

TEST_CASE("JSON is indented, small parts stand on one line") {
    JsonWriter json;
    json.begin_object();
    json.key("a").integer(1);
    json.key("b").begin_array(JsonWriter::Layout::one_line).real(0.5).string("x").begin_object().end().end();
    json.key("c").begin_object().end();
    json.key("d").begin_object().key("e").boolean(true).end();
    json.end();
    CHECK(json.text() == R"({
  "a": 1,
  "b": [0.5, "x", {}],
  "c": {},
  "d": {
    "e": true
  }
}
)");
}

TEST_CASE("JSON strings are escaped, numbers that JSON lacks are null") {
    JsonWriter json;
    json.begin_array(JsonWriter::Layout::one_line).string("a\"b\\c\n\x01\xC3\xA9").null();
    json.real(std::numeric_limits<double>::infinity()).end();
    CHECK(json.text() == "[\"a\\\"b\\\\c\\u000a\\u0001\xC3\xA9\", null, null]\n");
}

TEST_CASE("JSON that is not complete or has a key in a wrong place is refused") {
    JsonWriter open;
    open.begin_array();
    CHECK_THROWS_AS(open.text(), forksim::InternalError);
    CHECK_THROWS_AS(open.key("k"), forksim::InternalError);
}
