"""From a parsed file to a bound one: statements in an order that works, with settings, names and types resolved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from velostream.catalog.dependencies import order
from velostream.catalog.relation import Relation, RelationKind
from velostream.config.keys import fold
from velostream.config.origin import Entry, session
from velostream.config.resolve import resolve
from velostream.config.running import CONFIG_FILE
from velostream.diagnostics import Findings
from velostream.sql import statements as sql
from velostream.sql.application import Application, ParsedStatement
from velostream.sql.spans import span_of
from velostream.validation.bound import BoundApplication, BoundQuery, BoundSelect, BoundStatement, BoundSubquery
from velostream.validation.columns import KEPT, record_columns_of
from velostream.validation.commands import check_names
from velostream.validation.context import Context
from velostream.validation.corrections import corrects
from velostream.validation.declare import Declarer
from velostream.validation.emission import bind_emission
from velostream.validation.inputs import is_static
from velostream.validation.keys import message_key
from velostream.validation.metrics import bind_logs, bind_metrics
from velostream.validation.owners import StatementSettings
from velostream.validation.select import SelectBinder, bind_query
from velostream.validation.targets import bind_sinks, check_insert, fit_columns
from velostream.validation.units import Unit, effective, name_of, units_of, unread
from velostream.validation.walk import selects_of
from velostream.validation.window_times import window_times
from velostream.validation.windows import check_named

if TYPE_CHECKING:
    from velostream.config.resolve import Surroundings
    from velostream.functions.library import Library


class ApplicationBinder:
    """Binds the statements of one file. `relations` grows as they are bound, keyed by name in small letters."""

    def __init__(
        self,
        application: Application,
        around: Surroundings,
        library: Library,
        given: Sequence[Entry],
        folder: Path,
    ) -> None:
        self.application = application
        self.folder = folder
        self.around = around
        self.findings = application.findings
        self.library = library
        self.given = list(given)
        self.units = effective(units_of(application))
        self.relations: dict[str, Relation] = {}
        self.created: dict[str, Unit] = {}
        self.unread: set[str] = set()
        """What statements would create that could not be parsed, in small letters."""
        self.views: dict[str, BoundQuery] = {}
        """Views over tables alone, in small letters: who names one asks its query, as if it stood there."""
        self.bound: dict[str, BoundStatement] = {}
        """What has been bound so far, by the statement's name in small letters."""
        self.sessions: dict[str, list[Entry]] = {}
        """What the command line and SET say for each statement."""

    def bind(self) -> BoundApplication:
        """All statements; what cannot be bound is left out, with findings."""
        self._collect_names()
        for kind, name, parsed in unread(self.application):
            self.unread.add(name.casefold())
            self._remember(kind, name, parsed)
        self.around.names = self._all_names()
        self._collect_sessions()
        bound = self.bound
        for unit in self._ordered():
            statement = self._statement(unit)
            if statement is not None:
                bound[unit.key] = statement
        for name in self.around.environment.unused():
            hint = "nothing asks for it: correct its name, or unset it"
            self.findings.warning("unknown-property", f"environment variable '{name}' sets nothing", hint=hint)
        in_file = [bound[unit.key] for unit in self.units if unit.key in bound]
        ranked = {key: rank for rank, key in enumerate(bound)}
        in_order = sorted(in_file, key=lambda statement: ranked[statement.name.casefold()])
        return BoundApplication(self.application.header.name, tuple(in_order), dict(self.relations))

    def _collect_names(self) -> None:
        for unit in self.units:
            if not unit.creates:
                continue
            key = unit.creates.casefold()
            if key in self.created:
                line = self.created[key].parsed.span.line
                message = f"'{unit.creates}' is created twice; the first time in line {line}"
                findings = self.findings.at(unit.parsed.name)
                findings.error(
                    "duplicate-name", message, span_of(unit.tree.this), hint="rename one, or CREATE OR REPLACE"
                )
            self.created.setdefault(key, unit)

    def _collect_sessions(self) -> None:
        """SET holds for the statements behind it; one that is wrong is said once, and holds for none."""
        current = list(self.given)
        for unit in self.units:
            self.sessions[unit.key] = list(current)
            if isinstance(unit.tree, sql.SetProperty):
                setting = unit.tree.this
                entry = session(setting.property_name, setting.expression.name, span_of(setting))
                found = self.findings.at(unit.parsed.name)
                before = len(found.errors)
                check_named(resolve([entry], (), self.around, found).windows, found)
                # What is right in a configuration file holds, beside what is wrong in it.
                if len(found.errors) == before or fold(entry.key) == CONFIG_FILE.name:
                    current.append(entry)

    def _all_names(self) -> tuple[str, ...]:
        names = dict.fromkeys(name for unit in self.units for name in (unit.creates, *unit.reads) if name)
        names |= dict.fromkeys(name_of(table) for unit in self.units for table in unit.writes)
        return tuple(names)

    def _ordered(self) -> list[Unit]:
        """Each unit after those that it reads; circles are said, and left out."""
        by_key = {unit.key: unit for unit in self.units}
        reads = {
            unit.key: [self.created[name.casefold()].key for name in unit.reads if name.casefold() in self.created]
            for unit in self.units
        }
        answer = order(reads)
        circular = {key for cycle in answer.cycles for key in cycle}
        for key in circular:
            self._remember_unbound(by_key[key])
        for cycle in answer.cycles:
            unit = by_key[cycle[0]]
            shown = " → ".join(by_key[key].parsed.name for key in cycle)
            place = next((table for name, table in unit.reads.items() if name.casefold() in self.created), None)
            findings = self.findings.at(unit.parsed.name)
            findings.error(
                "cyclic-dependency",
                f"statements read each other in a circle: {shown}",
                span_of(place) if place is not None else unit.parsed.span,
                hint="let one of them read from a topic or file that another job writes",
            )
        return [by_key[key] for key in answer.names if key not in circular]

    def _statement(self, unit: Unit) -> BoundStatement | None:
        findings = self.findings.at(unit.parsed.name)
        tree = unit.tree
        if unit.query is None and not isinstance(tree, (sql.CreateRelation, sql.InsertInto)):
            check_names(tree, self.created, self.relations, findings)
            return BoundStatement(unit.parsed, unit.parsed.name)
        settings = StatementSettings(unit, self, findings).resolve()
        if unit.query is None and isinstance(tree, sql.CreateRelation):
            relation = Declarer(self.folder, findings).relation(unit, tree, settings)
            self.relations[unit.creates.casefold()] = relation
            return BoundStatement(unit.parsed, unit.parsed.name, creates=relation, settings=settings.job)
        return self._with_query(unit, settings, findings)

    def _with_query(self, unit: Unit, settings: StatementSettings, findings: Findings) -> BoundStatement | None:
        readable = {**self.relations, **Declarer(self.folder, findings).sources(unit, settings, self.relations)}
        context = Context(
            findings,
            self.library,
            settings.job,
            readable,
            owner_settings=settings.owners,
            named_windows=settings.windows,
            places=settings.places,
            refused=settings.refused,
            positional=isinstance(unit.tree, sql.InsertInto),
            ctes=dict(self.views),
        )
        query = None
        if unit.query is not None:
            answer = bind_query(unit.query.this, context)
            if answer is None:
                self._remember_unbound(unit)
                return None
            query = answer[0]
            if not isinstance(query, BoundSelect):
                emits = list(unit.query.args.get("emits") or [])
                binder = SelectBinder(context).rows
                windowed = all(select.window is not None for select in selects_of(query))
                grouped = all(select.aggregated for select in selects_of(query))
                query = replace(
                    query, emission=bind_emission(emits, binder, context, windowed=windowed, grouped=grouped)
                )
        if query is not None and unit.creates:
            query = fit_columns(unit, query, findings)
        sinks = bind_sinks(unit, settings, self.relations, findings)
        query = check_insert(unit, query, self.relations, context)
        creates = self._created(unit, query, context) if unit.creates and query is not None else None
        return BoundStatement(
            unit.parsed,
            unit.parsed.name,
            query,
            creates,
            sinks,
            context.settings,
            dict(settings.owners),
            bind_metrics(unit, query, context) if query is not None else (),
            bind_logs(unit, query, context) if query is not None else (),
            tuple(self.created[name.casefold()].parsed.name for name in unit.reads if name.casefold() in self.created),
            is_job=bool(sinks) or creates is None or creates.is_table,
        )

    def _remember_unbound(self, unit: Unit) -> None:
        if unit.creates:
            self._remember(str(unit.tree.args["kind"]).upper(), unit.creates, unit.parsed)

    def _remember(self, word: str, name: str, parsed: ParsedStatement) -> None:
        """A stream that cannot be bound is still a name: its readers are not told that it is unknown."""
        from velostream.catalog.schema import Schema

        kind = RelationKind.TABLE if word == "TABLE" else RelationKind.STREAM
        self.relations[name.casefold()] = Relation(name, kind, Schema((), is_open=True), parsed.name)

    def _created(self, unit: Unit, query: BoundQuery, context: Context) -> Relation:
        kind = RelationKind.TABLE if str(unit.tree.args["kind"]).upper() == "TABLE" else RelationKind.STREAM
        windowed = any(select.window is not None for select in selects_of(query))
        relation = Relation(
            unit.creates,
            kind,
            query.schema,
            unit.parsed.name,
            record_columns=KEPT if kind is RelationKind.TABLE else record_columns_of(query),
            key=message_key(query),
            bounded=query.bounded,
            revises=corrects(query, context.settings),
            windowed=windowed,
            span=span_of(unit.tree.this),
            window_times=tuple((name, *distance) for name, distance in window_times(query).items()),
        )
        self.relations[unit.creates.casefold()] = relation
        word = str(unit.tree.args["kind"]).upper()
        if word == "VIEW" and not unit.writes and is_static(BoundSubquery(unit.creates, query, query.span)):
            self.views[unit.creates.casefold()] = query
        return relation


def bind(
    application: Application, around: Surroundings, library: Library, given: Sequence[Entry], folder: Path
) -> BoundApplication:
    """The bound form of a parsed file; all problems go to the file's findings."""
    return ApplicationBinder(application, around, library, given, folder).bind()
