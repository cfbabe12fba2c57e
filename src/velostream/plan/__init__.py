"""The plan: what a job will do, as frozen nodes. Built from bound statements, improved by passes, read by visitors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from velostream.functions.library import Library
    from velostream.plan.job import ApplicationPlan
    from velostream.validation.bound import BoundApplication

__all__ = ["explain_data", "explain_text", "plan"]


def plan(application: BoundApplication, library: Library | None = None) -> ApplicationPlan:
    """The plan of an application that was found to be right; `library` holds the functions that it uses."""
    from velostream.functions import LIBRARY
    from velostream.plan.build import build
    from velostream.plan.passes import improve

    return improve(build(application, library or LIBRARY))


def explain_text(application: ApplicationPlan) -> str:
    """The plan as people read it."""
    from velostream.plan.explain import explain_application

    return explain_application(application)


def explain_data(application: ApplicationPlan) -> dict[str, Any]:
    """The plan as data."""
    from velostream.plan.explain import application_data

    return application_data(application)
