"""Annotations, `-- @name: value` before a statement: all that exist, as data; help and checking come from here."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum

from velostream.config.property import Boolean, Choice, Condition, Duration, Integer, Kind, Number, Text
from velostream.diagnostics import Findings
from velostream.errors import InvalidProperty, VeloError
from velostream.registry import by_name, did_you_mean
from velostream.sql.annotation_values import Labels, Matching, Numbers, Percent
from velostream.sql.application import Annotation


class Scope(Enum):
    """What an annotation speaks of."""

    APPLICATION = "application"
    JOB = "job"
    EITHER = "application or job"


@dataclass(frozen=True, slots=True)
class AnnotationKind:
    """An annotation that exists. The first of a `group` may stand several times; the others belong to it."""

    name: str
    kind: Kind
    doc: str
    example: str
    scope: Scope = Scope.JOB
    aliases: tuple[str, ...] = ()
    group: str = ""

    @property
    def leads(self) -> bool:
        """True for the first of a group."""
        return self.group == self.name


_METRIC_NAME = Matching(r"[a-zA-Z_:][a-zA-Z0-9_:]*", "name of a metric", "letters, digits, _ and :, not a digit first")
_JOB_NAME = Matching(r"[A-Za-z_][A-Za-z0-9_.-]*", "name of a job", "letters, digits, _, - and ., a letter first")

KINDS: tuple[AnnotationKind, ...] = (
    AnnotationKind("name", _JOB_NAME, "names the job", "trade_counts"),
    AnnotationKind(
        "metric",
        _METRIC_NAME,
        "a Prometheus metric of the rows that the statement emits",
        "trades_total",
        group="metric",
    ),
    AnnotationKind(
        "metric_type",
        Choice(("counter", "gauge", "histogram")),
        "what kind of metric; counter unless said",
        "gauge",
        group="metric",
    ),
    AnnotationKind("metric_help", Text(), "the metric's help text", "trades seen so far", group="metric"),
    AnnotationKind(
        "metric_labels", Labels(), "columns whose values are the metric's labels", "symbol, venue", group="metric"
    ),
    AnnotationKind(
        "metric_field",
        Text(),
        "the column that a gauge shows, a histogram observes or a counter adds up",
        "price",
        group="metric",
    ),
    AnnotationKind(
        "metric_condition", Condition(), "only rows for which this SQL condition holds", "price > 100", group="metric"
    ),
    AnnotationKind(
        "metric_sample_rate", Number(0.000001, 1), "the share of rows that is looked at", "0.1", group="metric"
    ),
    AnnotationKind("metric_buckets", Numbers(), "the upper bounds of a histogram", "0.1, 0.5, 1, 5", group="metric"),
    AnnotationKind(
        "log", Text(), "writes a log line for each row that the statement emits", "large trade", group="log"
    ),
    AnnotationKind(
        "log_level", Choice(("debug", "info", "warning", "error")), "how loud; info unless said", "warning", group="log"
    ),
    AnnotationKind(
        "log_condition", Condition(), "only rows for which this SQL condition holds", "quantity > 1000", group="log"
    ),
    AnnotationKind("application", Text(), "the application's name", "trading", Scope.APPLICATION, aliases=("app",)),
    AnnotationKind("version", Text(), "the application's version", "1.2.0", Scope.APPLICATION),
    AnnotationKind(
        "description", Text(), "what the application does", "prices and volumes per second", Scope.APPLICATION
    ),
    AnnotationKind(
        "job_mode",
        Choice(("simple", "transactional", "adaptive")),
        "low latency, exactly once, or tuned to load",
        "transactional",
        Scope.EITHER,
    ),
    AnnotationKind("batch_size", Integer(1), "most records of one micro-batch", "1000", Scope.EITHER),
    AnnotationKind(
        "num_partitions",
        Integer(1),
        "buckets that the state is split into, fixed with the checkpoint",
        "8",
        Scope.EITHER,
    ),
    AnnotationKind(
        "partitioning_strategy",
        Choice(("hash", "sticky", "roundrobin", "fanin", "smart")),
        "how records are routed: by hash of the group keys, in turn without state (roundrobin), all into "
        "one (fanin), or by hash with combining (smart); by source partition (sticky) is refused when it is run",
        "hash",
        Scope.EITHER,
    ),
    AnnotationKind(
        "failure_strategy",
        Choice(("LogAndContinue", "SendToDLQ", "FailBatch", "RetryWithBackoff")),
        "what happens to a record that fails",
        "SendToDLQ",
        Scope.EITHER,
    ),
    AnnotationKind("max_retries", Integer(0), "how often RetryWithBackoff tries again", "3", Scope.EITHER),
    AnnotationKind("deployment.node_id", Text(), "the node, in logs and metrics", "node-1", Scope.EITHER),
    AnnotationKind(
        "deployment.node_name", Text(), "the node's name, in logs and metrics", "trading-east", Scope.EITHER
    ),
    AnnotationKind("deployment.region", Text(), "the region, in logs and metrics", "eu-central-1", Scope.EITHER),
    AnnotationKind("observability.metrics.enabled", Boolean(), "collects metrics", "true", Scope.EITHER),
    AnnotationKind("observability.tracing.enabled", Boolean(), "writes traces", "true", Scope.EITHER),
    AnnotationKind(
        "observability.profiling.enabled",
        Boolean(),
        "logs for each micro-batch how long its stages took",
        "false",
        Scope.EITHER,
    ),
    AnnotationKind(
        "sla.latency.p99", Duration(), "the latency that 99 of 100 batches should keep", "500ms", Scope.EITHER
    ),
    AnnotationKind("sla.availability", Percent(), "the share of time that the job should run", "99.9", Scope.EITHER),
)
"""Every annotation."""

BY_NAME: dict[str, AnnotationKind] = by_name(KINDS)
_SPELLINGS = {spelling: kind for kind in KINDS for spelling in (kind.name, *kind.aliases)}


def kind_of(name: str) -> AnnotationKind | None:
    """The annotation of that name or alias, in any letter case."""
    return _SPELLINGS.get(name.casefold())


def help_lines() -> list[tuple[str, str, str]]:
    """Name, doc and example of every annotation, for help and the reference page."""
    return [(f"@{kind.name}", kind.doc, f"-- @{kind.name}: {kind.example}") for kind in KINDS]


def value_of(annotation: Annotation) -> object:
    """The value that an annotation means, or an error that shows an example."""
    kind = BY_NAME[annotation.name]
    try:
        return kind.kind.parse(annotation.value)
    except VeloError as error:
        hint = error.hint or f"for example -- @{kind.name}: {kind.example}"
        message = f"annotation '@{kind.name}' takes a {kind.kind.name}: {error.message}"
        raise InvalidProperty(message, hint=hint, span=annotation.value_span, code="invalid-annotation") from None


def check(annotations: tuple[Annotation, ...], findings: Findings) -> tuple[Annotation, ...]:
    """Those that can be used; what is wrong with the others is in the findings."""
    seen: set[tuple[str, int]] = set()
    groups: dict[str, int] = {}
    spoiled: set[str] = set()
    good = []
    for annotation in annotations:
        kind = BY_NAME[annotation.name]
        if kind.leads:
            groups[kind.group] = groups.get(kind.group, 0) + 1
            spoiled.discard(kind.group)
        elif kind.group and kind.group not in groups:
            hint = f"put '-- @{kind.group}: …' before it"
            findings.error(
                "invalid-annotation", f"'@{kind.name}' belongs to no @{kind.group}", annotation.span, hint=hint
            )
            continue
        place = (kind.name, groups.get(kind.group, 0))
        if place in seen:
            message = f"'@{kind.name}' is given twice"
            findings.error("duplicate-annotation", message, annotation.span, hint="keep one of them")
            continue
        seen.add(place)
        try:
            value_of(annotation)
        except InvalidProperty as error:
            findings.refuse(error)
            spoiled.update({kind.group} if kind.leads else ())
            continue
        if kind.group not in spoiled:
            good.append(annotation)
    return tuple(good)


def unknown(name: str, *, has_colon: bool) -> tuple[str, str, str] | None:
    """Code, message and hint for a name that nobody reads; None for prose that only begins with @."""
    close = get_close_matches(name.casefold(), _SPELLINGS, n=1, cutoff=0.8)
    if not has_colon and not close:
        return None
    if not has_colon and kind_of(name):
        return (
            "invalid-annotation",
            f"'@{name}' has no value",
            f"write -- @{name}: {_SPELLINGS[name.casefold()].example}",
        )
    return (
        "unknown-annotation",
        f"annotation '@{name}' is not known",
        did_you_mean(name, _SPELLINGS) or "known are " + ", ".join(BY_NAME),
    )
