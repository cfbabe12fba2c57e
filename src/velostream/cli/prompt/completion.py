"""What could stand at the cursor: streams, columns, functions, properties and their values, words of the language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from velostream.catalog.relation import Relation
from velostream.catalog.system_columns import SYSTEM_COLUMNS
from velostream.cli.prompt.pieces import COMMENT, NAME, STRING, WORD, Piece, pieces, statement_at
from velostream.cli.prompt.settings import keys, values
from velostream.functions.library import Library
from velostream.sql.words import ADDED, RESERVED, STATEMENTS

_OF_RELATIONS = {"FROM", "JOIN", "INTO", "DESCRIBE", "SCHEMA", "PARTITIONS", "PRINT"}
_LISTS = ("STREAMS", "TABLES", "TOPICS", "FUNCTIONS", "JOBS", "STATUS", "METRICS", "VERSIONS", "SCHEMA")
_FOLLOW: dict[str, tuple[str, ...]] = {
    "SHOW": (*_LISTS, "PROPERTIES STREAM", "PROPERTIES TABLE", "PARTITIONS"),
    "LIST": _LISTS,
    "WINDOW": ("TUMBLING(", "SLIDING(", "SESSION(", "CUMULATE("),
    "EMIT": ("CHANGES", "FINAL"),
    "CREATE": ("STREAM", "TABLE", "VIEW", "OR REPLACE"),
    "DROP": ("STREAM", "TABLE", "VIEW"),
    "STRATEGY": ("REPLACE", "BLUE_GREEN", "CANARY(", "ROLLING"),
    **dict.fromkeys(("START", "STOP", "PAUSE", "RESUME", "FLUSH", "DEPLOY", "ROLLBACK"), ("JOB",)),
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text for the cursor: how much before it is replaced, what it is, and a word about it."""

    text: str
    replaces: int
    kind: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Known:
    """What the shell knows: relations by name, functions, and the names of jobs."""

    library: Library
    relations: Mapping[str, Relation] = field(default_factory=dict)
    jobs: tuple[str, ...] = ()


def candidates(text: str, cursor: int, known: Known) -> list[Candidate]:
    """All that could stand at the cursor, what is nearest to the statement first."""
    statement, place = statement_at(text, cursor)
    told = [piece for piece in pieces(statement) if piece.kind != COMMENT]
    before = [piece for piece in told if piece.start < place]
    if any(piece.kind == COMMENT and piece.start < place <= piece.end for piece in pieces(statement)):
        return []
    current = before[-1] if before and before[-1].end >= place and before[-1].kind in (WORD, STRING, NAME) else None
    typed = statement[current.start : place] if current is not None else ""
    ahead = before[:-1] if current is not None else before
    if current is not None and current.kind == STRING:
        found = _settings(current, typed[1:], ahead, statement, known)
    else:
        typed = typed.lstrip("`")
        found = _names(ahead, told, typed, known)
    return [one for one in _once(found) if one.text.casefold().startswith(typed.lstrip("'\"").casefold())]


def _settings(current: Piece, typed: str, ahead: list[Piece], statement: str, known: Known) -> Iterator[Candidate]:
    """Inside quotes: the key of a property, or the value of the key before `=`."""
    if ahead and ahead[-1].upper == "=" and len(ahead) > 1:
        for value, about in values(ahead[-2].inside, statement, known.relations):
            yield Candidate(value, len(typed), "value", about)
    elif any(piece.upper in ("WITH", "SET") for piece in ahead):
        for key, about in keys(typed, statement, known.relations):
            yield Candidate(key, len(typed), "property", about)


