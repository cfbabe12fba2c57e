"""Calls of every accumulator, each beside the Spark SQL that must answer the same, over one schema of columns."""

from dataclasses import dataclass

import polars as pl

from velostream import types
from velostream.types import Type
from velostream.windows.accumulators.base import Call, Sort, position_types
from velostream.windows.accumulators.dtypes import dtype

COLUMNS: dict[str, Type] = {
    "flag": types.BOOLEAN,
    "tiny": types.TINYINT,
    "small": types.SMALLINT,
    "i": types.INT,
    "j": types.BIGINT,
    "x": types.DOUBLE,
    "y": types.DOUBLE,
    "r": types.FLOAT,
    "d": types.decimal(10, 2),
    "e": types.decimal(38, 6),
    "s": types.STRING,
    "z": types.BINARY,
    "day": types.DATE,
    "at": types.TIMESTAMP,
    "span": types.INTERVAL,
    "many": types.array(types.INT),
    "pair": types.struct(("a", types.INT), ("b", types.STRING)),
}

KEEP = "keep"
"""The boolean column of FILTER."""


def schema() -> dict[str, pl.DataType]:
    """A group, the columns, the condition of FILTER, and the position."""
    columns = {name: dtype(kind) for name, kind in COLUMNS.items()}
    return {"g": pl.Int64(), **columns, KEEP: pl.Boolean(), **position_types()}


@dataclass(frozen=True)
class Case:
    """A call, and what Spark answers it with; `approximate` is a relative error, `unordered` compares lists as sets."""

    sql: str
    call: Call
    approximate: float = 0.0
    unordered: bool = False


POSITION_SQL = "_event_time, _source, _partition, _offset"


def _call(name: str, *arguments: str, **options: object) -> Call:
    kinds = tuple(COLUMNS[one] for one in arguments)
    return Call("?", name, arguments, kinds, ansi=False, **options)  # type: ignore[arg-type]


def _first(column: str, *, last: bool = False, nulls: bool = True, by: str = POSITION_SQL) -> str:
    chosen = f"{'max' if last else 'min'}_by(struct({column} AS v), struct({by}))"
    return f"{chosen}{'' if nulls else f' FILTER (WHERE {column} IS NOT NULL)'}.v"


def _list(column: str, where: str = "true") -> str:
    entries = f"collect_list(struct({POSITION_SQL}, {column} AS v)) FILTER (WHERE {column} IS NOT NULL AND {where})"
    return f"transform(sort_array({entries}), e -> e.v)"


def _plain() -> list[Case]:
    numbers = ("tiny", "small", "i", "j", "x", "r", "d", "e")
    comparable = (*numbers, "flag", "s", "z", "day", "at", "span", "many", "pair")
    cases = [Case("count(*)", _call("count")), Case("count(i, s)", _call("count", "i", "s"))]
    cases += [Case("count_if(flag)", _call("count_if", "flag"))]
    for column in comparable:
        cases += [
            Case(f"count({column})", _call("count", column)),
            Case(f"min({column})", _call("min", column)),
            Case(f"max({column})", _call("max", column)),
            Case(f"collect_set({column})", _call("collect_set", column), unordered=True),
            Case(f"mode() WITHIN GROUP (ORDER BY {column})", _call("mode", column)),
            Case(
                f"mode() WITHIN GROUP (ORDER BY {column} DESC)",
                _call("mode", column, order=(Sort(column, COLUMNS[column], descending=True),)),
            ),
            Case(f"bigint(size(collect_set({column})))", _call("approx_count_distinct", column), approximate=0.05),
            Case(f"slice(sort_array(collect_list({column}), false), 1, 3)", _call("topk", column, parameters=(3,))),
        ]
    for column in (*numbers, "span"):
        cases += [Case(f"{name}({column})", _call(name, column)) for name in ("sum", "avg")]
    for column in numbers:
        cases += [Case(f"try_{name}({column})", _call(f"try_{name}", column)) for name in ("sum", "avg")]
    cases += [case for column in ("i", "x", "d", "span") for case in _percentiles(column)]
    cases += [
        Case(f"approx_percentile({c}, 0.3)", _call("approx_percentile", c, parameters=(0.3,)))
        for c in ("j", "at", "day")
    ]
    cases += [Case(f"{name}({c})", _call(name, c)) for c in ("i", "x", "y", "r", "e") for name in _SPREADS]
    cases += [Case(f"{name}({a}, {b})", _call(name, a, b)) for a, b in _PAIRS for name in _TOGETHER]
    cases += [Case(f"bit_{name}({c})", _call(f"bit_{name}", c)) for c in numbers[:4] for name in ("and", "or", "xor")]
    cases += [Case(f"bool_{name}(flag)", _call(f"bool_{name}", "flag")) for name in ("and", "or")]
    return cases


_SPREADS = ("stddev_samp", "stddev_pop", "var_samp", "var_pop", "skewness", "kurtosis")
_REGRESSIONS = ("count", "avgx", "avgy", "sxx", "syy", "sxy", "slope", "intercept", "r2")
_TOGETHER = ("corr", "covar_samp", "covar_pop", *(f"regr_{name}" for name in _REGRESSIONS))
_PAIRS = (("x", "y"), ("i", "d"))


