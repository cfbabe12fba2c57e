"""Event time: the field exists and can be read as a time; a window on the time of reading is probably not meant."""

from __future__ import annotations

from velostream.catalog.relation import Relation
from velostream.config.settings import Settings
from velostream.registry import did_you_mean
from velostream.types import Type
from velostream.validation.bound import BoundSelect, BoundSource, BoundStatement
from velostream.validation.rules.base import Look
from velostream.validation.walk import selects_of

_EPOCHS = ("epoch_millis", "epoch_seconds", "epoch")


def check(statement: BoundStatement, look: Look) -> None:
    """Checks event.time.field of every stream that is read, and warns where windows go by the time of reading."""
    if statement.query is None and statement.creates is not None and statement.creates.connector is not None:
        _field(statement.creates, look)
    for select in selects_of(statement.query):
        for member in select.inputs:
            if isinstance(member, BoundSource) and member.relation.connector is not None:
                _field(member.relation, look)
                _record_time(member, select, statement, look)


def _field(relation: Relation, look: Look) -> None:
    settings: Settings = relation.settings
    _ascending(settings, look)
    value = settings.value("event.time.field")
    if value is None or relation.schema.is_open:
        return
    place = value.origin.span or relation.span
    column = relation.schema.find(str(value.value).split(".")[0])
    if column is None:
        hint = did_you_mean(str(value.value), relation.schema.names, "columns")
        message = f"event.time.field of '{relation.name}' is '{value.value}', which is no column"
        look.findings.error("unknown-column", message, place, hint=hint)
        return
    form = settings.get("event.time.format")
    if "." not in str(value.value) and not _readable(column.type, str(form) if form else ""):
        message = f"event.time.field '{column.name}' is {column.type}, which cannot be read as a time"
        hint = "use a TIMESTAMP, epoch numbers or text"
        if form:
            hint = f"'event.time.format' = '{form}' does not fit {column.type}"
        look.findings.error("type-mismatch", message, place, hint=hint)


def _ascending(settings: Settings, look: Look) -> None:
    """A watermark at the newest event leaves no room for disorder."""
    delay = settings.find("watermark.max_out_of_orderness")
    if delay is not None and delay.value and settings.get("watermark.strategy") == "ascending":
        message = f"an ascending watermark allows no disorder, but 'watermark.max_out_of_orderness' is '{delay.text}'"
        hint = "remove one of them: bounded_out_of_orderness is the strategy that allows it"
        look.findings.error("conflicting-properties", message, delay.origin.span, hint=hint)


def _readable(kind: Type, form: str) -> bool:
    if not kind.is_known or kind.name == "STRING" or (kind.is_temporal and form not in _EPOCHS):
        return True
    return kind.is_numeric and (not form or form in _EPOCHS or form == "auto")


def _record_time(member: BoundSource, select: BoundSelect, statement: BoundStatement, look: Look) -> None:
    if select.window is None or select.window.time is not None or member.alias != select.primary:
        return
    settings: Settings = member.relation.settings
    processing = statement.settings.get("time.semantics") == "processing"
    if member.relation.read_back is not None:
        return  # the plan knows where its event time is, and refuses where that is nowhere
    if member.relation.connector.record_time or settings.get("event.time.field") is not None or processing:
        return
    message = f"'{member.alias}' has no record time, so the window goes by the time of reading"
    hint = f"set '{member.alias}.event.time.field' to the column that tells when it happened"
    look.findings.warning("no-record-time", message, select.window.span, hint=hint)
