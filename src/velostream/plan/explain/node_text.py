"""What each node says of itself in words: a title, and what is worth knowing about it."""

from __future__ import annotations

from velostream import sizes
from velostream.durations import show
from velostream.plan.explain import words
from velostream.plan.explain.places import place_text
from velostream.plan.explain.words import listed
from velostream.plan.fields import Field
from velostream.plan.nodes import (
    Aggregate,
    Deduplicate,
    Distinct,
    Filter,
    Headers,
    JoinStreams,
    JoinTable,
    Materialise,
    OrderLimit,
    Print,
    Project,
    ReadStream,
    RowWindows,
    Scan,
    Sinks,
    SinkTarget,
    SubqueryCheck,
    TableScan,
    TopN,
    Union,
    Unnest,
    Values,
)
from velostream.plan.nodes.filter import EARLY, HAVING, MARK, WITHDRAW
from velostream.plan.nodes.order_limit import BOUNDED, CONSOLE, PER_WINDOW, STOPS
from velostream.plan.nodes.table_scan import BROADCAST
from velostream.plan.visitor import Visitor

Details = list[tuple[str, str]]
TEXT: Visitor[tuple[str, Details]] = Visitor("explain text")
"""A node's title, and its details as (label, text) pairs; a label may be empty."""


@TEXT.on(Scan)
def _scan(node: Scan) -> tuple[str, Details]:
    more = " and those inferred at the first start" if node.infers else ""
    back = node.read_back
    details = [
        *([("read back", f"from sink {back.sink} of job {back.job}")] if back is not None else []),
        *_place(node.settings),
        *_columns(node.columns, node.alias, more),
        ("event time", words.event_time_text(node.event_time)),
    ]
    if node.time:
        details.append(("watermark", words.watermark_text(node.watermark)))
    if node.changelog:
        details.append(("changelog", f"rows are replaced and withdrawn by {listed(node.key, 'their key')}"))
    if node.way is not None:
        details.append(("read by", f"{_WAYS[node.way.kind]} ({node.way.reason})"))
    ends = ", bounded" if node.ends else ""
    return f"Scan {_aliased(node.source, node.alias)} [{node.connector}{ends}]", details


_WAYS = {
    "spark": "Spark's own source",
    "source": "Velostream's source, row by row",
    "worker": "Velostream's source, combined in the worker",
    "mixed": "its source, combined in the worker before it is decoded",
}


def _place(settings: object) -> Details:
    place = place_text(settings)
    return [("reads", place)] if place else []


def _columns(members: tuple[Field, ...], alias: str, more: str = "") -> Details:
    """What is read, without the alias: columns, and the system columns that travel along."""
    names = [(member.name.removeprefix(f"{alias}."), member.system) for member in members]
    columns = [("columns", listed((name for name, system in names if not system), "none") + more)]
    system = listed(name for name, system in names if system)
    return columns + ([("system columns", system)] if system else [])


def _aliased(name: str, alias: str) -> str:
    return name if name == alias else f"{name} AS {alias}"


@TEXT.on(TableScan)
def _table_scan(node: TableScan) -> tuple[str, Details]:
    origin = f"made by {node.statement}" if node.statement else node.connector
    details = [] if node.statement else _place(node.settings)
    details += _columns(node.columns, node.alias)
    details += [("key", listed(node.key))] if node.key else []
    details += [("size", f"{node.size:,} bytes")] if node.size is not None else []
    details += [("refresh", node.refresh)] if node.refresh else []
    details += [("versions by", node.version_time)] if node.version_time else []
    return f"Table {_aliased(node.table, node.alias)} [{origin}]", details


@TEXT.on(ReadStream)
def _read_stream(node: ReadStream) -> tuple[str, Details]:
    details = _columns(node.columns, node.alias)
    details += [("early rows", "flow on")] if node.read_early else []
    return f"Stream {_aliased(node.stream, node.alias)} [stream of this application]", details


@TEXT.on(Values)
def _values(node: Values) -> tuple[str, Details]:
    rows = len(node.rows)
    return f"Values ({rows} row{'' if rows == 1 else 's'})", [("", listed(row)) for row in node.rows if row]


@TEXT.on(Filter)
def _filter(node: Filter) -> tuple[str, Details]:
    word = {HAVING: "HAVING", EARLY: "Only rows that are not early:"}.get(node.origin, "Filter")
    details: Details = []
    if node.mode == MARK:
        details.append(("", "marks rows instead of removing them: their event time still moves the watermark"))
    if node.mode == WITHDRAW:
        details.append(("", "a row that no longer meets it is withdrawn"))
    return f"{word} {node.condition}", details