def _names(ahead: list[Piece], told: list[Piece], typed: str, known: Known) -> Iterator[Candidate]:
    length = len(typed)
    last = ahead[-1].upper if ahead else ""
    if not ahead:
        for words in (*STATEMENTS, "\\help"):
            yield Candidate(words, length, "keyword")
    elif last == "." and len(ahead) > 1:
        yield from _columns(_aliased(told, known).get(ahead[-2].inside.casefold()), length)
    elif last in _FOLLOW and (last != "SHOW" or len(ahead) == 1):
        for words in _FOLLOW[last]:
            yield Candidate(words, length, "keyword")
    elif last in ("JOB", "QUERY") or (last in ("STATUS", "METRICS", "VERSIONS") and ahead[0].upper == "SHOW"):
        for job in known.jobs:
            yield Candidate(job, length, "job")
    elif last in _OF_RELATIONS or _names_relation(ahead):
        yield from _relations(known, length)
    else:
        yield from _expressions(told, length, known)


def _names_relation(ahead: list[Piece]) -> bool:
    """True behind `DROP TABLE`, `SHOW PROPERTIES STREAM` and the comma of FROM."""
    words = [piece.upper for piece in ahead[-2:]]
    return len(words) == 2 and words[0] in ("DROP", "PROPERTIES") and words[1] in ("STREAM", "TABLE", "VIEW")


def _relations(known: Known, length: int) -> Iterator[Candidate]:
    for relation in known.relations.values():
        about = ", ".join(relation.schema.names[:6])
        yield Candidate(quoted(relation.name), length, relation.kind.value, about)


def _expressions(told: list[Piece], length: int, known: Known) -> Iterator[Candidate]:
    """Columns of what the statement reads, its aliases, functions, system columns, words."""
    aliased = _aliased(told, known)
    for name in dict.fromkeys(relation.name.casefold() for relation in aliased.values()):
        yield from _columns(known.relations[name], length, system=False)
    for alias, relation in aliased.items():
        yield Candidate(quoted(alias), length, relation.kind.value, f"an alias of {relation.name}")
    for function in known.library.functions:
        yield Candidate(f"{function.name}(", length, "function", f"{function.signature}: {function.doc}")
    for column in SYSTEM_COLUMNS.values():
        yield Candidate(column.name, length, "column", f"{column.type}, {column.meaning}")
    for word in sorted({*RESERVED, *ADDED}):
        yield Candidate(word, length, "keyword")


def _columns(relation: Relation | None, length: int, *, system: bool = True) -> Iterator[Candidate]:
    if relation is None:
        return
    for column in relation.schema:
        yield Candidate(quoted(column.name), length, "column", f"{column.type} of {relation.name}")
    for name in relation.record_columns if system else ():
        yield Candidate(name, length, "column", str(SYSTEM_COLUMNS[name].type) if name in SYSTEM_COLUMNS else "")


def _aliased(told: list[Piece], known: Known) -> dict[str, Relation]:
    """What the statement reads, behind FROM, JOIN and the commas of FROM, by alias and name in small letters."""
    found: dict[str, Relation] = {}
    for place, piece in enumerate(told):
        follows = place > 0 and told[place - 1].upper in ("FROM", "JOIN", ",", "INTO")
        relation = known.relations.get(piece.inside.casefold()) if follows and piece.kind in (WORD, NAME) else None
        if relation is None:
            continue
        found[relation.name.casefold()] = relation
        rest = told[place + 1 : place + 3]
        if rest and rest[0].upper == "AS":
            rest = rest[1:]
        if rest and rest[0].kind in (WORD, NAME) and rest[0].upper not in RESERVED | {"WINDOW", "EMIT"}:
            found[rest[0].inside.casefold()] = relation
    return found


def quoted(name: str) -> str:
    """A name as SQL takes it: in backticks where it is a reserved word or has other signs than letters and digits."""
    plain = name.isidentifier() and name.isascii() and name.upper() not in RESERVED
    return name if plain else f"`{name}`"


def _once(found: Iterable[Candidate]) -> Iterator[Candidate]:
    seen: set[str] = set()
    for one in found:
        if one.text.casefold() not in seen:
            seen.add(one.text.casefold())
            yield one
