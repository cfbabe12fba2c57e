"""From text to an application: every statement parsed, every mistake found, in one pass."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from velostream.diagnostics import Findings
from velostream.errors import SyntaxRefused
from velostream.positions import Span, Text
from velostream.sql import spans
from velostream.sql.application import Application, ParsedStatement
from velostream.sql.dialect import Velo
from velostream.sql.grammar.cursor import TOO_DEEP
from velostream.sql.grammar.statements import VeloParser
from velostream.sql.headers import read_header
from velostream.sql.naming import Namer
from velostream.sql.prefaces import prefaces
from velostream.sql.statements import Statement
from velostream.sql.tokens import VeloTokenizer, scan


@dataclass(frozen=True, slots=True)
class _Piece:
    """The tokens of one statement, and where its `;` or the end of the text is."""

    tokens: list[Token]
    end: int


def parse(text: str, name: str = "<query>") -> Application:
    """The application that a text is. What is wrong is in its findings; a statement that was refused has no tree."""
    text = text.replace("\ufeff", " ", 1) if text.startswith("\ufeff") else text
    source = Text(text, name)
    findings = Findings(file=name)
    scanned = scan(source, VeloTokenizer(Velo))
    pieces = _pieces(scanned.tokens, len(text))
    found = prefaces(source, scanned.comments, [_range(piece) for piece in pieces], findings)
    header = read_header(source, found.top, found.of_application, _default_name(name), findings)
    namer = Namer(found.of_statements, findings)
    unread = list(scanned.refused)
    statements = []
    for piece, own in zip(pieces, found.of_statements, strict=True):
        start, end = _range(piece)
        refused = [error for error in unread if error.span and start <= error.span.start < piece.end]
        unread = [error for error in unread if error not in refused]
        outcome = refused or _parsed(piece.tokens, source)
        tree = None if isinstance(outcome, list) else outcome
        label = namer.name(tree, text[start:end])
        for error in outcome if isinstance(outcome, list) else ():
            findings.at(label).refuse(error)
        statements.append(ParsedStatement(tree, label, source.span(start, end), own, text[start:end]))
    for error in unread:
        findings.refuse(error)
    if not pieces and not findings.errors:
        findings.error(
            "empty", "there is no statement in the text", source.span(0, 0), hint="write at least one statement"
        )
    return Application(source, header, tuple(statements), findings)


def parse_expression(text: str, base: Span | None = None) -> exp.Expr:
    """A condition from a property or an annotation; `base` says where its text stands in a file, for the positions."""
    source = Text(text)
    try:
        scanned = scan(source, VeloTokenizer(Velo))
        if scanned.refused:
            raise scanned.refused[0]
        tree = VeloParser(dialect=Velo).parse_condition(scanned.tokens, source)
    except RecursionError:
        raise SyntaxRefused(TOO_DEEP, span=base, hint="make it simpler") from None
    except SyntaxRefused as refused:
        if base is not None and refused.span is not None:
            refused.span = spans.moved(refused.span, base)
        raise
    if base is not None:
        spans.move(tree, base)
    return tree


def ended(text: str) -> str:
    """A text that another statement can follow: its last statement has its end, which no comment hides."""
    kept = text.rstrip().rstrip(";")
    hidden = "--" in kept.rpartition("\n")[2]
    return f"{kept}{chr(10) if hidden else ''};\n" if kept.strip() else ""


def split(text: str) -> list[str]:
    """The text of each statement, without its `;`."""
    pieces = _pieces(scan(Text(text), VeloTokenizer(Velo)).tokens, len(text))
    return [text[start:end] for start, end in map(_range, pieces)]


def _parsed(tokens: list[Token], source: Text) -> Statement | list[SyntaxRefused]:
    try:
        return VeloParser(dialect=Velo).parse_statement(tokens, source)
    except SyntaxRefused as refused:
        return [refused]
    except RecursionError:
        span = source.span(tokens[0].start, tokens[-1].end + 1)
        return [SyntaxRefused(TOO_DEEP, span=span, hint="split it with CTEs or streams")]


def _pieces(tokens: list[Token], length: int) -> list[_Piece]:
    """The tokens of each statement, split at `;`. Nothing between two `;` is no statement."""
    pieces: list[_Piece] = []
    current: list[Token] = []
    for token in tokens:
        if token.token_type is not TokenType.SEMICOLON:
            current.append(token)
        elif current:
            pieces.append(_Piece(current, token.start))
            current = []
    if current:
        pieces.append(_Piece(current, length))
    return pieces


def _range(piece: _Piece) -> tuple[int, int]:
    return piece.tokens[0].start, piece.tokens[-1].end + 1


def _default_name(name: str) -> str:
    """A file's name without its folder and ending; that of a query which is no file."""
    return PurePath(name).stem if not name.startswith("<") else name.strip("<>")
