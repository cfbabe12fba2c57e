"""What joins with tables count: bits of a column that rows carry, to their end or to the next stateful node.

So they are counted with the rows, in the same pass and for the same micro-batch: what routers count of it is told again
in a re-run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from velostream.spark.lower.context import Lowering, column
from velostream.spark.stateful.layout import JOINED

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

MOST = 31
"""So many joins have room in a number."""
_BITS = 2


def has_room(lowering: Lowering) -> bool:
    """True where a further join can be counted so."""
    return len(lowering.joined) < MOST


def bits(rows: DataFrame, place: int, met: Column, missing: Column) -> Column:
    """What rows carry that say whether they met something in the join of a place, or nothing."""
    from pyspark.sql import functions as F  # noqa: N812

    told = [F.lit(number << _BITS * place).cast("bigint") for number in (1, 2)]
    here = F.when(met, told[0]).when(missing, told[1]).otherwise(F.lit(0).cast("bigint"))
    return F.coalesce(column(JOINED), F.lit(0).cast("bigint")) + here if JOINED in rows.columns else here


def counters(joins: int) -> dict[str, str]:
    """When a row is counted as one that met something, or that did not, by name, for each join."""
    return {f"joined_{bit}": f"getbit({JOINED}, {bit}) = 1" for bit in range(_BITS * joins)}


def of_counters(found: dict[str, int], joins: int) -> list[tuple[int, int]]:
    """Matched and missing rows of each join, from what `counters` counted."""
    return [(found[f"joined_{_BITS * n}"], found[f"joined_{_BITS * n + 1}"]) for n in range(joins)]


def of_routers(stats: Iterable[Mapping[str, Any]]) -> list[tuple[int, int]]:
    """Numbers of rows by what these carry, as the routers of stateful nodes counted them."""
    return [(int(bits), rows) for one in stats for bits, rows in one["met"].items()]


def of_groups(groups: Iterable[tuple[int, int]], joins: int) -> list[tuple[int, int]]:
    """The same, from numbers of rows by what these carry."""
    told: Sequence[tuple[int, int]] = list(groups)
    return [
        (
            sum(rows for bits, rows in told if bits >> _BITS * n & 1),
            sum(rows for bits, rows in told if bits >> _BITS * n & 2),
        )
        for n in range(joins)
    ]
