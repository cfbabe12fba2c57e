"""Statements about jobs, carried out: each leads to the verb that REST and the command line use too."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from velostream.errors import VeloError
from velostream.server import asking
from velostream.server.api.answers import job_views
from velostream.server.control import Control, Meant
from velostream.server.deploying import Wish, deploy
from velostream.server.models.asking import SqlResult
from velostream.server.planning import Refused
from velostream.server.returning import rollback
from velostream.sql import statements as tree
from velostream.sql.application import ParsedStatement
from velostream.sql.parse import ended, parse
from velostream.typed_rows import kinds_of, said

_DECLARES = (tree.CreateRelation, tree.SetProperty)


def carry_out(control: Control, text: str, app: str = "") -> list[SqlResult]:
    """Carries all statements of a text out; one that cannot be parsed keeps all from being."""
    parsed = parse(text, "sql")
    if parsed.findings.errors:
        first = parsed.findings.errors[0]
        raise Refused(first.message, parsed.findings.ordered(), hint=first.hint, code=first.code)
    declared: list[ParsedStatement] = []
    results = []
    for statement in parsed.statements:
        if isinstance(statement.tree, _DECLARES):
            declared.append(statement)
            continue
        results.append(_one(control, statement, declared, app))
    if not results:
        hint = "put START JOB name AS … behind it, or deploy the text as an application: POST /api/v1/apps"
        raise VeloError("a declaration alone starts nothing", hint=hint, code="unsupported")
    return results


def _one(control: Control, statement: ParsedStatement, declared: list[ParsedStatement], app: str) -> SqlResult:
    kind = type(statement.tree)
    carry = _CARRY.get(kind)
    if carry is None:
        hint = "deploy it as part of an application: velo deploy FILE, or START JOB name AS …"
        word = statement.text.split(None, 1)[0].upper()
        raise VeloError(f"the server does not carry {word} out by itself", hint=hint, code="unsupported")
    return carry(control, statement, declared, app)


def _start(control: Control, statement: ParsedStatement, declared: list[ParsedStatement], app: str) -> SqlResult:
    name = statement.tree.this.name  # type: ignore[union-attr]
    if control.registry.active(control.spelled(name)) is not None:
        hint = f"DEPLOY JOB {name} VERSION '…' AS … puts another version in its place"
        raise VeloError(f"there is a job '{name}' already", hint=hint, code="job-state")
    return _deployed(control, statement, declared, Wish(name, ""))


def _deploy(control: Control, statement: ParsedStatement, declared: list[ParsedStatement], app: str) -> SqlResult:
    node = statement.tree
    assert node is not None
    percent = node.args.get("percent")
    wish = Wish(
        node.this.name,
        "",
        node.args["version"].name,
        str(node.args.get("strategy") or "REPLACE"),
        None if percent is None else int(percent.name),
    )
    return _deployed(control, statement, declared, wish)


def _deployed(
    control: Control, statement: ParsedStatement, declared: Iterable[ParsedStatement], wish: Wish
) -> SqlResult:
    """Deploys an application of what was declared before and the statement itself, annotations and all."""
    from dataclasses import replace

    new = deploy(control, replace(wish, sql=_text((*declared, statement))))
    return _said(statement, f"version '{new.version}' of '{new.app}' is deployed")


def _written(statement: ParsedStatement) -> str:
    annotations = "".join(f"-- @{each.name}: {each.value}\n" for each in statement.annotations)
    return annotations + statement.text


def _control(control: Control, statement: ParsedStatement, declared: list[ParsedStatement], app: str) -> SqlResult:
    node = statement.tree
    assert node is not None
    name, action = node.this.name, str(node.args["action"]).upper()
    if action == "STOP":
        meant = control.stop(name, force=bool(node.args.get("force")))
    else:
        verbs: dict[str, Callable[..., Meant]] = {
            "PAUSE": control.pause,
            "RESUME": control.resume,
            "FLUSH": control.flush,
        }
        meant = verbs[action](name)
    states = ", ".join(f"{job.name} {job.state}" for job in job_views(meant.seen, meant.job))
    return _said(statement, states or meant.seen.state)


def _rollback(control: Control, statement: ParsedStatement, declared: list[ParsedStatement], app: str) -> SqlResult:
    node = statement.tree
    assert node is not None
    version = node.args.get("version")
    new = rollback(control, node.this.name, version.name if version is not None else "")
    return _said(statement, f"'{new.app}' is back at version '{new.version}'")


def _show(control: Control, statement: ParsedStatement, declared: list[ParsedStatement], app: str) -> SqlResult:
    from velostream.server.showing import answered

    node = statement.tree
    assert isinstance(node, tree.Show | tree.Describe)
    return _rows(statement, *answered(control, node, statement.text, _text(declared), app))


def _explain(control: Control, statement: ParsedStatement, declared: list[ParsedStatement], app: str) -> SqlResult:
    return _rows(statement, ["plan"], [[line] for line in asking.explained(control, statement, _text(declared), app)])


def _query(control: Control, statement: ParsedStatement, declared: list[ParsedStatement], app: str) -> SqlResult:
    found = asking.asked(control, statement.text, app)
    shown, total = len(found["rows"]), found["total"]
    message = _counted(total) if shown == total else f"the first {shown:,} of {_counted(total)}: ask for fewer"
    return SqlResult(statement=_shown(statement), **found, message=message)


def _text(declared: Iterable[ParsedStatement]) -> str:
    return "".join(ended(_written(each)) for each in declared)


def _said(statement: ParsedStatement, message: str) -> SqlResult:
    return SqlResult(statement=_shown(statement), columns=[], types=[], rows=[], total=0, message=message)


def _rows(statement: ParsedStatement, columns: list[str], rows: list[list[Any]]) -> SqlResult:
    """Rows of values whose types nobody has declared."""
    kinds = kinds_of(rows, len(columns))
    told = [[said(value) for value in row] for row in rows]
    shown = _shown(statement)
    return SqlResult(
        statement=shown, columns=columns, types=kinds, rows=told, total=len(rows), message=_counted(len(rows))
    )


def _counted(rows: int) -> str:
    return f"{rows:,} row{'' if rows == 1 else 's'}"


def _shown(statement: ParsedStatement) -> str:
    from velostream.server.masking import masked_sql

    return masked_sql(statement.text)


_CARRY: dict[type, Callable[[Control, ParsedStatement, list[ParsedStatement], str], SqlResult]] = {
    tree.StartJob: _start,
    tree.DeployJob: _deploy,
    tree.ControlJob: _control,
    tree.RollbackJob: _rollback,
    tree.Show: _show,
    tree.Describe: _show,
    tree.Explain: _explain,
    tree.Query: _query,
}
