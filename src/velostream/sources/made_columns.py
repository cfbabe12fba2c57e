"""How the columns of generated records are made (`fields.*`), checked against their types without running anything."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from velostream.config.kinds import Instant
from velostream.config.settings import Settings, Value
from velostream.errors import VeloError
from velostream.registry import did_you_mean
from velostream.types import Type

SIZES = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "BIGINT": 64}
DEFAULT_LEAST, DEFAULT_MOST, DEFAULT_LENGTH = 0, 100, 8
_ASPECTS = ("kind", "min", "max", "length", "values", "start", "end", "null.fraction")
_SCALARS = (*SIZES, "BOOLEAN", "FLOAT", "DOUBLE", "DECIMAL", "STRING", "BINARY", "DATE", "TIMESTAMP", "TIMESTAMP_NTZ")
_LONG = ("STRING", "BINARY", "ARRAY", "MAP")


@dataclass(frozen=True, slots=True)
class Made:
    """How a column is made. Numbers are texts, lest a DECIMAL or a large BIGINT loses digits on the way.

    Bounds and values of an array or a map are those of its elements.
    """

    name: str
    type: str
    sequence: bool = False
    least: str | None = None
    most: str | None = None
    length: int = DEFAULT_LENGTH
    values: tuple[str, ...] = ()
    start: int = 1
    end: int | None = None
    nulls: float = 0.0


def made_columns(columns: Iterable[tuple[str, Type]], settings: Settings, time: str = "") -> tuple[Made, ...]:
    """How each column is made; `time` is the one that holds the event time, which is not chosen freely."""
    declared = dict(columns)
    if "." in time:
        message = f"the event time of generated records cannot stand inside of a column, as in '{time}'"
        raise VeloError(message, hint="give it a column of its own", code="unsupported")
    given: dict[str, dict[str, Value]] = {}
    for aspect in _ASPECTS:
        for label, value in settings.labelled(f"fields.*.{aspect}").items():
            given.setdefault(label.casefold(), {})[aspect] = value
    known = {name.casefold() for name in declared}
    for label, aspects in given.items():
        if label not in known:
            value = next(iter(aspects.values()))
            message = f"'{value.key}' is about column '{label}', which is not declared"
            raise _refusal(value, message, did_you_mean(label, list(declared), "columns"), "unknown-column")
    return tuple(_made(name, kind, given.get(name.casefold(), {}), time) for name, kind in declared.items())


def leaf(kind: Type) -> Type:
    """What bounds and values are about: the elements of arrays, the values of maps, else the column itself."""
    return leaf(kind.arguments[-1]) if kind.name in ("ARRAY", "MAP") else kind


def bounds(kind: Type) -> tuple[Decimal, Decimal]:
    """The least and the largest number of a numeric type."""
    if kind.name in SIZES:
        half = 1 << (SIZES[kind.name] - 1)
        return Decimal(-half), Decimal(half - 1)
    if kind.name == "DECIMAL":
        largest = Decimal(10**kind.precision - 1).scaleb(-kind.scale)  # type: ignore[operator]
        return -largest, largest
    largest = Decimal("3e38") if kind.name == "FLOAT" else Decimal("1e308")
    return -largest, largest


def _made(name: str, kind: Type, given: dict[str, Value], time: str) -> Made:
    if name.casefold() == time.casefold():
        _refuse(given, [key for key in given if key != "null.fraction"], f"'{name}' holds the event time")
    _refuse_type(name, kind)
    sequence = "kind" in given and given["kind"].value == "sequence"
    _check_aspects(kind, given, sequence=sequence)
    made = Made(
        name,
        str(kind),
        sequence,
        _text(given.get("min")),
        _text(given.get("max")),
        int(str(given["length"].value)) if "length" in given else DEFAULT_LENGTH,
        _names(given.get("values")),
        int(str(given["start"].value)) if "start" in given else 1,
        int(str(given["end"].value)) if "end" in given else None,
        float(str(given["null.fraction"].value)) if "null.fraction" in given else 0.0,
    )
    _check_numbers(made, leaf(kind), given)
    _check_values(made, leaf(kind), given)
    return made


def _check_aspects(kind: Type, given: dict[str, Value], *, sequence: bool) -> None:
    """What is set must have an effect on this type."""
    end = leaf(kind)
    if sequence:
        _refuse(given, ["min", "max", "length", "values"], "a sequence goes from start to end")
        if kind.name not in _SCALARS:
            raise _refusal(given["kind"], f"a {kind} cannot be a sequence", "leave it out", "type-mismatch")
    else:
        _refuse(given, ["start", "end"], "they are for a sequence", hint="set kind = sequence, or remove it")
    if "values" in given:
        _refuse(given, ["min", "max"], "the values are listed")
        if kind.name not in ("ARRAY", "MAP"):
            _refuse(given, ["length"], "the values are listed")
    if not end.is_numeric:
        _refuse(given, ["min", "max"], f"bounds are for numbers, and this is a {kind}", code="type-mismatch")
    if kind.name not in _LONG:
        _refuse(given, ["length"], f"a {kind} has no length", code="type-mismatch")


def _check_numbers(made: Made, kind: Type, given: dict[str, Value]) -> None:
    """Bounds and sequences stay within the type."""
    written = {"min": made.least, "max": made.most}
    if made.sequence:
        written = {"start": str(made.start), "end": None if made.end is None else str(made.end)}
    first, last = (None if text is None else Decimal(text) for text in written.values())
    if kind.is_numeric:
        least, most = bounds(kind)
        for aspect, number in zip(written, (first, last), strict=True):
            if number is not None and not least <= number <= most:
                message = f"'{given[aspect].key}' = '{number}' does not fit into {kind}"
                raise _refusal(given[aspect], message, f"from {least} to {most}", "invalid-property")
    low = first if first is not None else Decimal(DEFAULT_LEAST)
    high = last if last is not None else (None if made.sequence else Decimal(DEFAULT_MOST))
    if high is not None and low > high and (first is not None or last is not None):
        aspect = next(name for name in reversed(written) if name in given)
        message = f"'{given[aspect].key}' leaves nothing: from {low} to {high}"
        raise _refusal(given[aspect], message, "set the least below the largest", "conflicting-properties")


def _check_values(made: Made, kind: Type, given: dict[str, Value]) -> None:
    for text in made.values:
        try:
            fits = kind.name in _SCALARS and _fits(text, kind)
        except (VeloError, ValueError, InvalidOperation):
            fits = False
        if not fits:
            value = given["values"]
            raise _refusal(value, f"'{text}' of '{value.key}' is not a {kind}", "correct it", "invalid-property")


def _fits(text: str, kind: Type) -> bool:
    """True where a text is a value of a type."""
    if kind.is_numeric:
        number = Decimal(text)
        least, most = bounds(kind)
        whole = kind.name not in SIZES or number == number.to_integral_value()
        exact = kind.name != "DECIMAL" or number == round(number, kind.scale)
        return number.is_finite() and whole and exact and least <= number <= most
    if kind.name == "BOOLEAN":
        return text.casefold() in ("true", "false")
    if kind.is_temporal:
        return isinstance(Instant().parse(text), int)
    return True


def _refuse_type(name: str, kind: Type) -> None:
    for part in (*kind.arguments, *(member for _, member in kind.fields)):
        _refuse_type(name, part)
    if kind.name not in (*_SCALARS, "ARRAY", "MAP", "STRUCT"):
        hint = "declare another type, or leave the column out"
        raise VeloError(f"column '{name}' has type {kind}, which cannot be generated", hint=hint, code="unsupported")
    if kind.name == "MAP" and kind.arguments[0].name not in _SCALARS:
        message = f"column '{name}' has keys of type {kind.arguments[0]}, which cannot be generated"
        raise VeloError(message, hint="declare keys of a plain type", code="unsupported")


def _refuse(
    given: dict[str, Value], aspects: list[str], why: str, *, hint: str = "remove it", code: str = "invalid-property"
) -> None:
    for aspect in aspects:
        if aspect in given:
            raise _refusal(given[aspect], f"'{given[aspect].key}' has no effect: {why}", hint, code)


def _refusal(value: Value, message: str, hint: str, code: str) -> VeloError:
    return VeloError(message, hint=hint, span=value.origin.span, code=code)


def _names(value: Value | None) -> tuple[str, ...]:
    return tuple(map(str, value.value)) if value is not None and isinstance(value.value, tuple) else ()


def _text(value: Value | None) -> str | None:
    return None if value is None else value.text.strip()
