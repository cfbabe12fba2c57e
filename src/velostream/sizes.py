"""Amounts of memory and disk, in bytes: `512MB`, `4 GB`, `1GiB`, a bare number of bytes. Units are powers of 1024."""

import re
from decimal import Decimal

from velostream.errors import InvalidSize

UNITS: dict[str, int] = {"": 1, "b": 1}
for _power, _letter in enumerate("kmgt", start=1):
    UNITS |= dict.fromkeys((_letter, f"{_letter}b", f"{_letter}ib"), 1024**_power)

_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)")


def parse(text: str) -> int:
    """Bytes of a size as written."""
    match = _SIZE.fullmatch(text.strip())
    if match is None or match[2].casefold() not in UNITS:
        raise InvalidSize(f"'{text}' is not a size", hint="write 512MB, 4GB, 64KB or a number of bytes")
    exact = Decimal(match[1]) * UNITS[match[2].casefold()]
    if exact != int(exact):
        raise InvalidSize(f"'{text}' has a part of a byte", hint="write 512MB, 4GB, 64KB or a number of bytes")
    return int(exact)


def show(size: int) -> str:
    """The largest unit that is exact: `512MB`, `1000B`."""
    for letter in "TGMK":
        unit = UNITS[letter.casefold()]
        if size and size % unit == 0:
            return f"{size // unit}{letter}B"
    return f"{size}B"
