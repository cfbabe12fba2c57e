"""Statements that hypothesis makes up from the grammar: always in order, in every combination of forms."""

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

NAMES = st.sampled_from(
    ("a", "b", "price", "symbol", "ts", "window", "emit", "size", "status", "`odd name`", "`x``y`", "_offset")
)
SOURCES = st.sampled_from(("trades", "stream", "`my stream`", "'kafka://host:9092/topic'", "jobs"))
LENGTHS = st.sampled_from(
    ("5s", "500ms", "1h30m", "30", "1 MINUTE", "2 HOURS 5 SECONDS", "INTERVAL '1' MINUTE", "INTERVAL 10 SECONDS")
)
NUMBERS = st.sampled_from(("0", "7", "1.5", ".25", "1e3", "5L"))
TEXTS = st.text(alphabet="ab'\"\\%_\n é;-/*`", max_size=6)
TYPES = st.sampled_from(
    (
        "INT",
        "STRING",
        "DECIMAL(10, 2)",
        "ARRAY<STRING>",
        "MAP<STRING, ARRAY<INT>>",
        "STRUCT<x: INT, size: DATE>",
        "TIMESTAMP",
    )
)


def quoted(text: str) -> str:
    """A text as a literal."""
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


def some(items: SearchStrategy[str], least: int = 1, most: int = 3) -> SearchStrategy[str]:
    """Some items with commas between them."""
    return st.lists(items, min_size=least, max_size=most).map(", ".join)


LITERALS = st.one_of(
    NUMBERS, TEXTS.map(quoted), st.sampled_from(("TRUE", "NULL", "DATE '2024-01-01'", "INTERVAL '1' DAY", "X'1F'"))
)
COLUMNS = st.one_of(
    NAMES,
    NAMES.map(lambda name: f"t.{name}"),
    NAMES.map(lambda name: f"a->{name}"),
    NAMES.map(lambda name: f"xs[0].{name}"),
)


def _larger(inner: SearchStrategy[str]) -> SearchStrategy[str]:
    two = st.tuples(inner, inner)
    operators = st.sampled_from(
        ("+", "-", "*", "/", "%", "||", "DIV", "=", "<>", "<", ">=", "<=>", "AND", "OR", "&", "|", "^", "<<")
    )
    return st.one_of(
        st.tuples(inner, operators, inner).map(lambda parts: f"({parts[0]}) {parts[1]} ({parts[2]})"),
        st.tuples(COLUMNS, operators, LITERALS).map(" ".join),
        inner.map(lambda value: f"({value})"),
        inner.map(lambda value: f"NOT ({value})"),
        inner.map(lambda value: f"- ({value})"),
        two.map(lambda pair: f"CASE WHEN {pair[0]} THEN {pair[1]} ELSE 0 END"),
        st.tuples(inner, TYPES).map(lambda parts: f"CAST({parts[0]} AS {parts[1]})"),
        st.tuples(COLUMNS, TYPES).map(lambda parts: f"{parts[0]}::{parts[1]}"),
        two.map(lambda pair: f"({pair[0]}) BETWEEN ({pair[1]}) AND 5"),
        st.tuples(COLUMNS, some(inner)).map(lambda parts: f"{parts[0]} NOT IN ({parts[1]})"),
        COLUMNS.map(lambda name: f"{name} IS NOT NULL"),
        st.tuples(COLUMNS, TEXTS).map(lambda parts: f"{parts[0]} LIKE {quoted(parts[1])}"),
        some(inner).map(lambda arguments: f"coalesce({arguments})"),
        inner.map(lambda value: f"SUM({value}) FILTER (WHERE a > 1)"),
        inner.map(lambda value: f"transform(xs, x -> x + ({value}))"),
        inner.map(lambda value: f"LAG({value}) OVER (PARTITION BY a ORDER BY b DESC NULLS LAST)"),
        inner.map(
            lambda value: (
                f"AVG({value}) OVER (ROWS WINDOW BUFFER 10 ROWS ORDER BY ts EXPIRE AFTER 5m EMIT EVERY RECORD)"
            )
        ),
        inner.map(lambda value: f"EXISTS (SELECT 1 FROM limits WHERE {value})"),
        COLUMNS.map(lambda name: f"{name} > ALL (SELECT x FROM limits)"),
        inner.map(lambda value: f"(SELECT MAX({value}) FROM limits)"),
        st.tuples(st.sampled_from(("HOUR", "DAY")), COLUMNS).map(lambda parts: f"EXTRACT({parts[0]} FROM {parts[1]})"),
    )


