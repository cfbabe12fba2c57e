"""Ways to spoil a statement: tokens deleted, doubled, swapped, replaced and inserted; and the same with characters."""

import random

from velostream.positions import Text
from velostream.sql.dialect import Velo
from velostream.sql.tokens import VeloTokenizer, scan
from velostream.sql.words import ADDED, RESERVED

SIGNS = (*"(),.;*+-/%=<>[]{}?@#$!~&|^:\\", "<>", "<=", ">=", "<=>", "||", "::", "->", "=>", "--", "/*", "*/")
NAMES = ("a", "b", "t", "price", "`odd name`", "5s", "1h30m", "7", "1.5", "'text'", '"quoted"', "0x1F", "1e", "é", "5L")
WORDS = (
    *sorted(RESERVED),
    *ADDED,
    "BY",
    "KEY",
    "PRIMARY",
    "PARTITION",
    "OVER",
    "FILTER",
    "NULLS",
    "FIRST",
    "ASC",
    "DESC",
    "INTERVAL",
)
CHARACTERS = "'\"`()-*/;,.@$#{}[]\\ \n\tax0_é\x00"


def tokens_of(statement: str) -> list[str]:
    """The tokens of a statement as they are written."""
    found = scan(Text(statement), VeloTokenizer(Velo)).tokens
    return [statement[token.start : token.end + 1] for token in found]


def any_token(chance: random.Random) -> str:
    """A token that may fit or not."""
    return chance.choice(chance.choice((SIGNS, NAMES, WORDS, ADDED)))


def spoiled_tokens(statement: str, chance: random.Random) -> str:
    """The statement with one to three of its tokens changed."""
    tokens = tokens_of(statement)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        place = chance.randrange(len(tokens)) if tokens else 0
        kind = chance.randrange(5)
        if kind == 0 or not tokens:
            tokens.insert(place, any_token(chance))
        elif kind == 1:
            del tokens[place]
        elif kind == 2:
            tokens.insert(place, tokens[place])
        elif kind == 3:
            other = chance.randrange(len(tokens))
            tokens[place], tokens[other] = tokens[other], tokens[place]
        else:
            tokens[place] = any_token(chance)
    return " ".join(tokens)


def spoiled_characters(statement: str, chance: random.Random) -> str:
    """The statement with one to three of its characters changed."""
    for _ in range(chance.choice((1, 1, 2, 3))):
        place = chance.randrange(len(statement) + 1)
        kind = chance.randrange(3)
        inserted = chance.choice(CHARACTERS) if kind != 1 else ""
        statement = statement[:place] + inserted + statement[place + (kind != 0) :]
    return statement


def cut_or_joined(statement: str, other: str, chance: random.Random) -> str:
    """The beginning of one statement and the end of another."""
    first, second = tokens_of(statement), tokens_of(other)
    return " ".join(first[: chance.randrange(len(first) + 1)] + second[chance.randrange(len(second) + 1) :])


def spoiled(statement: str, other: str, chance: random.Random) -> str:
    """A statement spoiled in one of all ways."""
    kind = chance.randrange(10)
    if kind < 6:
        return spoiled_tokens(statement, chance)
    return spoiled_characters(statement, chance) if kind < 8 else cut_or_joined(statement, other, chance)
