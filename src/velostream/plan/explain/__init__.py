"""Explain: a plan as text for people, and as plain data for programs."""

from velostream.plan.explain.application import explain_application, explain_job
from velostream.plan.explain.data import application_data, job_data

__all__ = ["application_data", "explain_application", "explain_job", "job_data"]
