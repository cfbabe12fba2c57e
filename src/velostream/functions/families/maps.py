"""Maps and structs."""

from velostream.functions.base import Function
from velostream.functions.family import Family
from velostream.functions.returns import (
    array_of,
    inside,
    map_entries,
    map_from_arrays,
    map_from_entries,
    mapped,
    widest_from,
)
from velostream.functions.schemas import named
from velostream.types import BOOLEAN, STRING, UNKNOWN, map_of

scalar = Family("map")

# A table to be read downwards: signature and result type, what it does, an example and what that gives.
# fmt: off
FUNCTIONS: tuple[Function, ...] = (
    scalar("MAP(key*: ordered, value*)", mapped,
      "A map of keys and values in turn",
      "MAP('a', 1, 'b', 2)", "{a -> 1, b -> 2}"),
    scalar("MAP_CONCAT(maps*=: map)", widest_from(),
      "The entries of all maps; a key in two of them is an error",
      "MAP_CONCAT(MAP('a', 1), MAP('b', 2))", "{a -> 1, b -> 2}"),
    scalar("MAP_CONTAINS_KEY(map: map, key~)", BOOLEAN,
      "True where the map has the key",
      "MAP_CONTAINS_KEY(MAP('a', 1), 'a')", "true"),
    scalar("MAP_ENTRIES(map: map)", map_entries,
      "The entries of a map as an array of structs of key and value",
      "MAP_ENTRIES(MAP('a', 1))", "[{a, 1}]"),
    scalar("MAP_FROM_ARRAYS(keys: array, values: array)", map_from_arrays,
      "A map of an array of keys and an array of values",
      "MAP_FROM_ARRAYS(ARRAY('a', 'b'), ARRAY(1, 2))", "{a -> 1, b -> 2}", aliases=("AS_MAP",)),
    scalar("MAP_FROM_ENTRIES(entries: entries)", map_from_entries,
      "A map of an array of structs of key and value",
      "MAP_FROM_ENTRIES(ARRAY(STRUCT('a', 1)))", "{a -> 1}"),
    scalar("MAP_KEYS(map: map)", array_of(inside()),
      "The keys of a map",
      "MAP_KEYS(MAP('a', 1, 'b', 2))", "[a, b]"),
    scalar("MAP_UNION(map=: map, other=: map)", widest_from(),
      "The entries of both maps; for a key in both, that of the second",
      "MAP_UNION(MAP('a', 1), MAP('a', 2))", "{a -> 2}",
      lowers="map_concat(map_filter({0}, (_k, _v) -> NOT map_contains_key({1}, _k)), {1})"),
    scalar("MAP_VALUES(map: map)", array_of(inside(0, 1)),
      "The values of a map",
      "MAP_VALUES(MAP('a', 1, 'b', 2))", "[1, 2]"),
    scalar("NAMED_STRUCT(name*: text, value*)", named,
      "A struct of names and values in turn",
      "NAMED_STRUCT('a', 1, 'b', 'x')", "{1, x}"),
    scalar("STR_TO_MAP(text: text, [pair_pattern: text], [value_pattern: text])", map_of(STRING, STRING),
      "A text such as a:1,b:2 as a map; what separates are regular expressions",
      "STR_TO_MAP('a=1;b=2', ';', '=')", "{a -> 1, b -> 2}"),
    scalar("SPLIT_TO_MAP(text: text, pair_delimiter: string, value_delimiter: string)", map_of(STRING, STRING),
      "A text such as a:1,b:2 as a map, by the texts that separate pairs and values",
      "SPLIT_TO_MAP('a|1.b|2', '.', '|')", "{a -> 1, b -> 2}",
      lowers=r"str_to_map({0}, concat('\\Q', {1}, '\\E'), concat('\\Q', {2}, '\\E'))"),
    scalar("STRUCT(values*)", UNKNOWN,
      "A struct of the values, named after their columns",
      "STRUCT(1, 'x')", "{1, x}"),
)
