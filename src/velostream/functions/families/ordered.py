"""Aggregates that depend on the order of rows: event time, then source, partition and offset."""

from velostream.functions.arithmetic import difference
from velostream.functions.base import Function, FunctionKind
from velostream.functions.family import Family
from velostream.functions.returns import array_of, same, text_or_binary

aggregate = Family("ordered aggregate", FunctionKind.AGGREGATE)

# A table to be read downwards: signature and result type, what it does, an example and what that gives.
# fmt: off
FUNCTIONS: tuple[Function, ...] = (
    aggregate("ARRAY_AGG(value)", array_of(same()),
      "All values in the order of events; NULLs are left out",
      "ARRAY_AGG(symbol)", "[AAPL, AAPL, MSFT, AAPL]", aliases=("COLLECT_LIST",), accumulator="array_agg",
      merges=False,
      lowers="transform(sort_array(collect_list(IF(({0}) IS NULL, NULL, struct({order} AS o, {0} AS v)))), _e "
             "-> _e.v)"),
    aggregate("COLLECT_SET(value: ordered)", array_of(same()),
      "All different values; NULLs are left out",
      "COLLECT_SET(symbol)", "[AAPL, MSFT]", accumulator="collect_set"),
    aggregate("DELTA(number: amount)", difference,
      "The last value minus the first, in the order of events; NULLs do not count",
      "DELTA(price)", "2.00", accumulator="delta",
      lowers="(max_by({0}, IF(({0}) IS NULL, NULL, {order})) - min_by({0}, IF(({0}) IS NULL, NULL, {order})))"),
    aggregate("EARLIEST(value)", same(),
      "The first value in the order of events that is not NULL",
      "EARLIEST(quantity)", "3", aliases=("EARLIEST_BY_OFFSET",), accumulator="earliest",
      lowers="min_by({0}, IF(({0}) IS NULL, NULL, {order}))"),
    aggregate("FIRST(value, [ignore_nulls!: condition])", same(),
      "The value of the first row in the order of events, or of the first that is not NULL",
      "FIRST(quantity)", "3", aliases=("FIRST_VALUE",), accumulator="first",
      lowers="min_by({0}, {order})\n"
             "min_by({0}, IF(({1}) AND ({0}) IS NULL, NULL, {order}))"),
    aggregate("GROUP_CONCAT(value: string, [separator!: string])", text_or_binary(0),
      "The values as one text in the order of events, with a separator between, ',' if not said; NULLs are left out",
      "GROUP_CONCAT(symbol, ',')", "AAPL,AAPL,MSFT,AAPL", accumulator="string_agg", merges=False,
      lowers="listagg({0}, ',') WITHIN GROUP (ORDER BY {order})\n"
             "listagg({0}, {1}) WITHIN GROUP (ORDER BY {order})"),
    aggregate("LAST(value, [ignore_nulls!: condition])", same(),
      "The value of the last row in the order of events, or of the last that is not NULL",
      "LAST(quantity)", "NULL", aliases=("LAST_VALUE",), accumulator="last",
      lowers="max_by({0}, {order})\n"
             "max_by({0}, IF(({1}) AND ({0}) IS NULL, NULL, {order}))"),
    aggregate("LATEST(value)", same(),
      "The last value in the order of events that is not NULL",
      "LATEST(quantity)", "2", aliases=("LATEST_BY_OFFSET",), accumulator="latest",
      lowers="max_by({0}, IF(({0}) IS NULL, NULL, {order}))"),
    aggregate("STRING_AGG(value: string, [separator!: string])", text_or_binary(0),
      "The values as one text in the order of events, with a separator between; NULLs are left out",
      "STRING_AGG(symbol, '-')", "AAPL-AAPL-MSFT-AAPL", aliases=("LISTAGG", "COLLECT"), accumulator="string_agg",
      merges=False,
      lowers="listagg({0}) WITHIN GROUP (ORDER BY {order})\n"
             "listagg({0}, {1}) WITHIN GROUP (ORDER BY {order})"),
)
