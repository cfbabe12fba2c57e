"""Velo, the dialect: Spark's, with a tokenizer, a grammar and printers of its own."""

from __future__ import annotations

from sqlglot.dialects.spark import Spark

from velostream.sql.grammar.statements import VeloParser
from velostream.sql.printing.statements import VeloGenerator
from velostream.sql.tokens import VeloTokenizer


class Velo(Spark):
    """The dialect as sqlglot knows it."""

    NORMALIZE_FUNCTIONS = False

    Tokenizer = VeloTokenizer
    Parser = VeloParser
    Generator = VeloGenerator
