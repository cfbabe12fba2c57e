"""The plan: what a job will do, as frozen nodes. Built from bound statements, improved by passes, read by visitors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from velostream.plan.build import build
from velostream.plan.explain import application_data, explain_application
from velostream.plan.job import ApplicationPlan, Job
from velostream.plan.passes import improve

if TYPE_CHECKING:
    from velostream.functions.library import Library
    from velostream.validation.bound import BoundApplication

__all__ = ["ApplicationPlan", "Job", "build", "explain_data", "explain_text", "improve", "plan"]

explain_text = explain_application
explain_data = application_data


def plan(application: BoundApplication, library: Library | None = None) -> ApplicationPlan:
    """The plan of an application that was found to be right; `library` holds the functions it was bound with."""
    from velostream.functions import LIBRARY

    return improve(build(application, library or LIBRARY))
