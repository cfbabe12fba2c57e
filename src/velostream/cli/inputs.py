"""What the arguments of a command mean: files, folders of them, SQL written on the command line, or standard input."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from velostream.errors import NotFound, VeloError
from velostream.registry import did_you_mean
from velostream.sql.words import STATEMENTS

STATEMENT_WORDS = tuple(statement.split()[0] for statement in STATEMENTS)
_FIRST_WORD = re.compile(r"\s*\(*\s*([A-Za-z_]+)(?![\w./\\-])")


@dataclass(frozen=True, slots=True)
class Input:
    """A text to check: the name that messages show, and the folder that its relative paths start from."""

    name: str
    text: str
    folder: Path


def looks_like_sql(argument: str) -> bool:
    """True for a query written as an argument: it begins with a statement's word or a comment, or has spaces."""
    first = _FIRST_WORD.match(argument)
    if first and first[1].upper() in STATEMENT_WORDS:
        return True
    if argument.lstrip().startswith(("--", "/*")) or "\n" in argument:
        return True
    return any(character.isspace() for character in argument.strip()) and not argument.casefold().endswith(".sql")


def query(text: str) -> Input:
    """SQL from the command line, without the empty lines before it; relative paths start from the current folder."""
    return Input("<query>", text.lstrip("\n"), Path())


def resolve(argument: str) -> Iterator[Input]:
    """What one argument means; a folder means all .sql files in it and below."""
    path = Path(argument)
    if argument == "-":
        yield Input("<stdin>", _decoded(sys.stdin.buffer.read(), "<stdin>"), Path())
    elif argument.strip() and _exists(path):
        for file in _sql_files(path) if path.is_dir() else [path]:
            yield read(file)
    elif not argument.strip() or looks_like_sql(argument):
        yield query(argument)
    else:
        raise not_found(path)


def read(path: Path) -> Input:
    """A file's text, or an error that says why it cannot be read."""
    if not _exists(path):
        raise not_found(path)
    if path.is_dir():
        files = ", ".join(_names(path.glob("*.sql"))[:5])
        raise NotFound(
            f"'{path}' is a folder, not a file", hint=f"name one file: {files}" if files else "name a .sql file"
        )
    try:
        content = path.read_bytes()
    except OSError as error:
        hint = "see that you may read it"
        raise VeloError(f"cannot read '{path}': {error.strerror}", hint=hint, code="unreadable-file") from error
    return Input(str(path), _decoded(content, str(path)), path.parent)


def not_found(path: Path) -> NotFound:
    """A missing file, with those beside it that look like it."""
    folder = path.parent
    beside = _names(entry for entry in folder.iterdir()) if folder.is_dir() else []
    hint = did_you_mean(path.name, beside)
    if not folder.is_dir():
        hint = f"there is no folder '{folder}'"
    elif not hint:
        files = _names(folder.glob("*.sql"))
        if files:
            hint = f"SQL files there: {', '.join(files[:5])}"
        else:
            where = "here" if folder == Path() else f"in '{folder}'"
            query = "a query needs a statement's word, such as SELECT"
            hint = f"there is no .sql file {where}" if path.suffix else query
    return NotFound(f"there is no file '{path}'", hint=hint)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a long query is no file name, nor is a text with a NUL
        return False


def _names(entries: Iterable[Path]) -> list[str]:
    return sorted(entry.name for entry in entries)


def _sql_files(folder: Path) -> list[Path]:
    found = (file for file in folder.rglob("*.sql") if file.is_file())
    files = sorted(file for file in found if not any(part.startswith(".") for part in file.relative_to(folder).parts))
    if not files:
        raise NotFound(f"there is no .sql file in '{folder}' or below", hint="name the files, or another folder")
    return files


def _decoded(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = f"'{name}' is not UTF-8 text: byte 0x{content[error.start]:02x} in line {line}"
        raise VeloError(message, hint="save the file as UTF-8", code="unreadable-file") from None
