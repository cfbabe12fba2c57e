"""Aggregates that estimate, in little memory."""

from velostream.functions.base import Function, FunctionKind
from velostream.functions.family import Family
from velostream.functions.returns import histogram, same, several
from velostream.types import BIGINT

aggregate = Family("approximate aggregate", FunctionKind.AGGREGATE)

# A table to be read downwards: signature and result type, what it does, an example and what that gives.
# fmt: off
FUNCTIONS: tuple[Function, ...] = (
    aggregate("APPROX_COUNT_DISTINCT(value: ordered, [error!: number])", BIGINT,
      "About how many different values there are",
      "APPROX_COUNT_DISTINCT(symbol)", "2", accumulator="approx_count_distinct"),
    aggregate("APPROX_PERCENTILE(number: measure, percentage!: percentage, [accuracy!: integer])", several(same(), 1),
      "About the value below which a share of the values lies",
      "APPROX_PERCENTILE(price, 0.5)", aliases=("PERCENTILE_APPROX",), accumulator="approx_percentile",
      merges=False),
    aggregate("HISTOGRAM_NUMERIC(number: measure, bins!: integer)", histogram,
      "A histogram of so many bins: their centres and heights",
      "HISTOGRAM_NUMERIC(quantity, 2)",
      refused="it has no windowed accumulator; GROUP BY WIDTH_BUCKET(value, low, high, bins) and COUNT"),
)
