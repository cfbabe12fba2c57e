"""CSV text, and the binary formats Avro and Protobuf as functions."""

from velostream.functions.base import Function
from velostream.functions.family import Family
from velostream.functions.schemas import by_schema
from velostream.types import BINARY, STRING, UNKNOWN

scalar = Family("csv")

# A table to be read downwards: signature and result type, what it does, an example and what that gives.
# fmt: off
FUNCTIONS: tuple[Function, ...] = (
    scalar("FROM_CSV(text: text, schema: text, [options: map])", by_schema,
      "A line of CSV read into the struct that a schema spells",
      "FROM_CSV('1,x', 'a INT, b STRING').b", "x"),
    scalar("SCHEMA_OF_CSV(text!: text, [options: map])", STRING,
      "The schema of a line of CSV, as FROM_CSV takes it",
      "SCHEMA_OF_CSV('1,x')", "STRUCT<_c0: INT, _c1: STRING>"),
    scalar("TO_CSV(value: struct, [options: map])", STRING,
      "A struct as a line of CSV",
      "TO_CSV(NAMED_STRUCT('a', 1, 'b', 'x'))", "1,x"),
    scalar("FROM_AVRO(value: binary, schema!: string, [options: map])", UNKNOWN,
      "Avro bytes read by a schema",
      "FROM_AVRO(payload, '{\"type\": \"string\"}')",
      refused="Spark has it only with its Avro package; declare the source with the format avro"),
    scalar("SCHEMA_OF_AVRO(schema!: string, [options: map])", STRING,
      "An Avro schema as Spark spells it",
      "SCHEMA_OF_AVRO('{\"type\": \"string\"}')",
      refused="Spark has it only with its Avro package; declare the source with the format avro"),
    scalar("TO_AVRO(value, [schema!: string])", BINARY,
      "A value as Avro bytes",
      "TO_AVRO(price)",
      refused="Spark has it only with its Avro package; declare the sink with the format avro"),
    scalar("FROM_PROTOBUF(value: binary, message!: string, [descriptor!: string], [options: map])", UNKNOWN,
      "Protobuf bytes read as a message",
      "FROM_PROTOBUF(payload, 'Trade', 'trade.desc')",
      refused="Spark has it only with its Protobuf package; declare the source with the format protobuf"),
    scalar("TO_PROTOBUF(value: struct, message!: string, [descriptor!: string], [options: map])", BINARY,
      "A struct as Protobuf bytes",
      "TO_PROTOBUF(trade, 'Trade', 'trade.desc')",
      refused="Spark has it only with its Protobuf package; declare the sink with the format protobuf"),
)
