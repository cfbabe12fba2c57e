"""What a case gives to sources: rows written out in micro-batches, files, or generated records."""

from __future__ import annotations

from velostream.testing.document import Items, Table
from velostream.testing.keys import BATCH, INPUT, names
from velostream.testing.spec import Given
from velostream.testing.taking import flag_or_text, rows, rows_of, table
from velostream.testing.times import micros_of

_WAYS = ("rows", "batches", "files", "generate")
_TYPES = {"files": "file_source", "generate": "datagen_source"}


def read_inputs(own: Table) -> dict[str, Given]:
    """`inputs:` of a case, by source."""
    inputs = table(own, "inputs")
    return {name: _given(inputs, name) for name in inputs}


def read_batches(own: Table, day: str) -> tuple[dict[str, Given], tuple[int, ...]]:
    """`batches:` of a case: what all sources give in each micro-batch, and the clock in it."""
    batches = rows(own, "batches") or Items(own.place)
    sources: dict[str, list[Items]] = {}
    clocks: list[int] = []
    for number, (batch, place) in enumerate(zip(batches, batches.places, strict=True)):
        batch.only(names(BATCH), "a micro-batch")
        if "clock" in batch:
            clock = micros_of(batch["clock"], day)
            if clock is None or len(clocks) < number:
                message = f"'{batch['clock']}' is not a time" if clock is None else "the batches before have no clock"
                raise batch.refuse("clock", message, "write clock: 10:05:03 in every micro-batch")
            clocks.append(clock)
        elif clocks:
            raise place.refuse("the batches before have a clock", "write clock: in every micro-batch")
        inputs = table(batch, "inputs")
        for name in inputs:
            if not isinstance(inputs[name], Items):
                raise inputs.refuse(name, f"'{name}' is a list of rows", "write - {column: value}")
            members = sources.setdefault(name, [])
            members += [Items(place) for _ in range(number - len(members))]
            members.append(rows_of(inputs[name]))
    if not sources:
        raise own.refuse("batches", "no micro-batch has inputs", "write inputs: {source: [{column: value}]}")
    for members in sources.values():
        members += [Items(own.place) for _ in range(len(batches) - len(members))]
    return {name: Given(own.places["batches"], tuple(members)) for name, members in sources.items()}, tuple(clocks)


def _given(inputs: Table, name: str) -> Given:
    value, place = inputs[name], inputs.places[name]
    if isinstance(value, Items):
        return Given(place, (rows_of(value),))
    if not isinstance(value, Table):
        raise place.refuse(f"'{name}' has no rows", "write - {column: value} below it")
    value.only(names(INPUT), f"input '{name}'")
    ways = [key for key in _WAYS if key in value]
    if len(ways) != 1:
        raise place.refuse(f"input '{name}' needs one of {', '.join(_WAYS)}", "keep one")
    if ways[0] in _TYPES:
        if "partitions" in value:
            hint = f"put it into '{ways[0]}'"
            raise value.refuse("partitions", f"'{ways[0]}' has partitions of its own", hint)
        settings = {key: flag_or_text(text) for key, text in table(value, ways[0]).items()}
        return Given(place, settings={"type": _TYPES[ways[0]], **settings})
    batches = (rows(value, "rows") or Items(place),) if ways[0] == "rows" else _batches(value)
    return Given(place, batches, _known(value))


def _batches(value: Table) -> tuple[Items, ...]:
    batches = value["batches"]
    if not isinstance(batches, Items) or not all(isinstance(batch, Items) for batch in batches):
        raise value.refuse("batches", "'batches' is a list of lists of rows", "write - [{column: value}]")
    return tuple(rows_of(batch) for batch in batches)


def _known(value: Table) -> tuple[int, ...] | None:
    known = value.get("partitions")
    if known is None:
        return None
    if isinstance(known, int) and not isinstance(known, bool) and known >= 0:
        return tuple(range(known))
    if isinstance(known, Items) and all(isinstance(number, int) for number in known):
        return tuple(known)
    raise value.refuse("partitions", "'partitions' is how many there are, or a list of their numbers", "write 4")
