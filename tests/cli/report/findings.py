"""Findings to be rendered by the tests of the formats."""

from velostream.catalog.system_columns import SYSTEM_COLUMNS
from velostream.cli.colours import Colours
from velostream.cli.report import FORMATS, Checked
from velostream.diagnostics import Findings
from velostream.positions import Text

SQL = """CREATE STREAM trades (symbol STRING, price DOUBLE, quantity BIGINT, trade_time TIMESTAMP);

SELECT symbol, AVG(pirce) AS avg_price
FROM trades
GROUP BY symbol;
"""
TEXT = Text(SQL, "app.sql")
PLAIN = Colours()


def place(word: str) -> tuple[int, int]:
    start = SQL.index(word)
    return start, start + len(word)


def typo(file: str = "app.sql") -> Checked:
    findings = Findings(file=file, statement="query_2")
    hint = "did you mean 'price'? columns: symbol, price, quantity, trade_time"
    findings.error("unknown-column", "stream 'trades' has no column 'pirce'", TEXT.span(*place("pirce")), hint=hint)
    findings.warning(
        "unbounded-state", "groups are kept for ever", TEXT.span(*place("GROUP BY symbol")), hint="set state.ttl"
    )
    return Checked(Text(SQL, file), tuple(findings.ordered()), 2, (SYSTEM_COLUMNS["_event_time"],))


def clean(name: str = "good.sql", statements: int = 12) -> Checked:
    return Checked(Text(SQL, name), (), statements)


def render(form: str, *checked: Checked, colours: Colours = PLAIN, system_columns: bool = False) -> str:
    return FORMATS[form].render(checked, colours=colours, system_columns=system_columns)
