"""Functions that need OVER: a row's place among others, and values of its neighbours."""

from velostream.functions.base import Function, FunctionKind
from velostream.functions.family import Family
from velostream.functions.returns import same
from velostream.types import DOUBLE, INT

window = Family("window", FunctionKind.WINDOW)

# A table to be read downwards: signature and result type, what it does, an example and what that gives.
# fmt: off
FUNCTIONS: tuple[Function, ...] = (
    window("CUME_DIST()", DOUBLE,
      "The share of rows that are not behind this one in the order",
      "CUME_DIST() OVER (ORDER BY trade_time)", "0.25, 0.5, 0.75, 1.0"),
    window("DENSE_RANK()", INT,
      "The rank without gaps: equal rows share it, the next one is one more",
      "DENSE_RANK() OVER (ORDER BY symbol)", "1, 1, 1, 2"),
    window("LAG([value], [offset!: int], [default], [ignore_nulls!: condition])", same(),
      "The value of the row so many rows before, 1 if not said, or the default where there is none",
      "LAG(price) OVER (ORDER BY trade_time)", "NULL, 10.50, 11.00, 20.00"),
    window("LEAD([value], [offset!: int], [default], [ignore_nulls!: condition])", same(),
      "The value of the row so many rows after, 1 if not said, or the default where there is none",
      "LEAD(price) OVER (ORDER BY trade_time)", "11.00, 20.00, 12.50, NULL"),
    window("NTH_VALUE(value, n!: whole, [ignore_nulls!: condition])", same(),
      "The value of the n-th row of the frame",
      "NTH_VALUE(price, 2) OVER (ORDER BY trade_time)", "NULL, 11.00, 11.00, 11.00"),
    window("NTILE([buckets!: int])", INT,
      "The number of the bucket of a row when the rows are dealt out in order into equal buckets",
      "NTILE(2) OVER (ORDER BY trade_time)", "1, 1, 2, 2"),
    window("PERCENT_RANK()", DOUBLE,
      "The rank as a share, from 0 to 1",
      "PERCENT_RANK() OVER (ORDER BY trade_time)", "0.0, 0.3333333333333333, 0.6666666666666666, 1.0"),
    window("RANK()", INT,
      "The rank with gaps: equal rows share it, the next one counts them all",
      "RANK() OVER (ORDER BY symbol)", "1, 1, 1, 4"),
    window("ROW_NUMBER()", INT,
      "The number of the row in the order, from 1 on",
      "ROW_NUMBER() OVER (ORDER BY trade_time)", "1, 2, 3, 4"),
)
