"""An application's text as the server checks it: the findings of `velo validate`, and a plan where none is an error."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from velostream.config.secrets import masked
from velostream.diagnostics import Diagnostic
from velostream.errors import VeloError

if TYPE_CHECKING:
    from velostream.plan.job import ApplicationPlan, Job
    from velostream.validation import Validated

SCHEMAS = "schemas.json"
"""Where a driver keeps the columns that it sampled, in its folder of checkpoints."""


class Refused(VeloError):
    """An application that cannot run, with all that was found."""

    code = "invalid-app"

    def __init__(self, message: str, findings: list[Diagnostic], *, hint: str = "", code: str = "") -> None:
        super().__init__(message, hint=hint, code=code)
        self.findings = findings


@dataclass(frozen=True)
class Planned:
    """An application that can run."""

    plan: ApplicationPlan
    version: str
    """The version that its header says."""
    jobs: tuple[Mapping[str, Any], ...]
    """Each job in a few words."""
    findings: tuple[Diagnostic, ...] = ()
    """Warnings and notes."""


def checked(
    sql: str, name: str, files: Path, state: Path | None = None, more: Mapping[str, str] | None = None
) -> Validated:
    """The findings of a text. Relative paths, and Python functions, are those of the server's folder `files`; sampled
    columns those that are kept with the `state`; `more` are further settings."""
    from velostream.spark.lower.refusals import find
    from velostream.sql.parse import parse
    from velostream.validation import validate

    for dependency in parse(sql, name).header.dependencies:
        if dependency.endswith(".py"):
            _own(dependency, files)
    answer = validate(sql, name, folder=files, overrides={**_sampled(state), **(more or {})})
    find(answer)
    return answer


def _own(dependency: str, files: Path) -> None:
    """Refuses Python files from elsewhere."""
    if PurePath(dependency).is_absolute() or not (files / dependency).resolve().is_relative_to(files.resolve()):
        hint = "put the file into the server's folder 'files', and name it relative to that"
        message = f"'{dependency}' is outside of the server's folder for Python functions"
        raise VeloError(message, hint=hint, code="foreign-function")


def _sampled(state: Path | None) -> dict[str, str]:
    """Columns that were sampled at the first start, as settings."""
    if state is None or not (state / SCHEMAS).exists():
        return {}
    kept: dict[str, str] = json.loads((state / SCHEMAS).read_text())
    return {f"{name}.schema": columns for name, columns in kept.items()}


def planned(sql: str, name: str, files: Path, state: Path | None = None) -> Planned:
    """The plan of a text; one with errors is refused with all of them."""
    from velostream.jobs.asides import refuse_asides

    answer = checked(sql, name, files, state)
    refuse_asides(answer)
    errors = answer.findings.errors
    if errors:
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        raise Refused(f"{errors[0].message}{more}", answer.findings.ordered(), hint=errors[0].hint)
    whole = served(answer, name)
    if not whole.statements:
        hint = "write INTO a sink, CREATE TABLE … AS, or a SELECT that prints"
        raise Refused(f"'{name}' has no job: nothing of it would run", answer.findings.ordered(), hint=hint)
    header = answer.application.header
    return Planned(whole, header.version, tuple(map(_words, whole.jobs)), tuple(answer.findings.ordered()))


def served(answer: Validated, name: str) -> ApplicationPlan:
    """The plan as the server runs it: rows keep the end of their window, so that versions can share the keys, and what
    is kept of the jobs, such as closed windows, is kept under the name that it was deployed with, where that is not
    the one of its header anyway: one file may be deployed under several."""
    from velostream.jobs.asides import runs_of
    from velostream.plan.build import build
    from velostream.plan.nodes.base import WINDOW_END
    from velostream.plan.passes import improve

    built = runs_of(build(answer.bound, answer.library))
    called = built.name if built.name.replace(" ", "_") == name else name
    return improve(replace(built, name=called, jobs=tuple(replace(job, kept=(WINDOW_END,)) for job in built.jobs)))


def _words(job: Job) -> dict[str, Any]:
    from velostream.plan.nodes import Materialise, Sinks

    targets = job.root.targets if isinstance(job.root, Sinks) else ()
    return {
        "name": job.name,
        "kind": job.kind,
        "mode": job.mode,
        "line": job.line,
        "stateful": job.stateful,
        "sources": [
            {"name": scan.source, "type": scan.connector, "address": address(scan.settings)} for scan in job.scans
        ],
        "sinks": [{"name": each.name, "type": each.connector, "address": address(each.settings)} for each in targets],
        "tables": list(job.tables),
        "makes": job.root.table if isinstance(job.root, Materialise) else None,
        "definitions": list(job.definitions),
    }


_ADDRESSES = ("bootstrap.servers", "topic", "path", "url", "table", "bucket")


def address(settings: Any) -> str:
    """Where something outside is, without secrets."""
    found = []
    for name in _ADDRESSES:
        if settings is not None and settings.known.find(name) is not None and settings.get(name) is not None:
            found.append(masked(name, str(settings.get(name))))
    return " ".join(found)
