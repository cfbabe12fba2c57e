"""Records of text files: a line, a CSV record with the line breaks in its quotes, or a value of a JSON array.

Lines that hold nothing but white space are no records and have no index, except in files of plain text, where an empty
line is an empty value. Bytes that are not UTF-8 are kept, in base64, and said to be at fault.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from velostream.sources.streams.opening import blocks

BASE64 = "base64:"
NOT_UTF8 = "the bytes are not UTF-8 text; the record is kept in base64"
_BOM = b"\xef\xbb\xbf"
_BLANK = " \t\r\n"


@dataclass(frozen=True, slots=True)
class TextRecord:
    """`value` is what is to be decoded, None where that is in vain; `raw` the record where it is not the value."""

    value: str | None
    raw: str | None = None
    fault: str | None = None


def undecodable(data: bytes) -> TextRecord:
    """A record that is no text."""
    return TextRecord(None, BASE64 + base64.b64encode(data).decode("ascii"), NOT_UTF8)


def line_records(path: str, start: int = 0, end: int | None = None, *, blank: bool = False) -> Iterator[TextRecord]:
    """Each line is a record; with `blank`, an empty line too."""
    for line in lines(path, start, end):
        if isinstance(line, bytes):
            yield undecodable(line)
        elif blank or line.strip():
            yield TextRecord(line)


def lines(path: str, start: int = 0, end: int | None = None) -> Iterator[str | bytes]:
    """The lines of a file without their ends; one that is not UTF-8 as bytes."""
    return lines_of(pieces(path, start, end))


def lines_of(source: Iterable[str | bytes]) -> Iterator[str | bytes]:
    """The lines of pieces."""
    for text in source:
        if isinstance(text, str):
            yield from split(text)
        else:
            yield from map(_line, text.removesuffix(b"\n").split(b"\n"))


def bytes_records(data: bytes) -> Iterator[TextRecord]:
    """The records of a piece in which some lines are not UTF-8."""
    for line in map(_line, data.removesuffix(b"\n").split(b"\n")):
        if isinstance(line, bytes):
            yield undecodable(line)
        elif line.strip():
            yield TextRecord(line)


def pieces(path: str, start: int = 0, end: int | None = None) -> Iterator[str | bytes]:
    """The text of a file in pieces of whole lines; one in which something is not UTF-8 as bytes."""
    first = start == 0
    for block in blocks(path, start, end):
        data = block.removeprefix(_BOM) if first else block
        first = False
        try:
            yield data.decode("utf-8")
        except UnicodeDecodeError:
            yield data


def split(text: str) -> list[str]:
    """The lines of a piece, without their ends."""
    found = text.removesuffix("\n").split("\n")
    return [line.removesuffix("\r") for line in found] if "\r" in text else found


def _line(data: bytes) -> str | bytes:
    data = data.removesuffix(b"\r")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data


def json_records(path: str) -> Iterator[TextRecord]:
    """The values of a JSON file: the members of an array, or one after another, over as many lines as they take.

    What cannot be read ends it: nothing tells where the next value would begin, and the rest is one bad record.
    """
    decoder = json.JSONDecoder()
    text, array, source = "", None, _joined(path)
    while True:
        text = text.lstrip(_BLANK + "," if array else _BLANK)
        if array is None and text:
            array = text.startswith("[")
            text = text[1:] if array else text
            continue
        if array and text.startswith("]"):
            text = text[1:].lstrip(_BLANK)
            array = False
            continue
        value, text = _one(decoder, text)
        if value is not None:
            yield TextRecord(value)
            continue
        piece = next(source, None)
        if piece is None:
            break
        if isinstance(piece, bytes):
            yield undecodable(piece)
            return
        text += piece
    if text.strip():
        yield TextRecord(None, text, "the text is not JSON")
    elif array:
        yield TextRecord(None, "[", "the file ends inside of its array")


def _one(decoder: json.JSONDecoder, text: str) -> tuple[str | None, str]:
    """The first value of a text and what is behind it; None where it may go on."""
    try:
        _, end = decoder.raw_decode(text)
    except ValueError:
        return None, text
    # A number at the end of what was read so far may have more digits.
    return (text[:end], text[end:]) if end < len(text) or text[end - 1] in '}]"' else (None, text)


def _joined(path: str) -> Iterator[str | bytes]:
    for line in lines(path):
        yield line if isinstance(line, bytes) else f"{line}\n"
