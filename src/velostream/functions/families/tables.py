"""Functions that make rows of one value."""

from velostream.functions.base import Function, FunctionKind
from velostream.functions.family import Family
from velostream.types import UNKNOWN

table = Family("table", FunctionKind.TABLE)

# A table to be read downwards: signature and result type, what it does, an example and what that gives.
# fmt: off
FUNCTIONS: tuple[Function, ...] = (
    table("EXPLODE(collection: collection)", UNKNOWN,
      "A row for every element of an array, or entry of a map",
      "EXPLODE(ARRAY(1, 2))", "1; 2"),
    table("EXPLODE_OUTER(collection: collection)", UNKNOWN,
      "A row for every element of an array, or entry of a map; one row of NULL where there are none",
      "EXPLODE_OUTER(ARRAY(1, 2))", "1; 2"),
    table("INLINE(structs: array)", UNKNOWN,
      "A row for every struct of an array, its fields as columns",
      "INLINE(ARRAY(STRUCT(1, 'a'), STRUCT(2, 'b')))", "1, a; 2, b"),
    table("INLINE_OUTER(structs: array)", UNKNOWN,
      "A row for every struct of an array; one row of NULLs where there are none",
      "INLINE_OUTER(ARRAY(STRUCT(1, 'a'), STRUCT(2, 'b')))", "1, a; 2, b"),
    table("POSEXPLODE(collection: collection)", UNKNOWN,
      "A row for every element, with its place counted from 0",
      "POSEXPLODE(ARRAY('a', 'b'))", "0, a; 1, b"),
    table("POSEXPLODE_OUTER(collection: collection)", UNKNOWN,
      "A row for every element, with its place counted from 0; one row of NULLs where there are none",
      "POSEXPLODE_OUTER(ARRAY('a', 'b'))", "0, a; 1, b"),
    table("STACK(rows!: integer, value, others*)", UNKNOWN,
      "The values spread over so many rows",
      "STACK(2, 1, 'a', 2, 'b')", "1, a; 2, b"),
    table("UNNEST(collection: collection)", UNKNOWN,
      "A row for every element of an array, or entry of a map: CROSS JOIN UNNEST(items) AS t(item)",
      "UNNEST(ARRAY(1, 2))", "1; 2",
      lowers="explode"),
    table("VARIANT_EXPLODE(value: variant)", UNKNOWN,
      "A row for every field or element of a variant: pos, key, value",
      "VARIANT_EXPLODE(PARSE_JSON('[1, 2]'))", "0, NULL, 1; 1, NULL, 2"),
    table("VARIANT_EXPLODE_OUTER(value: variant)", UNKNOWN,
      "A row for every field or element of a variant; one row of NULLs where there are none",
      "VARIANT_EXPLODE_OUTER(PARSE_JSON('[1, 2]'))", "0, NULL, 1; 1, NULL, 2"),
    table("RANGE(end: integer) | (start: integer, end: integer, [step: integer], [partitions: integer])", UNKNOWN,
      "A row for every number from a start to before an end",
      "RANGE(1, 3)", "1; 2"),
    table("COLLATIONS()", UNKNOWN,
      "The collations that Spark knows",
      "COLLATIONS()",
      refused="it is a question about Spark itself, not about data"),
    table("PYTHON_WORKER_LOGS()", UNKNOWN,
      "The log lines of Spark's Python workers",
      "PYTHON_WORKER_LOGS()",
      refused="it is a question about Spark itself; `velo logs` shows what workers log"),
    table("SQL_KEYWORDS()", UNKNOWN,
      "The keywords of Spark SQL",
      "SQL_KEYWORDS()",
      refused="it is a question about Spark itself, not about data"),
)