EXPRESSIONS = st.recursive(st.one_of(COLUMNS, LITERALS, st.just("COUNT(*)")), _larger, max_leaves=4)
WINDOWS = st.one_of(
    LENGTHS.map(lambda size: f"TUMBLING({size})"),
    st.tuples(NAMES, LENGTHS, LENGTHS).map(lambda parts: f"SLIDING({', '.join(parts)})"),
    st.tuples(LENGTHS, NAMES, LENGTHS).map(lambda parts: f"SESSION({parts[0]}, {parts[1]}, MAX {parts[2]})"),
    st.tuples(LENGTHS, LENGTHS).map(
        lambda parts: f"HOPPING(SIZE {parts[0]}, ADVANCE BY {parts[1]}, GRACE PERIOD 1 DAY)"
    ),
    st.tuples(LENGTHS, LENGTHS).map(lambda parts: f"CUMULATE({parts[0]}, {parts[1]}, OFFSET 1s)"),
    NAMES,
)
EMITS = st.one_of(
    st.sampled_from(("CHANGES", "FINAL", "ON WATERMARK", "EVERY 100 ROWS")),
    LENGTHS.map(lambda length: f"EARLY EVERY {length}"),
    st.tuples(EXPRESSIONS, LENGTHS).map(lambda parts: f"WHEN ({parts[0]}) FALLBACK EVERY {parts[1]}"),
).map(lambda form: f"EMIT {form}")
ITEMS = st.one_of(
    EXPRESSIONS,
    st.tuples(EXPRESSIONS, NAMES).map(" AS ".join),
    st.tuples(EXPRESSIONS, NAMES).map(lambda parts: f"({parts[0]}) {parts[1]} PRIMARY KEY"),
    st.sampled_from(("*", "t.*", "* EXCEPT (a)")),
)
JOINS = st.one_of(
    st.tuples(st.sampled_from(("JOIN", "INNER JOIN", "LEFT OUTER JOIN", "FULL JOIN")), EXPRESSIONS).map(
        lambda p: f"{p[0]} other AS o ON {p[1]}"
    ),
    LENGTHS.map(lambda length: f"JOIN other WITHIN {length} ON TRUE"),
    st.sampled_from(
        (
            "CROSS JOIN UNNEST(t.xs) AS u(x)",
            ", second s",
            "JOIN r FOR SYSTEM_TIME AS OF t.ts AS r ON TRUE",
            "LEFT JOIN x USING (a, b)",
        )
    ),
)
SETTINGS = st.tuples(TEXTS, TEXTS).map(lambda pair: f"{quoted(pair[0])} = {quoted(pair[1])}")


@st.composite
def selects(draw: DrawFn, *, ends: bool = True) -> str:
    """A SELECT with its clauses in any order; without `ends` it has none that belong to a whole query."""
    head = f"SELECT {draw(st.sampled_from(('', 'DISTINCT ')))}{draw(some(ITEMS))} FROM {draw(SOURCES)} AS t"
    joins = draw(st.lists(JOINS, max_size=2))
    clauses = [
        draw(EXPRESSIONS.map(lambda value: f"WHERE {value}")),
        draw(some(EXPRESSIONS).map(lambda values: f"GROUP BY {values}")),
        draw(EXPRESSIONS.map(lambda value: f"HAVING {value}")),
        draw(WINDOWS.map(lambda window: f"WINDOW {window}")),
        "PARTITION BY a, b",
    ]
    if ends:
        clauses += [draw(EMITS), draw(EMITS), "ORDER BY a DESC, b NULLS LAST", "LIMIT 10", "INTO x, 'file:///d/o.csv'"]
        clauses.append(f"WITH ({draw(some(SETTINGS, least=0))})")
    chosen = draw(st.lists(st.sampled_from(clauses), unique=True, max_size=5))
    return " ".join([head, *joins, *draw(st.permutations(chosen))])


@st.composite
def statements(draw: DrawFn) -> str:
    """A statement of any kind."""
    query = draw(
        st.one_of(
            selects(),
            st.tuples(selects(ends=False), selects()).map(" UNION ALL ".join),
            st.tuples(selects(ends=False), selects()).map(lambda pair: f"WITH x AS ({pair[0]}) {pair[1]}"),
        )
    )
    name = draw(NAMES)
    forms = (
        "{q}",
        "CREATE STREAM {n} AS {q}",
        "CREATE OR REPLACE TABLE {n} AS {q}",
        "CREATE TABLE IF NOT EXISTS {n} AS {q}",
        "INSERT INTO {n} {q}",
    )
    forms += ("EXPLAIN {q}", "START JOB {n} AS {q}", "DEPLOY JOB {n} VERSION 'v' AS {q} STRATEGY CANARY(10)")
    return str(draw(st.sampled_from(forms)).format(q=query.replace("{", "{{").replace("}", "}}"), n=name))
