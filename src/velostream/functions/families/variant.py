"""Values whose type is known only at run time (VARIANT)."""

from velostream.functions.base import Function
from velostream.functions.family import Family
from velostream.functions.schemas import by_type_name
from velostream.types import BOOLEAN, STRING, VARIANT

scalar = Family("variant")

# A table to be read downwards: signature and result type, what it does, an example and what that gives.
# fmt: off
FUNCTIONS: tuple[Function, ...] = (
    scalar("IS_VALID_VARIANT(value: variant)", BOOLEAN,
      "True where a variant is well formed",
      "IS_VALID_VARIANT(PARSE_JSON('1'))", "true"),
    scalar("IS_VARIANT_NULL(value: variant)", BOOLEAN,
      "True where a variant holds JSON's null",
      "IS_VARIANT_NULL(PARSE_JSON('null'))", "true"),
    scalar("PARSE_JSON(text: text)", VARIANT,
      "A JSON text as a variant",
      "PARSE_JSON('{\"a\": 1}')", "{\"a\":1}"),
    scalar("SCHEMA_OF_VARIANT(value: variant)", STRING,
      "The schema of a variant",
      "SCHEMA_OF_VARIANT(PARSE_JSON('{\"a\": 1}'))", "OBJECT<a: BIGINT>"),
    scalar("TO_VARIANT_OBJECT(value: nested)", VARIANT,
      "A struct, map or array as a variant",
      "TO_VARIANT_OBJECT(NAMED_STRUCT('a', 1))", "{\"a\":1}"),
    scalar("TRY_PARSE_JSON(text: text)", VARIANT,
      "A JSON text as a variant; NULL where it is none",
      "TRY_PARSE_JSON('{')", "NULL"),
    scalar("TRY_VARIANT_GET(value: variant, path: text, [type!: text])", by_type_name,
      "What stands at a path of a variant, as a type; NULL where it cannot be read so",
      "TRY_VARIANT_GET(PARSE_JSON('{\"a\": \"x\"}'), '$.a', 'int')", "NULL"),
    scalar("VARIANT_GET(value: variant, path: text, [type!: text])", by_type_name,
      "What stands at a path of a variant, as a type",
      "VARIANT_GET(PARSE_JSON('{\"a\": 1}'), '$.a', 'int')", "1"),
)