@TEXT.on(Project)
def _project(node: Project) -> tuple[str, Details]:
    shown = [column for column in node.columns if not column.system]
    carried = [column for column in node.columns if column.system and column.is_renamed]
    computed = [column for column in node.columns if column.system and not column.is_renamed]
    details = [("", listed(map(words.column_text, shown)))] if shown else []
    details += [("", "all columns inferred at the first start")] if node.star else []
    details += [("computes", listed(map(words.column_text, computed)))] if computed else []
    details += [("carries", listed(map(words.column_text, carried)))] if carried else []
    if node.sets_time:
        marks = dict.fromkeys(words.watermark_text(scan.watermark) for scan in node.walk() if isinstance(scan, Scan))
        details += [("watermark", f"by {node.time}: {mark}") for mark in marks]
    return "Project", details


@TEXT.on(Unnest)
def _unnest(node: Unnest) -> tuple[str, Details]:
    outer = " OUTER" if node.outer else ""
    columns = listed(member.name for member in node.columns)
    return f"{node.function.upper()}{outer} {listed(node.arguments)}", [("columns", columns)]


@TEXT.on(JoinTable)
def _join_table(node: JoinTable) -> tuple[str, Details]:
    details: Details = [("also", str(condition)) for condition in node.residual]
    if node.as_of is not None:
        details.append(("version", f"newest at {node.as_of}; a row waits until the table has come so far"))
    details.append(("without a match", _missing(node)))
    if not node.left.static:
        details.append(("looked up", _looked_up(node)))
    if node.keeps_state:
        details.append(("state", "rows that wait, which hold the watermark"))
    left = "table" if node.left.static else "stream"
    return f"{node.kind} JOIN {left}-table ON {listed(node.keys, 'nothing (every row meets every row)')}", details


def _looked_up(node: JoinTable) -> str:
    most = sizes.show(BROADCAST)
    if node.keeps_state:
        return "in the operator, in the rows of its bucket"
    if node.broadcast is None:
        return f"in every task (broadcast) up to {most}, else by shuffled keys"
    if node.broadcast:
        return "in every task (broadcast)" + ("" if node.keys else ": without a key every row meets every row")
    return f"by shuffled keys: the table is larger than {most}"


def _missing(node: JoinTable) -> str:
    missing = node.missing
    if missing.strategy == "use_defaults":
        text = f"use_defaults({listed(f'{name} = {value}' for name, value in missing.defaults)})"
    elif missing.strategy == "wait_and_retry":
        text = f"wait_and_retry({missing.retries}, {show(missing.delay)})"
    else:
        text = missing.strategy
    return text + (", marked 'unmatched'" if node.misses == MARK and missing.strategy == "skip_record" else "")


@TEXT.on(JoinStreams)
def _join_streams(node: JoinStreams) -> tuple[str, Details]:
    details: Details = []
    if node.bounds is not None:
        low, high = show(node.bounds.lower), show(node.bounds.upper)
        details.append(("time", f"{node.right_time} − {node.left_time} between {low} and {high}"))
    details += [("also", str(condition)) for condition in node.residual if condition not in node.asked_after]
    told = "asked after the join: records that fail nothing else count as in results"
    details += [("also", f"{condition} ({told})") for condition in node.asked_after]
    left, right = node.held
    held = f"left rows {show(left)}, right rows {show(right)}" if left is not None and right is not None else "all rows"
    details.append(("state", f"{held} of event time, by {listed(node.keys, 'nothing')}"))
    details.append(("late rows", f"{show(node.lateness.allowed)} allowed, then {node.lateness.strategy}"))
    return f"{node.kind} JOIN stream-stream ON {listed(node.keys, 'nothing')}", details


@TEXT.on(SubqueryCheck)
def _subquery_check(node: SubqueryCheck) -> tuple[str, Details]:
    details: Details = [("matching", str(condition)) for condition in node.conditions]
    details += [("without a row", str(node.empty))] if node.empty is not None else []
    details += [("in order of", ", ".join(map(str, node.order)))] if node.order else []
    details += [("of each", "distinct values")] if node.distinct else []
    details += [("of each", f"{node.fold} of the values")] if node.fold else []
    details += [("of each", f"the first {node.limit}" if node.limit != 1 else "the first")] if node.limit else []
    return f"Subquery {node.name}", details


@TEXT.on(Deduplicate)
def _deduplicate(node: Deduplicate) -> tuple[str, Details]:
    return f"Deduplicate by {listed(node.keys)}", [("state", _keys_kept(node.ttl))]


def _keys_kept(ttl: int | None) -> str:
    return "keys are kept for ever" if ttl is None else f"keys are kept {show(ttl)} of event time"


@TEXT.on(Union)
def _union(node: Union) -> tuple[str, Details]:
    return f"Union of {len(node.inputs)}", [("", listed(member.name for member in node.fields.visible))]


