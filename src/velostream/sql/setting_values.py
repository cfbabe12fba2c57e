"""Where the values of settings stand in a text, however they are quoted: for whoever must not show all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot.tokenizer_core import Token, TokenType

from velostream.positions import Text
from velostream.sql.dialect import Velo
from velostream.sql.tokens import VeloTokenizer, scan

_NAMES = (TokenType.STRING, TokenType.VAR, TokenType.IDENTIFIER)


@dataclass(frozen=True, slots=True)
class SettingValue:
    """The value of `key = value`: the offsets of its first sign and behind its last one, quotes and all."""

    key: str
    start: int
    end: int


def setting_values(sql: str) -> Iterator[SettingValue]:
    """All of them in order, also those of a text that cannot be parsed, as far as it can be read."""
    tokens = scan(Text(sql, ""), VeloTokenizer(Velo)).tokens
    for place in range(1, len(tokens) - 1):
        if tokens[place].token_type is TokenType.EQ:
            value = tokens[place + 1]
            yield SettingValue(_key(tokens, place - 1), value.start, value.end + 1)


def _key(tokens: list[Token], last: int) -> str:
    """The name before an equals sign; one that is not quoted may have dots."""
    parts: list[str] = []
    while last >= 0 and tokens[last].token_type in _NAMES:
        parts.insert(0, tokens[last].text)
        if last < 1 or tokens[last - 1].token_type is not TokenType.DOT:
            break
        last -= 2
    return ".".join(parts)
