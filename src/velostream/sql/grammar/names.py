"""Names: identifiers, what may be one, and where a word is an alias and where it begins the next clause."""

from __future__ import annotations

import re

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from velostream import durations
from velostream.sql.grammar.cursor import Cursor
from velostream.sql.words import RESERVED

NUMBER_WITH_TYPE = re.compile(r"([0-9]+\.?[0-9]*(?:[eE][+-]?[0-9]+)?)(BD|[LSYDF])", re.IGNORECASE)
"""Spark's typed numbers, `5L`, `1.5BD`."""

LENGTH = re.compile(r"(?:[0-9]+(?:\.[0-9]+)?[A-Za-z]+)+")
"""A length of time in one word, `5s`, `1h30m`."""

_NAME = re.compile(r"\$?[^\W\d]\w*|[0-9]+[^\W\d]\w*")
_LENGTH_UNITS = re.compile(r"[A-Za-z]+")
_STRATEGIES = ("REPLACE", "BLUE_GREEN", "CANARY", "ROLLING")


class Names(Cursor):
    """Rules for names."""

    in_deployment = False

    def name_ahead(self, by: int = 0) -> bool:
        """True where a name can be read: a quoted one, or a word that is not reserved."""
        kind = self.kind_ahead(by)
        if kind is TokenType.IDENTIFIER:
            return True
        if kind is not TokenType.VAR:
            return False
        text = self._tokens[self._index + by].text
        return text.upper() not in RESERVED and bool(_NAME.fullmatch(text)) and not is_amount(text)

    def read_name(self, what: str = "a name") -> exp.Identifier:
        """A name; a reserved word is refused with the way out."""
        if not self.name_ahead():
            if self.kind_ahead() is TokenType.VAR and self.word in RESERVED and not self.ahead(",", by=-1):
                text = self._tokens[self._index].text
                self.refuse(
                    f"'{text}' is a reserved word, and {what} is expected here", hint=f"as a name write `{text}`"
                )
            if self.kind_ahead() is TokenType.VAR and is_amount(self._tokens[self._index].text):
                text = self._tokens[self._index].text
                self.refuse(f"'{text}' is an amount, and {what} is expected here", hint=f"as a name write `{text}`")
            self.unexpected(what)
        return self._identifier()

    def read_name_after_dot(self) -> exp.Identifier:
        """A name behind a dot, where reserved words are names too (and are printed in backticks)."""
        text = self._tokens[self._index].text if not self.at_end else ""
        if self.kind_ahead() is TokenType.VAR and _NAME.fullmatch(text) and text.upper() in RESERVED:
            identifier = self._identifier()
            identifier.set("quoted", True)
            return identifier
        return self.read_name("a field")

    def _identifier(self) -> exp.Identifier:
        start = self._index
        token = self.take_name()
        quoted = token.token_type is TokenType.IDENTIFIER
        if not token.text:
            self.refuse("a name in backticks is empty", hint="write a name between them", span=self.here(start))
        return self.node(exp.Identifier(this=token.text, quoted=quoted), start)

    def read_names(self) -> list[exp.Expr]:
        """`(name, name, …)`."""
        self.expect("(")
        names: list[exp.Expr] = [self.read_name()]
        while self.accept(","):
            names.append(self.read_name())
        self.expect(")")
        return names

    def alias_ahead(self) -> bool:
        """True where a word without AS is an alias, because it does not begin the next clause."""
        return self.name_ahead() and not self.clause_ahead()

    def read_table_alias(self) -> exp.TableAlias | None:
        """`[AS] name [(columns)]` behind a source."""
        start = self._index
        if not self.accept("AS") and not self.alias_ahead():
            return None
        alias = exp.TableAlias(this=self.read_name("an alias"))
        if self.at("("):
            alias.set("columns", self.read_names())
        return self.node(alias, start)

    def clause_ahead(self, by: int = 0) -> bool:
        """True where a word that is not reserved begins a clause, since what follows fits only there."""
        ahead, word = self.ahead, self._words[min(self._index + by, len(self._words) - 1)]
        if word == "WINDOW":
            return self._window_ahead(by)
        if word == "EMIT":
            return (
                (self.kind_ahead(by + 1) is TokenType.VAR and not self._follows(by + 1))
                or ahead("WHEN", by=by + 1)
                or ahead("ON", "WATERMARK", by=by + 1)
            )
        if word == "WITHIN":
            return (
                self.kind_ahead(by + 1) in _AMOUNTS
                or ahead("(", by=by + 1)
                or ahead("INTERVAL", by=by + 1)
                or self._amount_ahead(by + 1)
            )
        if word == "OFFSET":
            return self.kind_ahead(by + 1) is TokenType.NUMBER
        if word == "QUALIFY":
            return self._operand_ahead(by + 1)
        if word == "STRATEGY":
            return self.in_deployment and self._words[self._index + by + 1] in _STRATEGIES
        if word == "WATERMARK":
            return self.name_ahead(by + 1) and (ahead("DELAY", "OF", by=by + 2) or ahead(".", by=by + 2))
        return any(ahead(*words, by=by) for words in _CLAUSE_STARTS)

    def _window_ahead(self, by: int) -> bool:
        if not self.name_ahead(by + 1):
            return False
        return self.ahead("(", by=by + 2) or self.ahead("AS", "(", by=by + 2) or not self.clause_ahead(by + 1)

    def _follows(self, by: int) -> bool:
        """True where the token `by` further cannot be the first word of what EMIT says."""
        return self._words[self._index + by] in RESERVED or self.clause_ahead(by)

    def _amount_ahead(self, by: int) -> bool:
        return self.kind_ahead(by) is TokenType.VAR and is_amount(self._tokens[self._index + by].text)

    def _operand_ahead(self, by: int) -> bool:
        kind = self.kind_ahead(by)
        if kind in (TokenType.STRING, TokenType.NUMBER, TokenType.L_PAREN, TokenType.DASH):
            return True
        return (self.name_ahead(by) and not self.clause_ahead(by)) or self._words[self._index + by] in (
            "NOT",
            "EXISTS",
            "CASE",
            "TRUE",
            "FALSE",
        )


_AMOUNTS = (TokenType.NUMBER, TokenType.STRING)
_CLAUSE_STARTS = (
    ("PARTITION", "BY"),
    ("PRIMARY", "KEY"),
    ("GRACE", "PERIOD"),
    ("FOR", "SYSTEM_TIME"),
    ("SEMI", "JOIN"),
    ("ANTI", "JOIN"),
    ("MINUS", "SELECT"),
    ("MINUS", "ALL"),
    ("MINUS", "("),
    ("CLUSTER", "BY"),
    ("DISTRIBUTE", "BY"),
    ("SORT", "BY"),
    ("MATCH_RECOGNIZE", "("),
    ("TABLESAMPLE", "("),
    ("PIVOT", "("),
    ("UNPIVOT", "("),
    ("FETCH", "FIRST"),
    ("FETCH", "NEXT"),
)


def is_amount(text: str) -> bool:
    """True for a word that is a typed number or a length of time rather than a name."""
    if not text[:1].isdigit():
        return False
    if NUMBER_WITH_TYPE.fullmatch(text):
        return True
    return bool(LENGTH.fullmatch(text)) and all(
        unit.casefold() in durations.UNITS for unit in _LENGTH_UNITS.findall(text)
    )
