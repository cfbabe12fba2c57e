"""Values of generated columns as Arrow arrays, a whole batch at a time, the same for the same seed and number."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from velostream.config.kinds import Instant
from velostream.sources.made_columns import DEFAULT_LEAST, DEFAULT_LENGTH, DEFAULT_MOST, SIZES, Made, bounds, leaf
from velostream.sources.streams.dice import WORD, Dice, Ids
from velostream.types import Type, parse

_LETTERS = b"abcdefghijklmnopqrstuvwxyz0123456789"
_DAY = 86_400
_NUMPY = {"TINYINT": np.int8, "SMALLINT": np.int16, "INT": np.int32, "BIGINT": np.int64}


def make(made: Made, ids: Ids, seed: int, start: int) -> pa.Array:
    """The values of one column for the records of these numbers; `start` is the first event time of the run."""
    kind = parse(made.type)
    dice = Dice(seed, made.name.casefold())
    values = counted(kind, _sequence(made, kind, ids)) if made.sequence else _random(kind, made, dice, ids, start)
    return holed(made, values, ids, seed)


def holed(made: Made, values: pa.Array, ids: Ids, seed: int) -> pa.Array:
    """The values with the share of NULLs that the column has."""
    if not made.nulls:
        return values
    missing = pa.array(Dice(seed, made.name.casefold()).inside("null").fractions(ids) < made.nulls)
    return pc.if_else(missing, pa.scalar(None, values.type), values)


def headers(choices: dict[str, list[str]], ids: Ids, seed: int) -> pa.Array:
    """The headers of records: of each its key and one of its values."""
    keys, values = [], []
    for key, texts in sorted(choices.items()):
        chosen = Dice(seed, f"header {key}").whole(ids, 0, len(texts) - 1)
        keys.append(pa.array([key]).take(pa.array(np.zeros(len(ids), np.int64))))
        values.append(pa.array([text.encode() for text in texts], pa.binary()).take(pa.array(chosen)))
    turned = np.arange(len(choices) * len(ids)).reshape(len(choices), len(ids)).T.ravel()
    members = [pa.concat_arrays(column).take(pa.array(turned)) for column in (keys, values)]
    return _lists(pa.StructArray.from_arrays(members, ["key", "value"]), len(ids), len(choices))


def _sequence(made: Made, kind: Type, ids: Ids) -> Ids:
    last = made.end
    if last is None:
        last = int(min(bounds(kind)[1], Decimal(2**63 - 1))) if kind.is_numeric else 2**63 - 1
    span = last - made.start + 1
    return np.asarray(made.start + (ids if span >= WORD // 2 else ids % span))


def counted(kind: Type, numbers: Ids) -> pa.Array:
    """Whole numbers as values of a type: distinct as far as the type has so many."""
    if kind.name in SIZES:
        return pa.array(numbers.astype(_NUMPY[kind.name]))
    if kind.name in ("FLOAT", "DOUBLE"):
        return pa.array(numbers.astype(np.float32 if kind.name == "FLOAT" else np.float64))
    if kind.name == "DECIMAL":
        return _decimals(kind, [int(number) * 10 ** (kind.scale or 0) for number in numbers])
    if kind.name == "BOOLEAN":
        return pa.array(numbers % 2 == 1)
    if kind.name == "DATE":
        return pa.array(numbers.astype(np.int32)).cast(pa.date32())
    if kind.is_time:
        return _times(kind, numbers * 1_000_000)
    texts = pa.array(numbers).cast(pa.string())
    return texts.cast(pa.binary()) if kind.name == "BINARY" else texts


def _random(kind: Type, made: Made, dice: Dice, ids: Ids, start: int) -> pa.Array:
    if kind.name == "ARRAY":
        return _lists(_elements(kind.arguments[0], made, dice, ids, start), len(ids), made.length)
    if kind.name == "MAP":
        count = min(made.length, 2) if kind.arguments[0].name == "BOOLEAN" else made.length
        keys = counted(kind.arguments[0], np.tile(np.arange(1, count + 1, dtype=np.int64), len(ids)))
        values = _elements(kind.arguments[1], made, dice, ids, start, count)
        offsets = pa.array(np.arange(len(ids) + 1, dtype=np.int32) * count)
        return pa.MapArray.from_arrays(offsets, keys, values)
    if kind.name == "STRUCT":
        plain = Made(made.name, made.type)
        members = [_random(member, plain, dice.inside(name), ids, start) for name, member in kind.fields]
        return pa.StructArray.from_arrays(members, [name for name, _ in kind.fields])
    if made.values:
        listed = pa.array([_value(text, kind) for text in made.values], _arrow(kind))
        return listed.take(pa.array(dice.whole(ids, 0, len(made.values) - 1)))
    return _scalar(kind, made, dice, ids, start)


def _elements(kind: Type, made: Made, dice: Dice, ids: Ids, start: int, count: int = 0) -> pa.Array:
    """The elements of all arrays or maps, one after another. Inner lengths and texts have the default length."""
    count = count or made.length
    wide = (ids[:, None] * count + np.arange(count)[None, :]).ravel()
    inner = Made(made.name, str(leaf(kind)), False, made.least, made.most, DEFAULT_LENGTH, made.values)
    return _random(kind, inner, dice.inside("element"), wide, start)


def _scalar(kind: Type, made: Made, dice: Dice, ids: Ids, start: int) -> pa.Array:
    if kind.name == "BOOLEAN":
        return pa.array(dice.whole(ids, 0, 1) == 1)
    if kind.name == "DATE":
        today = start // (_DAY * 1_000_000)
        return pa.array(dice.whole(ids, today - 364, today).astype(np.int32)).cast(pa.date32())
    if kind.is_time:
        return _times(kind, dice.whole(ids, start - _DAY * 1_000_000, start))
    if kind.name in ("STRING", "BINARY"):
        return _texts(kind, made.length, dice, ids)
    return _number(kind, made, dice, ids)


def _number(kind: Type, made: Made, dice: Dice, ids: Ids) -> pa.Array:
    least, most = bounds(kind)
    low = Decimal(made.least) if made.least is not None else max(min(Decimal(DEFAULT_LEAST), most), least)
    high = Decimal(made.most) if made.most is not None else max(low, min(Decimal(DEFAULT_MOST), most))
    if kind.name in ("FLOAT", "DOUBLE"):
        values = float(low) + dice.fractions(ids) * (float(high) - float(low))
        return pa.array(values.astype(np.float32) if kind.name == "FLOAT" else values)
    scale = kind.scale or 0
    first, last = (int(bound.scaleb(scale).to_integral_value()) for bound in (low, high))
    if kind.name in SIZES:
        return pa.array(dice.whole(ids, first, last).astype(_NUMPY[kind.name]))
    if first >= -(2**63) and last < 2**63:
        return _small_decimals(kind, dice.whole(ids, first, last))
    tops, bottoms = dice.bits(ids), dice.inside("low").bits(ids)
    span = last - first + 1
    wide = (int(top) << 64 | int(bottom) for top, bottom in zip(tops, bottoms, strict=True))
    return _decimals(kind, [first + number % span for number in wide])


def _small_decimals(kind: Type, numbers: Ids) -> pa.Array:
    """Decimals whose digits fit into 64 bits, made without Python numbers: Arrow keeps two words, the low one first."""
    words = np.stack([numbers, numbers >> 63], axis=1)
    return pa.Array.from_buffers(_arrow(kind), len(numbers), [None, pa.py_buffer(np.ascontiguousarray(words))])


def _decimals(kind: Type, digits: list[int]) -> pa.Array:
    data = b"".join(number.to_bytes(16, "little", signed=True) for number in digits)
    return pa.Array.from_buffers(_arrow(kind), len(digits), [None, pa.py_buffer(data)])


def _texts(kind: Type, length: int, dice: Dice, ids: Ids) -> pa.Array:
    data = dice.letters(ids, length, _LETTERS)
    offsets = np.arange(len(ids) + 1, dtype=np.int32) * np.int32(length)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    return pa.Array.from_buffers(_arrow(kind), len(ids), buffers)


def _times(kind: Type, micros: Ids) -> pa.Array:
    return pa.array(micros).cast(_arrow(kind))


def _lists(elements: pa.Array, count: int, length: int) -> pa.Array:
    return pa.ListArray.from_arrays(pa.array(np.arange(count + 1, dtype=np.int32) * length), elements)


def _value(text: str, kind: Type) -> Any:
    """A listed value as Python has it."""
    if kind.name in SIZES:
        return int(Decimal(text))
    if kind.name in ("FLOAT", "DOUBLE"):
        return float(text)
    if kind.name == "DECIMAL":
        return Decimal(text)
    if kind.name == "BOOLEAN":
        return text.casefold() == "true"
    if kind.is_temporal:
        moment = datetime(1970, 1, 1) + timedelta(microseconds=int(str(Instant().parse(text))))
        return moment.date() if kind.name == "DATE" else moment
    return text.encode() if kind.name == "BINARY" else text


def _arrow(kind: Type) -> pa.DataType:
    """The Arrow type of a plain type, as Spark has it."""
    if kind.name == "DECIMAL":
        return pa.decimal128(kind.precision or 10, kind.scale or 0)
    plain: dict[str, pa.DataType] = {
        "BOOLEAN": pa.bool_(),
        "TINYINT": pa.int8(),
        "SMALLINT": pa.int16(),
        "INT": pa.int32(),
        "BIGINT": pa.int64(),
        "FLOAT": pa.float32(),
        "DOUBLE": pa.float64(),
        "STRING": pa.string(),
        "BINARY": pa.binary(),
        "DATE": pa.date32(),
        "TIMESTAMP": pa.timestamp("us", "UTC"),
        "TIMESTAMP_NTZ": pa.timestamp("us"),
    }
    return plain[kind.name]
