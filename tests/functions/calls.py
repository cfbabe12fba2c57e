"""Reads the call in an example: what stands before it, its arguments, what follows."""

import itertools
from typing import NamedTuple

from velostream.functions.base import Function


class Call(NamedTuple):
    before: str
    arguments: list[str]
    after: str

    @property
    def is_whole(self) -> bool:
        return not self.before and not self.after


def call_in(function: Function) -> Call:
    text = function.example
    start = text.index(function.name + "(")
    begin = start + len(function.name) + 1
    cuts = [begin - 1]
    depth, quoted = 1, False
    for index in range(begin, len(text)):
        character = text[index]
        if character == "'":
            quoted = not quoted
        elif not quoted and character in "([{":
            depth += 1
        elif not quoted and character in ")]}":
            depth -= 1
        if not depth or (depth == 1 and character == "," and not quoted):
            cuts.append(index)
        if not depth:
            break
    pieces = [text[left + 1 : right].strip() for left, right in itertools.pairwise(cuts)]
    return Call(text[:start], [piece for piece in pieces if piece], text[cuts[-1] + 1 :])


def lowered(function: Function, order: str = "trade_time") -> str:
    """The example as Spark SQL."""
    if not function.lowers:
        return function.example
    call = call_in(function)
    return call.before + function.lower(call.arguments, order) + call.after
