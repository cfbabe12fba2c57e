"""JSON text: reading by path, parsing, writing."""

from velostream.functions.base import Function, FunctionKind
from velostream.functions.family import Family
from velostream.functions.schemas import by_schema
from velostream.types import BOOLEAN, INT, STRING, UNKNOWN, array

scalar = Family("json")
table = Family("json", FunctionKind.TABLE)

# A table to be read downwards: signature and result type, what it does, an example and what that gives.
# fmt: off
FUNCTIONS: tuple[Function, ...] = (
    scalar("FROM_JSON(text: text, schema: text, [options: map])", by_schema,
      "A JSON text read into the type that a schema spells, such as 'a INT, b STRING'",
      "FROM_JSON('{\"a\": 1}', 'a INT').a", "1"),
    scalar("GET_JSON_OBJECT(text: text, path: text)", STRING,
      "What stands at a path of a JSON text, as text; objects and arrays as JSON",
      "GET_JSON_OBJECT('{\"a\": {\"b\": 1}}', '$.a')", "{\"b\":1}", aliases=("EXTRACTJSONFIELD", "JSON_EXTRACT")),
    scalar("IS_JSON_STRING(text: text)", BOOLEAN,
      "True where the text is JSON",
      "IS_JSON_STRING('{\"a\": 1}')", "true",
      lowers="coalesce(try_parse_json({0}) IS NOT NULL, false)"),
    scalar("JSON_ARRAY_LENGTH(text: text)", INT,
      "How many elements a JSON array has; NULL where the text is none",
      "JSON_ARRAY_LENGTH('[1, 2, 3]')", "3"),
    scalar("JSON_EXISTS(text: text, path!: text)", BOOLEAN,
      "True where a JSON text has something at a path, be it null",
      "JSON_EXISTS('{\"a\": null}', '$.a')", "true",
      lowers="coalesce(variant_get(try_parse_json({0}), {1}) IS NOT NULL, false)"),
    scalar("JSON_OBJECT_KEYS(text: text)", array(STRING),
      "The keys of a JSON object",
      "JSON_OBJECT_KEYS('{\"a\": 1, \"b\": 2}')", "[a, b]", aliases=("JSON_KEYS",)),
    scalar("JSON_QUERY(text: text, path!: text)", STRING,
      "The object or array at a path of a JSON text, as JSON; NULL where there is none or a plain value",
      "JSON_QUERY('{\"a\": {\"b\": 1}}', '$.a')", "{\"b\":1}",
      lowers="get(transform(array(variant_get(try_parse_json({0}), {1})), _v -> CASE WHEN schema_of_variant(_v) "
             "RLIKE '^(OBJECT|ARRAY)<' THEN to_json(_v) END), 0)"),
    table("JSON_TUPLE(text: text, key: text, others*: text)", UNKNOWN,
      "The values of several keys of a JSON object, as columns of text",
      "JSON_TUPLE('{\"a\": 1, \"b\": 2}', 'a', 'b')", "1, 2"),
    scalar("JSON_VALUE(text: text, path!: text)", STRING,
      "The plain value at a path of a JSON text, as text; NULL where there is none, or an object or array",
      "JSON_VALUE('{\"a\": {\"b\": 1}}', '$.a.b')", "1",
      lowers="get(transform(array(variant_get(try_parse_json({0}), {1})), _v -> CASE WHEN schema_of_variant(_v) "
             "NOT RLIKE '^(OBJECT|ARRAY)<' THEN try_variant_get(_v, '$', 'string') END), 0)"),
    scalar("SCHEMA_OF_JSON(text!: text, [options: map])", STRING,
      "The schema of a JSON text, as FROM_JSON takes it",
      "SCHEMA_OF_JSON('{\"a\": 1}')", "STRUCT<a: BIGINT>"),
    scalar("TO_JSON(value: nested, [options: map])", STRING,
      "A struct, map, array or variant as JSON text",
      "TO_JSON(NAMED_STRUCT('a', 1))", "{\"a\":1}", aliases=("TO_JSON_STRING", "JSON_STRING")),
)
