"""Whether the types that a schema tells can be read as the columns that are declared, and what they become."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from velostream.types import INTEGRAL, Type

_WIDER = {
    "INT": ("BIGINT", "FLOAT", "DOUBLE", "SMALLINT", "TINYINT"),
    "BIGINT": ("INT", "SMALLINT", "TINYINT", "FLOAT", "DOUBLE"),
    "FLOAT": ("DOUBLE",),
    "STRING": ("BINARY",),
    "BINARY": ("STRING",),
}
"""What a type may be read as: as Avro promotes, and a narrower whole number, for which each value is judged."""


def mismatch(found: Iterable[tuple[str, Type]], declared: Mapping[str, Type]) -> str | None:
    """Why records of a schema cannot be read as the declared columns; None where they can.

    A column that the schema does not have is NULL: schemas lose and gain fields as they evolve.
    """
    told = {name.casefold(): kind for name, kind in found}
    for name, wanted in declared.items():
        kind = told.get(name.casefold())
        if kind is not None and not fits(kind, wanted):
            return f"column '{name}' is {wanted}, and {kind} in the schema of the record"
    return None


def fits(found: Type, wanted: Type) -> bool:
    """True where values of one type can be read as another."""
    if found == wanted or found.name == "VOID":
        return True
    if found.name == wanted.name == "DECIMAL":
        return True
    if wanted.name == "DECIMAL":
        return found.name in INTEGRAL
    if found.name == wanted.name == "STRUCT":
        known = {name.casefold(): kind for name, kind in found.fields}
        return all(fits(known[n.casefold()], kind) for n, kind in wanted.fields if n.casefold() in known)
    if found.name == wanted.name and found.arguments:
        return all(fits(one, other) for one, other in zip(found.arguments, wanted.arguments, strict=True))
    return wanted.name in _WIDER.get(found.name, ())
