"""Text against patterns: LIKE and regular expressions."""

from velostream.functions.base import Function
from velostream.functions.family import Family
from velostream.types import BOOLEAN, INT, STRING, array

scalar = Family("pattern")

# A table to be read downwards: signature and result type, what it does, an example and what that gives.
# fmt: off
FUNCTIONS: tuple[Function, ...] = (
    scalar("ILIKE(text: string, pattern: string, [escape!: string])", BOOLEAN,
      "True where the text fits a pattern of % and _, whatever the letter case",
      "ILIKE('Velo', 'v%')", "true"),
    scalar("LIKE(text: string, pattern: string, [escape!: string])", BOOLEAN,
      "True where the text fits a pattern of % (any characters) and _ (one character)",
      "LIKE('velo', 've%')", "true"),
    scalar("REGEXP_COUNT(text: string, pattern: string)", INT,
      "How often a regular expression matches",
      "REGEXP_COUNT('a1b22c', '[0-9]+')", "2"),
    scalar("REGEXP_EXTRACT(text: string, pattern: string, [group: integer])", STRING,
      "The first match of a regular expression, or one of its groups (the first if none is named); empty "
      "without a match",
      "REGEXP_EXTRACT('100-200', '([0-9]+)-([0-9]+)', 2)", "200"),
    scalar("REGEXP_EXTRACT_ALL(text: string, pattern: string, [group: integer])", array(STRING),
      "All matches of a regular expression, or of one of its groups (the first if none is named)",
      "REGEXP_EXTRACT_ALL('1-2, 3-4', '([0-9]+)-([0-9]+)', 1)", "[1, 3]"),
    scalar("REGEXP_INSTR(text: string, pattern: string, [group: integer])", INT,
      "Where a regular expression matches for the first time, counted from 1; 0 without a match",
      "REGEXP_INSTR('id=42', '[0-9]+')", "4"),
    scalar("REGEXP_LIKE(text: string, pattern: string)", BOOLEAN,
      "True where a regular expression matches somewhere in the text",
      "REGEXP_LIKE('order-42', '[0-9]+')", "true", aliases=("RLIKE", "REGEXP")),
    scalar("REGEXP_REPLACE(text: string, pattern: string, replacement: string, [start: integer])", STRING,
      "The text with every match of a regular expression replaced; $1 in the replacement is the first group",
      "REGEXP_REPLACE('2024-05-01', '-', '/')", "2024/05/01"),
    scalar("REGEXP_SUBSTR(text: string, pattern: string)", STRING,
      "The first match of a regular expression; NULL without one",
      "REGEXP_SUBSTR('id=42', '[0-9]+')", "42"),
    scalar("SPLIT(text: string, pattern: string, [limit: integer])", array(STRING),
      "The parts of a text between the matches of a regular expression",
      "SPLIT('a1b22c', '[0-9]+')", "[a, b, c]", aliases=("REGEXP_SPLIT_TO_ARRAY",)),
)
