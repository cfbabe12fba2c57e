"""Random values. In a stream they are derived from the record, so that the re-run of a batch gives the same."""

from velostream.functions.arithmetic import uniform_type
from velostream.functions.base import Function
from velostream.functions.family import Family
from velostream.functions.returns import same
from velostream.types import DOUBLE, INT, STRING

scalar = Family("random")

# A table to be read downwards: signature and result type, what it does, an example and what that gives.
# fmt: off
FUNCTIONS: tuple[Function, ...] = (
    scalar("RAND([seed!: integer])", DOUBLE,
      "A number from 0 to below 1",
      "RAND() < 1", "true", aliases=("RANDOM",), deterministic=False),
    scalar("RANDN([seed!: integer])", DOUBLE,
      "A number of the standard normal distribution",
      "RANDN() IS NOT NULL", "true", deterministic=False),
    scalar("RANDSTR(length!: integer, [seed!: integer])", STRING,
      "So many random letters and digits",
      "LENGTH(RANDSTR(5))", "5", deterministic=False),
    scalar("RAND_INTEGER(bound: integer)", INT,
      "A whole number from 0 to below a bound",
      "RAND_INTEGER(1)", deterministic=False,
      lowers="cast(floor(rand() * ({0})) AS INT)"),
    scalar("SHUFFLE(array: array, [seed!: integer])", same(),
      "The elements of an array in random order",
      "SIZE(SHUFFLE(ARRAY(1, 2, 3)))", "3", deterministic=False),
    scalar("UNIFORM(low!: number, high!: number, [seed!: integer])", uniform_type,
      "A number between two bounds, whole where both are",
      "UNIFORM(10, 20) >= 10", "true", deterministic=False),
    scalar("UUID([seed!: integer])", STRING,
      "A universally unique identifier",
      "LENGTH(UUID())", "36", deterministic=False),
)
