"""URLs: parts, encoding."""

from velostream.functions.base import Function
from velostream.functions.family import Family
from velostream.types import STRING

scalar = Family("url")

# A table to be read downwards: signature and result type, what it does, an example and what that gives.
# fmt: off
FUNCTIONS: tuple[Function, ...] = (
    scalar("PARSE_URL(url: text, part: text, [key: text])", STRING,
      "A part of a URL: HOST, PATH, QUERY, PROTOCOL …, or the value of one key of the query",
      "PARSE_URL('https://example.com/a?q=1', 'QUERY', 'q')", "1"),
    scalar("TRY_PARSE_URL(url: text, part: text, [key: string])", STRING,
      "A part of a URL; NULL where the text is none",
      "TRY_PARSE_URL('inva lid://x', 'HOST')", "NULL"),
    scalar("TRY_URL_DECODE(text: string)", STRING,
      "A text with its percent escapes resolved; NULL where they are malformed",
      "TRY_URL_DECODE('%xx')", "NULL"),
    scalar("URL_DECODE(text: string)", STRING,
      "A text with its percent escapes resolved",
      "URL_DECODE('a%2Fb')", "a/b"),
    scalar("URL_ENCODE(text: string)", STRING,
      "A text with percent escapes for what may not stand in a URL",
      "URL_ENCODE('a/b')", "a%2Fb"),
)
