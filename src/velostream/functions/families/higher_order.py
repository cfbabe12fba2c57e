"""Functions that take a function: x -> x + 1."""

from velostream.functions.base import Function
from velostream.functions.family import Family
from velostream.functions.returns import array_of, folded, keys_changed, map_zipped, same, values_changed
from velostream.types import BOOLEAN

scalar = Family("higher-order")

# A table to be read downwards: signature and result type, what it does, an example and what that gives.
# fmt: off
FUNCTIONS: tuple[Function, ...] = (
    scalar("AGGREGATE(array: array, start, merge: lambda, [finish: lambda])", folded,
      "An array folded into one value, element by element, from a start",
      "AGGREGATE(ARRAY(1, 2, 3), 0, (total, x) -> total + x)", "6", aliases=("REDUCE",)),
    scalar("ARRAY_SORT(array: array, [comparison: lambda])", same(),
      "The elements in order, by a comparison that gives a negative, zero or positive number; NULLs last",
      "ARRAY_SORT(ARRAY(3, 1, 2))", "[1, 2, 3]"),
    scalar("EXISTS(array: array, condition: lambda)", BOOLEAN,
      "True where a condition holds for at least one element",
      "EXISTS(ARRAY(1, 2, 3), x -> x > 2)", "true"),
    scalar("FILTER(array: array, condition: lambda)", same(),
      "The elements for which a condition holds",
      "FILTER(ARRAY(1, 2, 3), x -> x > 1)", "[2, 3]"),
    scalar("FORALL(array: array, condition: lambda)", BOOLEAN,
      "True where a condition holds for all elements",
      "FORALL(ARRAY(1, 2, 3), x -> x > 0)", "true"),
    scalar("MAP_FILTER(map: map, condition: lambda)", same(),
      "The entries for which a condition on key and value holds",
      "MAP_FILTER(MAP('a', 1, 'b', 2), (k, v) -> v > 1)", "{b -> 2}"),
    scalar("MAP_ZIP_WITH(left: map, right: map, combine: lambda)", map_zipped,
      "One map of two, its values computed from the key and both values",
      "MAP_ZIP_WITH(MAP('a', 1), MAP('a', 2), (k, x, y) -> x + y)", "{a -> 3}"),
    scalar("TRANSFORM(array: array, change: lambda)", array_of(same(1)),
      "An array of what a function makes of each element",
      "TRANSFORM(ARRAY(1, 2, 3), x -> x * 2)", "[2, 4, 6]"),
    scalar("TRANSFORM_KEYS(map: map, change: lambda)", keys_changed,
      "A map with what a function makes of each key and value as its keys",
      "TRANSFORM_KEYS(MAP('a', 1), (k, v) -> UPPER(k))", "{A -> 1}"),
    scalar("TRANSFORM_VALUES(map: map, change: lambda)", values_changed,
      "A map with what a function makes of each key and value as its values",
      "TRANSFORM_VALUES(MAP('a', 1), (k, v) -> v + 1)", "{a -> 2}"),
    scalar("ZIP_WITH(left: array, right: array, combine: lambda)", array_of(same(2)),
      "One array of two, its elements computed from both",
      "ZIP_WITH(ARRAY(1, 2), ARRAY(3, 4), (x, y) -> x + y)", "[4, 6]"),
)
