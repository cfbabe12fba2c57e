"""Which tokens of a statement are found again in its printed form. Spellings that mean the same count as the same."""

from collections import Counter

from sqlglot.tokenizer_core import TokenType

from velostream.positions import Text
from velostream.sql.dialect import Velo
from velostream.sql.grammar.kinds import TYPES
from velostream.sql.grammar.names import NUMBER_WITH_TYPE
from velostream.sql.tokens import VeloTokenizer, scan

_SAME = {
    "!=": "<>",
    "==": "=",
    "!": "NOT",
    "REGEXP": "RLIKE",
    "SOME": "ANY",
    "MINUS": "EXCEPT",
    "QUERY": "JOB",
    "LIST": "SHOW",
    "QUERIES": "JOBS",
    "UNKNOWN": "NULL",
    "SUBSTR": "SUBSTRING",
    "CEILING": "CEIL",
    "POSITIVE": "+",
    **{name: kind.value for name, kind in TYPES.items()},
    "TIMESTAMP_LTZ": TYPES["TIMESTAMP"].value,
}
_SAME_SEQUENCES = (
    (("IS", "NOT", "DISTINCT", "FROM"), ("<=>",)),
    (("UNION", "DISTINCT"), ("UNION",)),
    (("INTERSECT", "DISTINCT"), ("INTERSECT",)),
    (("EXCEPT", "DISTINCT"), ("EXCEPT",)),
    (("SELECT", "ALL"), ("SELECT",)),
    (("DOUBLE", "PRECISION"), ("DOUBLE",)),
    (("WITH", "LOCAL", "TIME", "ZONE"), ()),
    (("WITHOUT", "TIME", "ZONE"), ()),
)
_UNCOUNTED = ("(", ")", ";", ":", "::")
_ADDED = {"AS", "<", ">", "CAST", "INNER", "LEFT", "PRIMARY", "JOIN", *(kind.value for kind in TYPES.values())}


def lost(written: str, printed: str) -> Counter[str]:
    """Tokens of the text that its printed form does not have."""
    return _counted(written) - _counted(printed)


def invented(written: str, printed: str) -> Counter[str]:
    """Tokens of the printed form that nobody wrote, but for the words that say the same in another way."""
    extra = _counted(printed) - _counted(written)
    return Counter({token: count for token, count in extra.items() if token not in _ADDED})


def _counted(text: str) -> Counter[str]:
    words: list[str] = []
    for token in scan(Text(text), VeloTokenizer(Velo)).tokens:
        if token.token_type in (TokenType.STRING, TokenType.RAW_STRING) and words[-1:] == ["INTERVAL"]:
            words += token.text.upper().split()
        elif token.token_type in (TokenType.STRING, TokenType.RAW_STRING):
            words.append(f"'{token.text}'")
        elif token.token_type is TokenType.HEX_STRING:
            words += ["UNHEX", f"'{token.text}'"]
        elif match := NUMBER_WITH_TYPE.fullmatch(token.text):
            words.append(match[1])
        else:
            words.append(token.text.upper())
    return Counter(_SAME.get(word, word) for word in _rewritten(words) if word not in _UNCOUNTED)


def _rewritten(words: list[str]) -> list[str]:
    for sequence, same in _SAME_SEQUENCES:
        index = 0
        while index < len(words):
            if tuple(words[index : index + len(sequence)]) == sequence:
                words[index : index + len(sequence)] = same
            index += 1
    return words
