"""SQL functions as data: signature, doc, example, and how each becomes Spark SQL or a windowed accumulator."""

from velostream.functions.base import Function
from velostream.functions.families import (
    aggregates,
    approximate,
    arrays,
    bits,
    clock,
    conditional,
    conversion,
    csv,
    dates,
    day_times,
    hashes,
    headers,
    higher_order,
    json,
    maps,
    math,
    ordered,
    patterns,
    random,
    session,
    sketch_aggregates,
    sketches,
    spatial,
    statistics,
    strings,
    tables,
    timestamps,
    url,
    variant,
    vectors,
    windowing,
    windows,
    xml,
)
from velostream.functions.library import Library

_FAMILIES = (
    *(aggregates, ordered, statistics, approximate, sketch_aggregates),
    *(windows, windowing, headers, clock),
    *(conditional, conversion, strings, patterns, math, bits, dates, timestamps, day_times),
    *(json, variant, xml, csv, url, hashes),
    *(arrays, vectors, maps, higher_order, tables),
    *(random, session, sketches, spatial),
)

LIBRARY = Library(function for family in _FAMILIES for function in family.FUNCTIONS)
"""All functions that need no registration."""

FUNCTIONS: dict[str, Function] = {function.name: function for function in LIBRARY.functions}
"""The built-in functions by name; `find` knows their aliases too."""


def find(name: str) -> Function | None:
    """The built-in function of a name or alias, in any letter case."""
    return LIBRARY.find(name)


def names() -> tuple[str, ...]:
    """All names and aliases of built-in functions, in order."""
    return LIBRARY.names()
