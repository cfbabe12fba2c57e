"""The grammar is many classes in a row: none of them takes a rule away from another by accident."""

from collections import Counter

from sqlglot.parsers.spark import SparkParser

from velostream.sql import nodes, statements
from velostream.sql.grammar.statements import VeloParser
from velostream.sql.printing.expressions import NODES
from velostream.sql.printing.statements import VeloGenerator

OURS = [owner for owner in VeloParser.__mro__ if owner.__module__.startswith("velostream.")]
PROMISED = {"read_expression", "read_value", "read_query", "read_call", "read_column", "load"}
"""Rules that a lower class promises and a higher one keeps, or extends."""


def test_no_rule_hides_another() -> None:
    defined = Counter(
        name for owner in OURS for name in vars(owner) if callable(vars(owner)[name]) and not name.startswith("__")
    )
    assert {name for name, count in defined.items() if count > 1} <= PROMISED


def test_nothing_of_sqlglot_is_overridden_but_its_way_in() -> None:
    ours = {name for owner in OURS for name in vars(owner) if callable(vars(owner)[name]) and not name.startswith("__")}
    assert {name for name in ours if hasattr(SparkParser, name)} == {"_parse_statement"}


def test_every_node_of_the_dialect_can_be_printed() -> None:
    abstract = {statements.Statement, nodes.RowBuffer}
    printed = set(VeloGenerator.TRANSFORMS)
    assert {node for node in NODES.values() if node not in printed} <= abstract