@TEXT.on(Aggregate)
def _aggregate(node: Aggregate) -> tuple[str, Details]:
    keys = listed(map(words.column_text, node.keys), "nothing")
    title = f"Aggregate by {keys}"
    details: Details = []
    if node.window is not None:
        title += f" in {words.window_text(node.window, node.input.time)}"
    if node.implicit:
        details.append(("grouping", "from the plain columns of the select list; GROUP BY was not written"))
    details.append(("computes", listed(map(words.call_text, node.calls), "nothing")))
    if node.static:
        return title, [*details, ("", "of a table, as a whole for each version of it")]
    details.append(("emits", words.emission_text(node)))
    if node.window is not None:
        details.append(("late records", words.lateness_text(node.lateness)))
        details.append(("state", f"each window until its end + {show(node.lateness.allowed)}"))
        if node.remembers:
            details.append(("", f"the last window of each group is {words.ttl_text(node.state_ttl)}"))
    else:
        details.append(("state", f"each group is {words.ttl_text(node.state_ttl)}"))
    details += [("gaps", f"filled ({node.fill})")] if node.fill != "none" else []
    if node.replaces:
        details.append(("replaces", f"rows of the same {listed(node.replaces)}"))
    if node.combining is not None:
        how = "before the shuffle" if node.combining.before_shuffle else "in the operator"
        details.append(("combines", f"{how}: {node.combining.reason}"))
    return title, details


@TEXT.on(RowWindows)
def _row_windows(node: RowWindows) -> tuple[str, Details]:
    over = f"partition by {listed(node.partition, 'nothing')}"
    over += f", order by {listed(node.order)}" if node.order else ""
    details: Details = [("computes", listed(map(words.row_call_text, node.calls)))]
    if node.buffer is not None:
        expire = f", {show(node.buffer.expire_after)} of event time" if node.buffer.expire_after is not None else ""
        details.append(("buffer", f"{node.buffer.rows} rows per key{expire}"))
        details.append(("emits", node.buffer.emit))
    else:
        when = "the window closes" if node.per_window else "the watermark has passed its event time"
        details.append(("emits", f"a row when {when}, in event order"))
        kept = "each window until it closes" if node.per_window else f"each partition is {words.ttl_text(node.ttl)}"
        details.append(("state", kept))
    return f"RowWindows {over}", details


@TEXT.on(TopN)
def _top_n(node: TopN) -> tuple[str, Details]:
    if node.changes is not None:
        takes = "a change takes back what the row said before, a deletion the row"
        kept = f"a row of each key, {words.ttl_text(node.ttl)}"
        return f"Newest row of each {listed(node.partition)}", [("emits", takes), ("state", kept)]
    which = f"first {node.n} rows" if node.n > 1 else "first row"
    title = f"TopN {which} by {listed(node.order)} of each {listed(node.partition, 'all rows')}"
    details: Details = []
    if node.deduplicates:
        details.append(("", "recognised as deduplication"))
    how = "rows stay once they went out" if node.appends else "a better row withdraws one that went out"
    details.append(("emits", "when the window closes" if node.per_window else how))
    state = "each window until it is complete" if node.per_window else f"each partition is {words.ttl_text(node.ttl)}"
    details.append(("state", state))
    return title, details


@TEXT.on(Distinct)
def _distinct(node: Distinct) -> tuple[str, Details]:
    scope = "in each window" if node.per_window else f"rows are {words.ttl_text(node.ttl)}"
    return f"Distinct {listed(node.keys)}", [("state", scope)]


@TEXT.on(OrderLimit)
def _order_limit(node: OrderLimit) -> tuple[str, Details]:
    parts = [f"Order by {listed(node.order)}"] if node.order else []
    parts += [f"limit {node.limit}"] if node.limit is not None else []
    scope = {
        PER_WINDOW: "in each window, over all groups",
        BOUNDED: "once, over all rows",
        STOPS: "the job ends after so many rows",
        CONSOLE: "shown anew with every change",
    }[node.scope]
    title = ", ".join(parts)
    return title[0].upper() + title[1:], [("", scope)]


@TEXT.on(Headers)
def _headers(node: Headers) -> tuple[str, Details]:
    edits = [f"set {e.key} = {e.value}" if e.value is not None else f"remove {e.key}" for e in node.edits]
    return "Headers", [("", listed(edits))]


@TEXT.on(Sinks)
def _sinks(node: Sinks) -> tuple[str, Details]:
    return f"Sink{'s' if len(node.targets) > 1 else ''}", [("", _target(target)) for target in node.targets]


def _target(target: SinkTarget) -> str:
    form = f" {target.format}" if target.format else ""
    place = place_text(target.settings)
    parts = [f"{target.name} [{target.connector}{form}]" + (f" to {place}" if place else "")]
    parts.append(f"{target.writes.value}s" if target.writes else "")
    window = [name for name in target.identity if name not in target.key]
    within = f" with {listed(window)}" if window else ""
    parts.append(f"key {listed(target.key)}{within}" if target.key else "no key")
    if target.added:
        parts.append(f"{listed(target.added)} added")
    return f"{', '.join(parts)}: {target.guarantee.value}"


@TEXT.on(Materialise)
def _materialise(node: Materialise) -> tuple[str, Details]:
    if node.static:
        return f"Table {node.table}, one row per {listed(node.key)}", []
    details = [("versions by", node.version)] if node.version else []
    return f"Table {node.table}, newest row per {listed(node.key)}", details


@TEXT.on(Print)
def _print(node: Print) -> tuple[str, Details]:
    return "Print", []
