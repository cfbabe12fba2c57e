"""Verdicts as JUnit XML, which most servers for continuous integration show."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree import ElementTree as Xml

from velostream.testing.checking import Verdict

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""Characters that XML cannot hold."""


def junit(verdicts: Iterable[Verdict]) -> str:
    """A test suite for each specification."""
    root = Xml.Element("testsuites", name="velo test")
    by_file: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        by_file.setdefault(str(verdict.case.file), []).append(verdict)
    for file, members in by_file.items():
        root.append(_suite(file, members))
    Xml.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + Xml.tostring(root, encoding="unicode") + "\n"


def _suite(file: str, verdicts: list[Verdict]) -> Xml.Element:
    failed = sum(not verdict.passed for verdict in verdicts)
    time = _seconds(sum(each.seconds for each in verdicts))
    counts = {"tests": str(len(verdicts)), "failures": str(failed), "errors": "0"}
    suite = Xml.Element("testsuite", {"name": file, "time": time, **counts})
    for verdict in verdicts:
        line = str(verdict.case.place.line)
        case = Xml.SubElement(
            suite,
            "testcase",
            name=verdict.case.name,
            classname=file,
            file=file,
            line=line,
            time=_seconds(verdict.seconds),
        )
        if not verdict.passed:
            first = verdict.failures[0].split("\n", 1)[0]
            failure = Xml.SubElement(case, "failure", message=_CONTROL.sub("?", first))
            failure.text = _CONTROL.sub("?", "\n\n".join(verdict.failures))
    return suite


def _seconds(value: float) -> str:
    return f"{value:.3f}"
