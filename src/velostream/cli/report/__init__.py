"""How findings are shown: one format per file."""

from velostream.cli.report.base import Checked, Report
from velostream.cli.report.github import GithubReport
from velostream.cli.report.json import JsonReport
from velostream.cli.report.text import TextReport
from velostream.registry import by_name

_FORMATS: tuple[Report, ...] = (TextReport(), JsonReport(), GithubReport())

FORMATS: dict[str, Report] = by_name(_FORMATS)

__all__ = ["FORMATS", "Checked", "Report"]
