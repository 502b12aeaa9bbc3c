"""Verdicts as what continuous integration reads: JUnit XML, and a summary in Markdown.

A test case is a requirement at one point, with the sentence of its verdict. The XML has what the schemas of Ant and of
Jenkins both take: counts and times as attributes, properties before test cases, output behind them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from xml.etree import ElementTree as ET

MET, MISSED, UNDECIDED, FAILED = "met", "missed", "undecided", "failed"
NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML document may have."""
OWN = '<testsuites name="sojourn'
"""How a file of this module begins, behind its declaration."""
MARKS = {MET: "✅ met", MISSED: "❌ missed", UNDECIDED: "❔ undecided", FAILED: "⚠️ failed"}


@dataclass(frozen=True)
class Case:
    """A requirement and what became of it."""

    group: str
    """Where it belongs: `sojourn.run.site`."""
    name: str
    """`response_time.p90 < 100 ms`, and at which settings."""
    verdict: str
    sentence: str
    time_s: float = 0.0


def xml(suite: str, cases: Sequence[Case], began: datetime, time_s: float, undecided: str = "skipped") -> str:
    """The test suite as JUnit XML; what is undecided is `skipped` or an `error`."""
    kinds = [_kind(case.verdict, undecided) for case in cases]
    counts = {"tests": str(len(cases)), "failures": str(kinds.count("failure")), "errors": str(kinds.count("error"))}
    counts |= {"skipped": str(kinds.count("skipped")), "time": f"{time_s:.3f}"}
    root = ET.Element("testsuites", {"name": "sojourn", **counts})
    place = {"timestamp": began.strftime("%Y-%m-%dT%H:%M:%S"), "hostname": "localhost", "id": "0", "package": "sojourn"}
    found = ET.SubElement(root, "testsuite", {"name": _clean(suite), **place, **counts})
    ET.SubElement(found, "properties")
    for case, kind in zip(cases, kinds, strict=True):
        named = {"classname": _clean(case.group), "name": _clean(case.name), "time": f"{case.time_s:.3f}"}
        test = ET.SubElement(found, "testcase", named)
        if kind:
            why = {"message": _clean(case.sentence)} | ({"type": case.verdict} if kind != "skipped" else {})
            ET.SubElement(test, kind, why).text = _clean(case.sentence) if kind != "skipped" else None
    met = [case.sentence for case in cases if case.verdict == MET]
    ET.SubElement(found, "system-out").text = _clean("\n".join(met))
    ET.SubElement(found, "system-err")
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _kind(verdict: str, undecided: str) -> str:
    return {MET: "", MISSED: "failure", UNDECIDED: undecided, FAILED: "error"}[verdict]


def _clean(text: str) -> str:
    return NOT_XML.sub("�", text)


def markdown(title: str, cases: Sequence[Case]) -> str:
    """The summary: a heading that counts, and a row per requirement, those that ask for attention first."""
    ranks = (MISSED, FAILED, UNDECIDED, MET)
    ordered = sorted(cases, key=lambda case: ranks.index(case.verdict))
    met = sum(case.verdict == MET for case in cases)
    lines = [f"### {_cell(title)}: {met} of {len(cases)} met", "", "| | requirement | found |", "|---|---|---|"]
    lines += [f"| {MARKS[case.verdict]} | {_cell(case.name)} | {_cell(case.sentence)} |" for case in ordered]
    return "\n".join(lines) + "\n\n"


def _cell(text: str) -> str:
    """A text of one line, without what Markdown or HTML would take for its own."""
    plain = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_|\[\]#~])", r"\\\1", " ".join(plain.split()))
