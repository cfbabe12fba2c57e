"""Choices, and what to do with NULL."""

from velostream.functions.arithmetic import widest_with_int
from velostream.functions.base import Function
from velostream.functions.family import Family
from velostream.functions.returns import decoded, same, widest_from
from velostream.types import BOOLEAN, NULL

scalar = Family("conditional")

# A table to be read downwards: signature and result type, what it does, an example and what that gives.
# fmt: off
FUNCTIONS: tuple[Function, ...] = (
    scalar("COALESCE(value=, others*=)", widest_from(),
      "The first value that is not NULL",
      "COALESCE(NULL, 'a', 'b')", "a"),
    scalar("DECODE(bytes: binary, charset: string) | (value=, search=, result, others*)", decoded,
      "With two arguments the text that bytes mean in a character set; with more, the result that stands "
      "after the matching search value",
      "DECODE(2, 1, 'one', 2, 'two', 'many')", "two"),
    scalar("EQUAL_NULL(left=: ordered, right=: ordered)", BOOLEAN,
      "True where both are equal or both are NULL",
      "EQUAL_NULL(NULL, NULL)", "true"),
    scalar("GREATEST(value=: ordered, other=: ordered, others*=: ordered)", widest_from(),
      "The largest value; NULLs are left out",
      "GREATEST(3, 7, 5)", "7"),
    scalar("IF(condition: condition, then=, otherwise=)", widest_from(1),
      "One value where a condition is true, else the other",
      "IF(1 < 2, 'yes', 'no')", "yes"),
    scalar("IFNULL(value=, replacement=)", widest_from(),
      "The value, or the replacement where it is NULL",
      "IFNULL(NULL, 0)", "0", aliases=("NVL",)),
    scalar("ISNAN(number: number)", BOOLEAN,
      "True where a number is NaN",
      "ISNAN(DOUBLE('NaN'))", "true"),
    scalar("ISNOTNULL(value)", BOOLEAN,
      "True where there is a value",
      "ISNOTNULL(1)", "true"),
    scalar("ISNULL(value)", BOOLEAN,
      "True where there is none",
      "ISNULL(NULL)", "true"),
    scalar("LEAST(value=: ordered, other=: ordered, others*=: ordered)", widest_from(),
      "The smallest value; NULLs are left out",
      "LEAST(3, 7, 5)", "3"),
    scalar("NANVL(number: number, replacement: number)", widest_from(),
      "The number, or the replacement where it is NaN",
      "NANVL(DOUBLE('NaN'), 0D)", "0.0"),
    scalar("NULLIF(value=, other=)", same(),
      "NULL where both are equal, else the first",
      "NULLIF(0, 0)", "NULL"),
    scalar("NULLIFZERO(number: number)", same(),
      "NULL where the number is zero, else the number",
      "NULLIFZERO(0)", "NULL"),
    scalar("NVL2(value, present=, missing=)", widest_from(1),
      "One value where the first is not NULL, else the other",
      "NVL2(1, 'there', 'missing')", "there"),
    scalar("ZEROIFNULL(number: number)", widest_with_int,
      "The number, or zero where it is NULL",
      "ZEROIFNULL(NULL)", "0"),
    scalar("ASSERT_TRUE(condition: condition, [message: string])", NULL,
      "NULL where a condition is true, else an error: the record becomes a dead letter",
      "ASSERT_TRUE(1 < 2)", "NULL"),
    scalar("RAISE_ERROR(message: string)", NULL,
      "Always an error: the record becomes a dead letter",
      "IF(1 < 2, 'fine', RAISE_ERROR('wrong'))", "fine"),
)
