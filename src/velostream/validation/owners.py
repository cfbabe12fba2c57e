"""Whose settings a statement holds: its sources, tables, streams and sinks, and the job's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from sqlglot import exp

from velostream.catalog.properties import declared_keys, join_keys, sink_keys, source_keys, stream_keys, table_keys
from velostream.catalog.relation import ReadBack, Relation
from velostream.config.connections.address import read_address
from velostream.config.job import JOB, scoped
from velostream.config.origin import Entry, written
from velostream.config.owner import Look, Owner
from velostream.config.property import Known, Scope
from velostream.config.resolve import Resolved, resolve
from velostream.config.settings import Settings
from velostream.config.windowing import NamedWindow
from velostream.diagnostics import Findings
from velostream.errors import VeloError
from velostream.positions import Span
from velostream.sinks import sink_at
from velostream.sources import source_at
from velostream.sql import statements as sql
from velostream.sql.application import Annotation
from velostream.sql.nodes import Location, StreamTable
from velostream.sql.spans import span_of
from velostream.validation.declarations import declared_schema, watermark_entries
from velostream.validation.inputs import short_name
from velostream.validation.read_back import as_source, asked_sink, owner_of
from velostream.validation.units import Unit, name_of
from velostream.validation.windows import check_named

if TYPE_CHECKING:
    from velostream.validation.bind import ApplicationBinder


class StatementSettings:
    """The settings of one statement. After `resolve`, `job` and `owners` hold what is in force."""

    def __init__(self, unit: Unit, binder: ApplicationBinder, findings: Findings) -> None:
        self.unit = unit
        self.binder = binder
        self.findings = findings
        self.names: dict[str, str] = {}
        """The owner's name of each relation that the statement reads or makes, by its own name in small letters."""
        self.sinks: dict[str, str] = {}
        """The same of what it writes, which may be an address that it reads too."""
        self.places: dict[Span, Span] = {}
        """Where the value of each setting stands."""
        self.refused: set[str] = set(binder.unread)
        """Addresses and names of what could not be read, its settings or its statement: that has been said."""
        self.read_back: dict[str, ReadBack] = {}
        """The streams of other statements that are read back from their sinks, by their names in small letters."""
        self.resolved: Resolved | None = None

    @property
    def job(self) -> Settings:
        """The job's settings."""
        assert self.resolved is not None
        return self.resolved.job

    @property
    def owners(self) -> Mapping[str, Settings]:
        """Settings by the owner's name in small letters."""
        assert self.resolved is not None
        return self.resolved.owners

    @property
    def windows(self) -> Mapping[str, NamedWindow]:
        """The windows that the settings name."""
        assert self.resolved is not None
        return self.resolved.windows

    def of(self, relation: str) -> Settings | None:
        """The settings of a relation or address that the statement names."""
        name = self.names.get(relation.casefold())
        return self.owners.get(name.casefold()) if name is not None else None

    def of_sink(self, target: str) -> Settings | None:
        """The settings of a sink or address that the statement writes: it may read the same one with others."""
        name = self.sinks.get(target.casefold())
        return self.owners.get(name.casefold()) if name is not None else None

    def resolve(self) -> StatementSettings:
        """Resolves; a source that nothing is said about is no owner, so that it is reported as unknown."""
        entries = self._entries()
        owners = self._owners()
        trial = resolve(entries, owners, self.binder.around, Findings())
        owners = [self._read_back(owner, trial) for owner in owners]
        kept = [owner for owner in owners if self._counts(owner, trial)]
        self.refused |= {name for name in trial.doubtful if "type" not in trial.owners[name].values}
        self.resolved = resolve(entries, kept, self.binder.around, self.findings)
        check_named(self.resolved.windows, self.findings)
        return self

    def _counts(self, owner: Owner, trial: Resolved) -> bool:
        declared = self.unit.query is None and owner.name == self.unit.creates
        said = owner.base or owner.given or trial.owners[owner.name.casefold()].values
        stands = owner.scope in (Scope.STREAM, Scope.TABLE) and owner.choose is not join_keys
        return bool(declared or said) or stands

    def _read_back(self, owner: Owner, trial: Resolved) -> Owner:
        """The owner; that of a stream which is read back from its sink as a source that reads what the sink writes."""
        if owner.scope is not Scope.STREAM:
            return owner
        relation = self.binder.relations[owner.name.casefold()]
        maker = self.binder.bound.get(relation.statement.casefold())
        sink = asked_sink(trial.owners[owner.name.casefold()], maker) if maker is not None else None
        base = as_source(sink, owner.name) if sink is not None else None
        if maker is None or sink is None or base is None:
            return owner
        self.read_back[owner.name.casefold()] = ReadBack(maker.name, sink.name, sink.settings)
        return owner_of(owner, base)

    def _entries(self) -> list[Entry]:
        """What WITH says, what SET and the command line say, and what annotations say."""
        query = self.unit.query
        clause = query.args.get("settings") if query is not None else None
        clause = clause or self.unit.tree.args.get("settings")
        entries = list(self.binder.sessions[self.unit.key])
        for setting in clause.expressions if clause is not None else []:
            span = span_of(setting)
            self.places[span] = span_of(setting.expression)
            key = self._declared_key(setting.property_name, span)
            if key:
                entries.append(written(key, setting.expression.name, span))
        for annotation in self.unit.parsed.annotations:
            if JOB.find(annotation.name) is not None:
                entries.append(written(annotation.name, _annotated(annotation), annotation.span))
        return entries

    def _declared_key(self, key: str, span: Span) -> str:
        """In a declaration every key is the declared stream's own; what only a job can have is refused."""
        name = self.unit.creates
        if self.unit.query is not None or not name or key.casefold().startswith(f"{name.casefold()}."):
            return key
        declared = JOB.find(key)
        outside = (Scope.SOURCE, Scope.TABLE, Scope.SINK)
        if declared is not None and not any(scope in declared[0].scopes for scope in outside):
            message = f"'{key}' is a setting of jobs, and a declaration is none"
            hint = "put it into the statement that reads the stream, or SET it"
            self.findings.error("unknown-property", message, span, hint=hint)
            return ""
        return f"{name}.{key}"

    def _owners(self) -> list[Owner]:
        owners: dict[str, Owner] = {}
        if self.unit.creates:
            owner = self._created()
            if owner is not None:
                owners[owner.name.casefold()] = owner
        for name, table in self.unit.reads.items():
            owner = _apart(self._read(name, table), table, owners)
            self.names[name.casefold()] = owner.name
            owners.setdefault(owner.name.casefold(), owner)
        for table in self.unit.writes:
            owner = _apart(self._written(table), table, owners)
            self.sinks[name_of(table).casefold()] = owner.name
            owners.setdefault(owner.name.casefold(), owner)
        for owner in self._joined():
            owners.setdefault(owner.name.casefold(), owner)
        return list(owners.values())

    def _joined(self) -> Iterator[Owner]:
        """What is joined, by its alias: one table may be joined twice, each time in another way."""
        for node in self.unit.query.find_all(exp.From, exp.Join) if self.unit.query is not None else ():
            if node.this.alias:
                yield Owner(node.this.alias, Scope.TABLE, join_keys, span_of(node.this))

    def _created(self) -> Owner | None:
        """CREATE x: a declaration owns source or sink properties, a query those of a table or of a sink of its name."""
        name, tree = self.unit.creates, self.unit.tree
        span = span_of(tree.this)
        self.names[name.casefold()] = name
        if self.unit.query is not None:
            is_table = created_kind(tree) == "TABLE"
            return Owner(name, Scope.TABLE if is_table else Scope.SINK, table_keys if is_table else sink_keys, span)
        parts = list(tree.args.get("columns") or [])
        given = watermark_entries(parts, declared_schema(parts, Findings()), self.findings)
        is_table = created_kind(tree) == "TABLE"
        scope, keys = (Scope.TABLE, declared_table_keys) if is_table else (Scope.SOURCE, declared_keys)
        return Owner(name, scope, keys, span, given=given)

    def _read(self, name: str, table: exp.Table) -> Owner:
        span = span_of(table.this)
        if isinstance(table.this, Location):
            return self._address(table, Scope.SOURCE)
        given = self._delay(table)
        relation = self.binder.relations.get(name.casefold())
        if relation is None:
            return Owner(name, Scope.SOURCE, source_keys, span, given=given)
        if relation.statement:
            scope, keys = (Scope.TABLE, table_keys) if relation.is_table else (Scope.STREAM, stream_keys)
            return Owner(relation.name, scope, keys, span, given=given)
        # A declaration without a type has been refused already: it is not asked for again.
        typed = relation.settings is not None and relation.settings.find("type") is not None
        base = relation.settings if typed else None
        scope, keys = (Scope.TABLE, table_keys) if relation.is_table else (Scope.SOURCE, source_keys)
        return Owner(relation.name, scope, keys, span, base=base, given=given)

    def _delay(self, table: exp.Table) -> tuple[Entry, ...]:
        """`FROM s WATERMARK ts DELAY OF d` as properties."""
        clause = table.args.get("watermark") if isinstance(table, StreamTable) else None
        if clause is None:
            return ()
        span = span_of(clause)
        delay = str(clause.expression.this)
        return written("event.time.field", clause.this.name, span), written(
            "watermark.max_out_of_orderness", delay, span
        )

    def _written(self, table: exp.Table) -> Owner:
        if isinstance(table.this, Location):
            return self._address(table, Scope.SINK)
        name = name_of(table)
        relation: Relation | None = self.binder.relations.get(name.casefold())
        base = relation.settings if relation is not None and not relation.statement else None
        return Owner(name, Scope.SINK, sink_keys, span_of(table.this), base=base)

    def _address(self, table: exp.Table, scope: Scope) -> Owner:
        address, span = name_of(table), span_of(table.this)
        name = table.alias or short_name(address)
        keys = source_keys if scope is Scope.SOURCE else sink_keys
        try:
            read = read_address(address)
            connector = source_at(read) if scope is Scope.SOURCE else sink_at(read)
        except VeloError as error:
            self.findings.refuse(error, span)
            self.refused.add(address.casefold())
            return Owner(name, scope, keys, span)
        given = [written("type", connector.name, span), *(written(key, text, span) for key, text in read.settings)]
        return Owner(name, scope, keys, span, given=tuple(given))


def _apart(owner: Owner, table: exp.Table, others: Mapping[str, Owner]) -> Owner:
    """What an address names is none of the others, although it may be called like one of them."""
    if not isinstance(table.this, Location) or owner.name.casefold() not in others:
        return owner
    ending = "source" if owner.scope is Scope.SOURCE else "sink"
    names = (f"{owner.name}_{ending}{number or ''}" for number in count())
    return replace(owner, name=next(name for name in names if name.casefold() not in others))


def _annotated(annotation: Annotation) -> str:
    """The value as a property has it: annotations write percentages without the sign."""
    is_share = annotation.name == "sla.availability" and not annotation.value.rstrip().endswith("%")
    return f"{annotation.value}%" if is_share else annotation.value


def declared_table_keys(look: Look) -> Known:
    """What `CREATE TABLE x (…) WITH (…)` may set: what a declaration may, and what tables have."""
    return declared_keys(look).union(Known(scoped(Scope.TABLE)))


def created_kind(tree: sql.Statement) -> str:
    """STREAM, TABLE or VIEW."""
    return str(tree.args["kind"]).upper()
