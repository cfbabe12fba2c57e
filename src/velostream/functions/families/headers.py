"""Message headers, read and written."""

from velostream.functions.base import Function
from velostream.functions.family import Family
from velostream.types import BOOLEAN, STRING

scalar = Family("header")

# A table to be read downwards: signature and result type, what it does, an example and what that gives.
# fmt: off
FUNCTIONS: tuple[Function, ...] = (
    scalar("HAS_HEADER(key: text)", BOOLEAN,
      "True where the record has a header of that name",
      "HAS_HEADER('trace-id')", "true",
      lowers="coalesce(exists(_headers, _h -> _h.key = {0}), false)"),
    scalar("HEADER(key: text)", STRING,
      "The value of a header as text, the last one where there are several; NULL where there is none",
      "HEADER('trace-id')", "t1",
      lowers="cast(try_element_at(filter(_headers, _h -> _h.key = {0}), -1).value AS STRING)"),
    scalar("HEADER_KEYS()", STRING,
      "The names of all headers, separated by commas",
      "HEADER_KEYS()", "trace-id",
      lowers="array_join(array_distinct(transform(_headers, _h -> _h.key)), ',')"),
    scalar("REMOVE_HEADER(key: text)", STRING,
      "Takes a header off the record that is written, and gives the value it had",
      "REMOVE_HEADER('debug')", "NULL",
      lowers="cast(try_element_at(filter(_headers, _h -> _h.key = {0}), -1).value AS STRING)"),
    scalar("SET_HEADER(key: text, value)", STRING,
      "Puts a header on the record that is written, in place of an old one, and gives its value",
      "SET_HEADER('source', 'velostream')", "velostream",
      lowers="cast({1} AS STRING)"),
)