def _percentiles(column: str) -> list[Case]:
    order = (Sort(column, COLUMNS[column], descending=True),)
    cases = [Case(f"median({column})", _call("median", column))]
    for p in (0.0, 0.3, 0.95, 1.0):
        for kind in ("cont", "disc"):
            name, text = f"percentile_{kind}", f"percentile_{kind}({p}) WITHIN GROUP (ORDER BY {column}"
            cases += [Case(f"{text})", _call(name, column, parameters=(p,)))]
            cases += [Case(f"{text} DESC)", _call(name, column, parameters=(p,), order=order))]
        cases += [Case(f"approx_percentile({column}, {p})", _call("approx_percentile", column, parameters=(p,)))]
    several = f"percentile({column}, array(0.25, 0.75))"
    cases += [Case(several, _call("percentile_cont", column, parameters=([0.25, 0.75],)))]
    several = f"approx_percentile({column}, array(0.25, 0.75), 5000)"
    return [*cases, Case(several, _call("approx_percentile", column, parameters=([0.25, 0.75], 5000)))]


def _ordered() -> list[Case]:
    cases = []
    for column in COLUMNS:
        cases += [
            Case(_first(column), _call("first", column)),
            Case(_first(column), _call("any_value", column)),
            Case(_first(column, last=True), _call("last", column)),
            Case(_first(column, nulls=False), _call("first", column, ignore_nulls=True)),
            Case(_first(column, nulls=False), _call("earliest", column)),
            Case(_first(column, last=True, nulls=False), _call("latest", column)),
            Case(_list(column), _call("array_agg", column)),
        ]
    for by in ("x", "s", "d", "at"):
        known = f"FILTER (WHERE {by} IS NOT NULL)"
        least, most = (f"{end}_by(struct(i AS v), struct({by}, {POSITION_SQL})) {known}.v" for end in ("min", "max"))
        cases += [Case(least, _call("min_by", "i", by)), Case(most, _call("max_by", "i", by))]
    for column in ("tiny", "i", "x", "d"):
        change = f"{_first(column, last=True, nulls=False)} - {_first(column, nulls=False)}"
        cases += [Case(change, _call("delta", column))]
    joined = f"CASE WHEN count(s) > 0 THEN array_join({_list('s')}, ';') END"
    cases += [Case(joined, _call("string_agg", "s", parameters=(";",)))]
    down = (Sort("s", types.STRING, descending=True),)
    cases += [
        Case("listagg(s, ',') WITHIN GROUP (ORDER BY s DESC)", _call("string_agg", "s", parameters=(",",), order=down))
    ]
    return cases


def _filtered() -> list[Case]:
    names = [("count",), ("sum", "i"), ("avg", "d"), ("sum", "e"), ("min", "x"), ("max", "s"), ("median", "x")]
    names += [("var_samp", "x"), ("kurtosis", "y"), ("corr", "x", "y"), ("regr_avgx", "i", "d"), ("bool_or", "flag")]
    names += [("bit_xor", "i"), ("count", "i", "s"), ("count_if", "flag")]
    cases = []
    for name, *arguments in names:
        text = f"{name}({', '.join(arguments) or '*'}) FILTER (WHERE {KEEP})"
        cases += [Case(text, _call(name, *arguments, where=KEEP))]
    first = f"min_by(struct(i AS v), struct({POSITION_SQL})) FILTER (WHERE {KEEP}).v"
    cases += [Case(first, _call("first", "i", where=KEEP)), Case(_list("x", KEEP), _call("array_agg", "x", where=KEEP))]
    cases += [Case(f"mode() WITHIN GROUP (ORDER BY i) FILTER (WHERE {KEEP})", _call("mode", "i", where=KEEP))]
    cases += [
        Case(
            f"approx_percentile(y, 0.5) FILTER (WHERE {KEEP})",
            _call("approx_percentile", "y", parameters=(0.5,), where=KEEP),
        )
    ]
    top = f"slice(sort_array(collect_list(x) FILTER (WHERE {KEEP}), false), 1, 2)"
    return [*cases, Case(top, _call("topk", "x", parameters=(2,), where=KEEP))]


def _distinct() -> list[Case]:
    cases = [Case("count(DISTINCT i, s)", _call("count", "i", "s", distinct=True))]
    for column in ("x", "i", "d", "e", "s"):
        cases += [Case(f"count(DISTINCT {column})", _call("count", column, distinct=True))]
        cases += [Case(f"count(DISTINCT {column})", _call("count_distinct", column))]
        inner = _call("array_agg", column, distinct=True)
        cases += [Case(f"collect_list(DISTINCT {column})", inner, unordered=True)]
    for column in ("x", "i", "d", "e"):
        cases += [Case(f"{name}(DISTINCT {column})", _call(name, column, distinct=True)) for name in ("sum", "avg")]
        cases += [
            Case(
                f"percentile(DISTINCT {column}, 0.3)",
                _call("percentile_cont", column, parameters=(0.3,), distinct=True),
            )
        ]
    cases += [Case("var_samp(DISTINCT i)", _call("var_samp", "i", distinct=True))]
    cases += [Case("bit_xor(DISTINCT i)", _call("bit_xor", "i", distinct=True))]
    joined = "CASE WHEN count(s) > 0 THEN array_join(sort_array(array_distinct(collect_list(s))), '+') END"
    sort = (Sort("s", types.STRING),)
    cases += [Case(joined, _call("string_agg", "s", parameters=("+",), order=sort, distinct=True))]
    cases += [Case("corr(DISTINCT i, d)", _call("corr", "i", "d", distinct=True))]
    unique = "slice(sort_array(array_distinct(collect_list(x + 0.0D)), false), 1, 2)"
    return [*cases, Case(unique, _call("topk", "x", parameters=(2,), distinct=True))]


QUERIES: dict[str, list[Case]] = {
    "plain": _plain(),
    "ordered": _ordered(),
    "filtered": _filtered(),
    "distinct": _distinct(),
}
