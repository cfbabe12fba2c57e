"""Aliases: where a word without AS is one, and where it begins the next clause."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from velostream.sql.grammar.names import Names, is_amount
from velostream.sql.words import RESERVED

_OPERANDS = ("NOT", "EXISTS", "CASE", "TRUE", "FALSE")
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


class Aliases(Names):
    """Rules for aliases."""

    in_deployment = False
    """True inside of DEPLOY JOB, where STRATEGY may follow the statement."""

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
            return self.in_deployment and self._strategy_ahead(by + 1)
        if word == "WATERMARK":
            return self.name_ahead(by + 1) and (ahead("DELAY", "OF", by=by + 2) or ahead(".", by=by + 2))
        return any(ahead(*words, by=by) for words in _CLAUSE_STARTS)

    def _strategy_ahead(self, by: int) -> bool:
        """True where a word follows STRATEGY that cannot follow an alias; whether it is a strategy is told later."""
        return self.kind_ahead(by) is TokenType.STRING or (self.name_ahead(by) and not self.clause_ahead(by))

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
        return (self.name_ahead(by) and not self.clause_ahead(by)) or self._words[self._index + by] in _OPERANDS
