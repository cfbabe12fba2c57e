"""Bits of whole numbers."""

from velostream.functions.arithmetic import shifted
from velostream.functions.base import Function
from velostream.functions.family import Family
from velostream.types import BIGINT, INT, TINYINT

scalar = Family("bitwise")

# A table to be read downwards: signature and result type, what it does, an example and what that gives.
# fmt: off
FUNCTIONS: tuple[Function, ...] = (
    scalar("BIT_COUNT(number: whole)", INT,
      "How many bits are set",
      "BIT_COUNT(7)", "3"),
    scalar("BIT_GET(number: whole, position: integer)", TINYINT,
      "The bit at a position, counted from 0 at the right",
      "BIT_GET(11, 1)", "1", aliases=("GETBIT",)),
    scalar("SHIFTLEFT(number: integer, bits: integer)", shifted,
      "The bits moved to the left, zeros follow",
      "SHIFTLEFT(2, 3)", "16"),
    scalar("SHIFTRIGHT(number: integer, bits: integer)", shifted,
      "The bits moved to the right, the sign stays",
      "SHIFTRIGHT(-8, 1)", "-4"),
    scalar("SHIFTRIGHTUNSIGNED(number: integer, bits: integer)", shifted,
      "The bits moved to the right, zeros follow from the left",
      "SHIFTRIGHTUNSIGNED(16, 2)", "4"),
    scalar("BITMAP_BIT_POSITION(number: integer)", BIGINT,
      "Which bit of its bitmap stands for a number",
      "BITMAP_BIT_POSITION(123)", "122"),
    scalar("BITMAP_BUCKET_NUMBER(number: integer)", BIGINT,
      "Which bitmap a number belongs to",
      "BITMAP_BUCKET_NUMBER(123)", "1"),
    scalar("BITMAP_COUNT(bitmap: bytes)", BIGINT,
      "How many bits of a bitmap are set",
      "BITMAP_COUNT(X'1010')", "2"),
)
