"""Rules for result types that depend on the types of the arguments. Each is such a rule, or makes one."""

from __future__ import annotations

from collections.abc import Callable

from velostream.functions.widening import widest
from velostream.types import BIGINT, DATE, DOUBLE, INT, NULL, STRING, TIMESTAMP, UNKNOWN, Type, array, map_of, struct

Types = tuple[Type, ...]
Rule = Callable[[Types], Type]

TIME = Type("TIME")
"""A time of day."""

WINDOW_BOUNDS = struct(("start", TIMESTAMP), ("end", TIMESTAMP))
"""What Spark's own window calls give."""


def at(types: Types, index: int) -> Type:
    """The type of the argument at an index, UNKNOWN where there is none."""
    return types[index] if 0 <= index < len(types) else UNKNOWN


def same(index: int = 0) -> Rule:
    """The type of one argument."""
    return lambda types: at(types, index)


def const(kind: Type) -> Rule:
    """Always the same type."""
    return lambda _: kind


def widest_from(first: int = 0) -> Rule:
    """The common type of the arguments from one on."""
    return lambda types: widest(types[first:])


def several(rule: Rule, index: int) -> Rule:
    """An array of what another rule gives where the argument at `index` is one: several percentages at once."""

    def of(types: Types) -> Type:
        given = at(types, index)
        if given.name == "ARRAY":
            return array(rule(types))
        return rule(types) if given.is_known or len(types) <= index else UNKNOWN

    return of


# arrays and maps


def array_of(rule: Rule) -> Rule:
    """An array of what another rule gives."""
    return lambda types: array(rule(types))


def inside(index: int = 0, part: int = 0) -> Rule:
    """What an array (part 0) or a map (part 0 its keys, part 1 its values) is made of."""
    return lambda types: _part(at(types, index), part)


def _part(kind: Type, part: int) -> Type:
    return kind.arguments[part] if part < len(kind.arguments) else UNKNOWN


def element(types: Types) -> Type:
    """What `x[i]` gives: an array's element, a map's value."""
    container = at(types, 0)
    return _part(container, 1 if container.name == "MAP" else 0)


def joined(index: int) -> Rule:
    """An array with one more element: where that is of another type, the array may become one of a wider type."""

    def of(types: Types) -> Type:
        inner, other = _part(at(types, 0), 0), at(types, index)
        if other in (inner, NULL):
            return at(types, 0)
        return array(widest((inner, other)) if inner.is_integral and other.is_integral else UNKNOWN)

    return of


def stepped(types: Types) -> Type:
    """SEQUENCE: an array of the type of its bounds."""
    return array(widest(types if all(kind.is_integral for kind in types) else types[:2]))


def mapped(types: Types) -> Type:
    """MAP: keys and values in turn."""
    return map_of(widest(types[::2]), widest(types[1::2]))


def map_entries(types: Types) -> Type:
    """An array of structs of key and value."""
    return array(struct(("key", _part(at(types, 0), 0)), ("value", _part(at(types, 0), 1))))


def map_from_arrays(types: Types) -> Type:
    """A map of the elements of two arrays."""
    return map_of(_part(at(types, 0), 0), _part(at(types, 1), 0))


def map_from_entries(types: Types) -> Type:
    """A map of the two fields of the structs in an array."""
    fields = _part(at(types, 0), 0).fields
    return map_of(fields[0][1], fields[1][1]) if len(fields) == 2 else UNKNOWN


def map_zipped(types: Types) -> Type:
    """A map of the keys of two, its values what a lambda gives."""
    return map_of(widest((_part(at(types, 0), 0), _part(at(types, 1), 0))), at(types, 2))


def keys_changed(types: Types) -> Type:
    """A map whose keys are what a lambda gives."""
    return map_of(at(types, 1), _part(at(types, 0), 1))


def values_changed(types: Types) -> Type:
    """A map whose values are what a lambda gives."""
    return map_of(_part(at(types, 0), 0), at(types, 1))


def folded(types: Types) -> Type:
    """AGGREGATE: what its last lambda gives, or the type of the start."""
    return at(types, 3) if len(types) > 3 else at(types, 1)


def histogram(types: Types) -> Type:
    """HISTOGRAM_NUMERIC: centres of the argument's type, and heights."""
    return array(struct(("x", at(types, 0)), ("y", DOUBLE)))


def top_items(types: Types) -> Type:
    """APPROX_TOP_K: values and how often they occur."""
    return array(struct(("item", at(types, 0)), ("count", BIGINT)))


# text


def text_or_binary(*indices: int) -> Rule:
    """BINARY where all arguments at these indices that are given are, else STRING."""
    return lambda types: _text(tuple(types[index] for index in indices if index < len(types)))


def text_at(index: int) -> Rule:
    """BINARY where all arguments from one on are, else STRING."""
    return lambda types: _text(types[index:])


def _text(types: Types) -> Type:
    if any(not kind.is_known for kind in types):
        return UNKNOWN
    return types[0] if types and all(kind.name == "BINARY" for kind in types) else STRING


def concatenated(types: Types) -> Type:
    """CONCAT: arrays give an array, binary values binary, all else a string."""
    return widest(types) if any(kind.name == "ARRAY" for kind in types) else _text(types)


def reversed_type(types: Types) -> Type:
    """REVERSE: arrays and binary values keep their type, all else is a string."""
    kind = at(types, 0)
    return kind if kind.name in ("ARRAY", "BINARY", "UNKNOWN") else STRING


def decoded(types: Types) -> Type:
    """DECODE: a string of bytes and a character set; with more arguments the common type of the results."""
    return STRING if len(types) == 2 else widest((*types[2::2], *(types[-1:] if len(types) % 2 == 0 else ())))


# times


def same_time(index: int) -> Rule:
    """TIMESTAMP_NTZ where the argument is, else TIMESTAMP."""

    def of(types: Types) -> Type:
        kind = at(types, index)
        return kind if kind.is_time or not kind.is_known else TIMESTAMP

    return of


def date_added(types: Types) -> Type:
    """DATE_ADD: a date, or with a unit in front a time."""
    return DATE if len(types) == 2 else same_time(2)(types)


def date_difference(types: Types) -> Type:
    """DATE_DIFF: days as INT, or units as BIGINT."""
    return INT if len(types) == 2 else BIGINT
