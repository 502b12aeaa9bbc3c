"""`--junit` and `--summary`: the verdicts of a command as files for continuous integration.

A command that has requirements asks for `Reports` before it begins and writes its cases when it has ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from sojourn.comparison import Comparison, Match
    from sojourn.jobs import Outcome
    from sojourn.junit import Case
    from sojourn.results import Results


class Undecided(StrEnum):
    """What an undecided requirement is in JUnit XML."""

    skipped = "skipped"
    error = "error"


JUnit = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write a test case per requirement here, as JUnit XML, for CI."),
]
Summary = Annotated[
    Path | None,
    typer.Option("--summary", metavar="FILE", help='Append the verdicts as Markdown, as to "$GITHUB_STEP_SUMMARY".'),
]
JUnitUndecided = Annotated[
    Undecided, typer.Option("--junit-undecided", help="What an undecided requirement is in the JUnit XML.")
]


@dataclass(frozen=True)
class Reports:
    """The files that a command was asked for."""

    command: str
    """`run site.toml`."""
    junit: Path | None
    summary: Path | None
    undecided: Undecided
    began: datetime

    @classmethod
    def asked(
        cls, command: str, what: object, junit: Path | None, summary: Path | None, undecided: Undecided
    ) -> Reports:
        """The files of this command; `UserError` where one is a file of something else."""
        from sojourn.secret import shown_document  # noqa: PLC0415

        if junit is not None:
            _refuse_foreign(junit)
        return cls(shown_document(f"{command} {what}"), junit, summary, undecided, datetime.now(UTC))

    def write(self, cases: Sequence[Case]) -> None:
        """Writes what was asked for."""
        if self.junit is None and self.summary is None:
            return
        from sojourn import junit  # noqa: PLC0415

        took_s = (datetime.now(UTC) - self.began).total_seconds()
        if self.junit is not None:
            text = junit.xml(f"sojourn {self.command}", cases, self.began, took_s, self.undecided.value)
            self.junit.parent.mkdir(parents=True, exist_ok=True)
            self.junit.write_text(text, encoding="utf-8")
        if self.summary is not None:
            self.summary.parent.mkdir(parents=True, exist_ok=True)
            with self.summary.open("a", encoding="utf-8") as file:
                file.write(junit.markdown(f"sojourn {self.command}", cases))

    def write_outcome(self, outcome: Outcome) -> None:
        """Writes the requirements of a job, and what failed."""
        if self.junit is not None or self.summary is not None:
            self.write(of_outcome(outcome, self.command.partition(" ")[0]))


def _refuse_foreign(file: Path) -> None:
    """A file from an earlier run is replaced, and no other."""
    from sojourn.errors import UserError  # noqa: PLC0415
    from sojourn.junit import OWN  # noqa: PLC0415

    if file.exists() and OWN not in file.read_text(encoding="utf-8", errors="replace")[:200]:
        raise UserError(f"{file} exists and is not JUnit XML of sojourn: remove it, or name another file")


def of_outcome(outcome: Outcome, command: str) -> list[Case]:
    """A case per requirement and point, and one per failure; without requirements one for all that was computed."""
    from sojourn import requirements  # noqa: PLC0415
    from sojourn.cli import simulate  # noqa: PLC0415
    from sojourn.junit import FAILED, MET, Case  # noqa: PLC0415
    from sojourn.secret import shown_document  # noqa: PLC0415

    results = outcome.results
    points = results.points if results is not None else []
    cases = []
    for row in outcome.verdicts:
        at = row.get("point")
        point = points[at] if isinstance(at, int) and at < len(points) else None
        said = requirements.sentence(row, point, simulate.elapsed_s(outcome))
        name = str(row["text"]) + _at(dict(row.get("set") or {}), results)
        cases.append(Case(f"sojourn.{command}.{row.get('experiment') or command}", name, str(row["verdict"]), said))
    for failure in outcome.failures:
        said = shown_document(str(failure["message"]))
        cases.append(Case(f"sojourn.{command}", "every point is computed", FAILED, said))
    if not cases:
        said = f"{len(points)} {'point was' if len(points) == 1 else 'points were'} computed, without requirements."
        cases.append(Case(f"sojourn.{command}", "every point is computed", MET, said))
    return cases


def of_advice(found: dict[str, Any]) -> list[Case]:
    """One case: met where an alternative is selected, missed where none meets the conditions."""
    from sojourn import advice  # noqa: PLC0415
    from sojourn.junit import MET, MISSED, UNDECIDED, Case  # noqa: PLC0415

    verdict = {"selected": MET, "none": MISSED}.get(str(found["outcome"]), UNDECIDED)
    name = " and ".join(found["conditions"]) or f"the best {found['objective']}"
    return [Case("sojourn.advise", name, verdict, " ".join(advice.sentences(found)))]


def of_comparison(comparison: Comparison, results: Results) -> list[Case]:
    """A case per quantity that was asked for: missed where it differs; and one per point that one side lacks."""
    from math import isnan  # noqa: PLC0415

    from sojourn.junit import MET, MISSED, UNDECIDED, Case  # noqa: PLC0415
    from sojourn.units import format_interval, format_value  # noqa: PLC0415

    cases = []
    for point, gap in comparison.asked:
        values = [format_value(value, gap.unit, gap.metric) for value in (gap.first, gap.second)]
        said = f"{values[0]} against {values[1]}"
        if not isnan(gap.value):
            ends = list(gap.interval) if gap.interval else None
            said += f", a difference of {format_interval(gap.value, ends, gap.unit, gap.metric)}"
        verdict = MISSED if gap.shown else MET if gap.decided else UNDECIDED
        field = f".{gap.field}" if point[gap.metric].is_distribution else ""
        name = f"{gap.metric}{field}{_at(point.set, results)}"
        cases.append(Case(f"sojourn.compare.{point.experiment}", name, verdict, f"{said}: {gap.verdict}."))
    for side, points in (("first", comparison.only_first), ("second", comparison.only_second)):
        for point in points:
            name = f"in both results{_at(point.set, results)}"
            said = f"This point is only in the {side} results."
            cases.append(Case(f"sojourn.compare.{point.experiment}", name, MISSED, said))
    return cases


def of_published(matches: Sequence[Match], results: Results) -> list[Case]:
    """A case per published number."""
    from sojourn.cli.verdict import row  # noqa: PLC0415
    from sojourn.junit import MET, MISSED, Case  # noqa: PLC0415

    cases = []
    for match in matches:
        name, published, found, deviation, room, role, verdict = row(match, results)
        said = f"{published} was published and {found} found ({deviation}, {room} allowed, {role}): {verdict}."
        group = f"sojourn.compare.{match.published.experiment}"
        cases.append(Case(group, name, MET if match.agrees else MISSED, said))
    return cases


def _at(settings: dict[str, object], results: Results | None) -> str:
    """Behind a requirement: " at background.rate 300 /s"."""
    from sojourn import phrases  # noqa: PLC0415

    return f" at {phrases.settings(settings, results.axes)}" if settings and results is not None else ""
