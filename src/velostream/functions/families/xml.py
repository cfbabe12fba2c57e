"""XML text: parsing, writing, XPath."""

from velostream.functions.base import Function
from velostream.functions.family import Family
from velostream.functions.schemas import by_schema
from velostream.types import BIGINT, BOOLEAN, DOUBLE, FLOAT, INT, SMALLINT, STRING, array

scalar = Family("xml")

# A table to be read downwards: signature and result type, what it does, an example and what that gives.
# fmt: off
FUNCTIONS: tuple[Function, ...] = (
    scalar("FROM_XML(text: text, schema: text, [options: map])", by_schema,
      "An XML text read into the type that a schema spells",
      "FROM_XML('<p><a>1</a></p>', 'a INT').a", "1"),
    scalar("SCHEMA_OF_XML(text!: text, [options: map])", STRING,
      "The schema of an XML text, as FROM_XML takes it",
      "SCHEMA_OF_XML('<p><a>1</a></p>')", "STRUCT<a: BIGINT>"),
    scalar("TO_XML(value: struct, [options: map])", STRING,
      "A struct as XML text",
      "LENGTH(TO_XML(NAMED_STRUCT('a', 1))) > 0", "true"),
    scalar("XPATH(text: text, path!: text)", array(STRING),
      "The texts that an XPath finds",
      "XPATH('<a><b>1</b><b>2</b></a>', 'a/b/text()')", "[1, 2]"),
    scalar("XPATH_BOOLEAN(text: text, path!: text)", BOOLEAN,
      "True where an XPath is true or finds something",
      "XPATH_BOOLEAN('<a><b>1</b></a>', 'a/b')", "true"),
    scalar("XPATH_DOUBLE(text: text, path!: text)", DOUBLE,
      "The number that an XPath finds",
      "XPATH_DOUBLE('<a><b>1</b><b>2</b></a>', 'sum(a/b)')", "3.0", aliases=("XPATH_NUMBER",)),
    scalar("XPATH_FLOAT(text: text, path!: text)", FLOAT,
      "The number that an XPath finds, as FLOAT",
      "XPATH_FLOAT('<a><b>1</b><b>2</b></a>', 'sum(a/b)')", "3.0"),
    scalar("XPATH_INT(text: text, path!: text)", INT,
      "The number that an XPath finds, as INT",
      "XPATH_INT('<a><b>1</b><b>2</b></a>', 'sum(a/b)')", "3"),
    scalar("XPATH_LONG(text: text, path!: text)", BIGINT,
      "The number that an XPath finds, as BIGINT",
      "XPATH_LONG('<a><b>1</b><b>2</b></a>', 'sum(a/b)')", "3"),
    scalar("XPATH_SHORT(text: text, path!: text)", SMALLINT,
      "The number that an XPath finds, as SMALLINT",
      "XPATH_SHORT('<a><b>1</b><b>2</b></a>', 'sum(a/b)')", "3"),
    scalar("XPATH_STRING(text: text, path!: text)", STRING,
      "The text of the first node that an XPath finds",
      "XPATH_STRING('<a><b>1</b><b>2</b></a>', 'a/b')", "1"),
)
