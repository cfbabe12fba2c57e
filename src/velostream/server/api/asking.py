"""`/api/v1/sql` and `/api/v1/validate`: statements to carry out, and SQL to check."""

from __future__ import annotations

from fastapi import APIRouter

from velostream.errors import VeloError
from velostream.server.api.inside import Inside
from velostream.server.api.problems import documented
from velostream.server.models.asking import SqlAnswer, SqlRequest, ValidateAnswer, ValidateRequest, finding_of
from velostream.server.planning import checked
from velostream.server.sql import carry_out

ROUTES = APIRouter(prefix="/api/v1", tags=["sql"], responses=documented(404, 409, 502, 503))


@ROUTES.post("/sql")
def sql(asked: SqlRequest, plane: Inside) -> SqlAnswer:
    """Carries statements out one after another: START, STOP, PAUSE, RESUME, FLUSH, DEPLOY, ROLLBACK, SHOW, DESCRIBE,
    EXPLAIN, and SELECT from tables. CREATE statements before a START or DEPLOY belong to it."""
    return SqlAnswer(results=carry_out(plane.control, asked.sql, asked.app))


@ROUTES.post("/validate")
def validate(asked: ValidateRequest, plane: Inside) -> ValidateAnswer:
    """All findings of a text at once."""
    from velostream.diagnostics import Diagnostic, Severity

    try:
        answer = checked(asked.sql, asked.name, plane.folders.files)
    except VeloError as error:
        finding = Diagnostic(Severity.ERROR, error.error_code, error.message, error.span, error.hint)
        return ValidateAnswer(ok=False, statements=0, jobs=[], findings=[finding_of(finding)])
    return ValidateAnswer(
        ok=answer.ok,
        statements=len(answer.application.statements),
        jobs=[statement.name for statement in answer.bound.statements if statement.is_job],
        findings=[finding_of(one) for one in answer.findings.ordered()],
    )
