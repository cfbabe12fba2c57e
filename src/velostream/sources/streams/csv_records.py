"""Records of CSV files: line breaks inside of quotes, and headers whose columns are in another order than declared."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from velostream.errors import VeloError
from velostream.sources.streams.texts import TextRecord, lines, lines_of, pieces, split, undecodable

LONGEST = 1024 * 1024
"""A record of more characters than this has a quote that is never closed."""


@dataclass(frozen=True, slots=True)
class CsvForm:
    """How a CSV file is written."""

    delimiter: str = ","
    quote: str = '"'
    escape: str | None = None
    header: bool = True


def csv_records(
    path: str, form: CsvForm, columns: Sequence[str], start: int = 0, end: int | None = None
) -> Iterator[TextRecord]:
    """The records of a file, their values in the order of `columns`; those that the header lacks are empty."""
    source = _whole(lines(path, start, end), form)
    if form.header and start:
        places: list[int] | None = header_places(path, header_of(path, form), columns)
        width = len(header_of(path, form))
    elif form.header:
        names = _header(next(source, None), form, path)
        places, width = header_places(path, names, columns), len(names)
    else:
        places, width = None, 0
    if places is None or places == list(range(width)):
        yield from source
        return
    for record in source:
        yield record if record.value is None else _moved(record.value, form, places, width)


def csv_pieces(
    path: str, form: CsvForm, columns: Sequence[str], start: int = 0, end: int | None = None
) -> Iterator[list[str] | Iterator[TextRecord]]:
    """The same records in pieces: many lines at once, as long as nothing in them is quoted or in another order."""
    source = pieces(path, start, end)
    first = next(source, None)
    if first is None:
        return
    rest = _behind_header(first, form, columns) if form.header and not start else first
    if rest is None or form.escape is not None or (form.header and start):
        yield csv_records(path, form, columns, start, end)
        return
    for piece in chain([rest], source):
        if isinstance(piece, bytes) or form.quote in piece:
            yield _whole(lines_of(chain([piece], source)), form)
            return
        yield [line for line in split(piece) if line and not line.isspace()]


def _behind_header(piece: str | bytes, form: CsvForm, columns: Sequence[str]) -> str | None:
    """What follows a header of exactly these columns; None where it takes more to tell."""
    if isinstance(piece, bytes):
        return None
    head, _, rest = piece.partition("\n")
    names = [name.strip().casefold() for name in head.removesuffix("\r").split(form.delimiter)]
    return rest if form.quote not in head and names == [name.casefold() for name in columns] else None


def header_of(path: str, form: CsvForm) -> list[str]:
    """The names in the header of a file; empty where the file is."""
    return _header(next(_whole(lines(path), form), None), form, path)


def header_places(path: str, names: Sequence[str], columns: Sequence[str]) -> list[int]:
    """Where each column stands in a file with these names; -1 for one that it does not have."""
    folded = [name.strip().casefold() for name in names]
    twice = next((name for name in folded if folded.count(name) > 1), None)
    if twice is not None:
        message = f"the header of '{path}' has column '{twice}' twice"
        raise VeloError(message, hint="rename one of them in the file", code="source-unreadable")
    return [folded.index(name.casefold()) if name.casefold() in folded else -1 for name in columns]


def _header(record: TextRecord | None, form: CsvForm, path: str) -> list[str]:
    if record is None:
        return []
    if record.value is None:
        message = f"the header of '{path}' cannot be read: {record.fault}"
        raise VeloError(message, hint="set csv.header = false if there is none", code="source-unreadable")
    return _values(record.value, form)


def _moved(text: str, form: CsvForm, places: list[int], width: int) -> TextRecord:
    """A record with its values in the order of the declared columns."""
    plain = form.quote not in text and form.escape is None
    values = text.split(form.delimiter) if plain else _values(text, form)
    if len(values) != width:
        return TextRecord(None, text, f"{len(values)} values where the header has {width}")
    chosen = ["" if place < 0 else values[place] for place in places]
    if plain:
        return TextRecord(form.delimiter.join(chosen), text)
    written = io.StringIO()
    style = {"escapechar": form.escape, "doublequote": False} if form.escape else {"doublequote": True}
    csv.writer(written, delimiter=form.delimiter, quotechar=form.quote, lineterminator="", **style).writerow(chosen)
    return TextRecord(written.getvalue(), text)


def _values(text: str, form: CsvForm) -> list[str]:
    style = {"escapechar": form.escape, "doublequote": form.escape is None}
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=form.delimiter, quotechar=form.quote, **style)  # type: ignore[arg-type]
    return next(reader, [])


def _whole(source: Iterator[str | bytes], form: CsvForm) -> Iterator[TextRecord]:
    """Lines put together where a quote is open at the end of one."""
    held: list[str] = []
    size, inside = 0, False
    for line in source:
        if isinstance(line, bytes):
            yield undecodable("\n".join((*held, "")).encode() + line)
            held, size, inside = [], 0, False
            continue
        if not inside and form.quote not in line:
            if line.strip():
                yield TextRecord(line)
            continue
        inside = _ends_inside(line, form, inside=inside)
        held.append(line)
        size += len(line)
        if not inside or size > LONGEST:
            text = "\n".join(held)
            yield TextRecord(text) if not inside else _unclosed(text)
            held, size, inside = [], 0, False
    if held:
        yield _unclosed("\n".join(held))


def _unclosed(text: str) -> TextRecord:
    return TextRecord(None, text, "a quote is opened and not closed")


def _ends_inside(line: str, form: CsvForm, *, inside: bool) -> bool:
    """True where a quote is open at the end of a line; it opens at the beginning of a value only."""
    position = 0
    while True:
        if not inside:
            if not line.startswith(form.quote, position):
                position = line.find(form.delimiter, position) + 1
                if not position:
                    return False
                continue
            position += 1
        position = _closing(line, form, position)
        if position < 0:
            return True
        inside = False
        position = line.find(form.delimiter, position) + 1
        if not position:
            return False


def _closing(line: str, form: CsvForm, position: int) -> int:
    """The place behind the quote that closes a value; -1 where the line has none."""
    while True:
        found = line.find(form.quote, position)
        if found < 0:
            return -1
        if form.escape is None:
            if not line.startswith(form.quote, found + 1):
                return found + 1
            position = found + 2
            continue
        marks = found - len(line[:found].rstrip(form.escape))
        if marks % 2 == 0:
            return found + 1
        position = found + 1
