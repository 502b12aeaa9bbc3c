"""A study in the terminal: the question, the answer in words, and the table against the published numbers."""

from __future__ import annotations

import textwrap

from sojourn import labels
from sojourn.answers import answers
from sojourn.cli.output import table
from sojourn.compare import Match, Pair, against_published, in_words, pairs
from sojourn.compare.published import TOLERANCE
from sojourn.results import Results
from sojourn.study import Study
from sojourn.units import percent, say

WIDTH = 100


def of_study(study: Study, results: Results) -> str:
    """All that `sojourn study` prints."""
    parts = [study.title, textwrap.fill(study.question, WIDTH)]
    for title, text in answers(study.answers, results, study.titles):
        parts.append(f"{title}:\n" + textwrap.fill(text, WIDTH, initial_indent="  ", subsequent_indent="  "))
    matches = against_published(results, study.published)
    if matches:
        parts += [against(matches, results), agreement(matches)]
    measured = pairs(results)
    if measured:
        parts += [beside(measured, results), textwrap.fill(in_words(measured), WIDTH)]
    return "\n\n".join(part for part in parts if part)


def against(matches: list[Match], results: Results) -> str:
    """One row per published number."""
    head = ["experiment", "at", "quantity", "published", "found", "off by", "role", "verdict"]
    return table([row(match, results) for match in matches], head)


def row(match: Match, results: Results) -> list[str]:
    """One published number and what was found in its place, as text."""
    number = match.published
    field = "" if number.field in ("value", "mean") else f", {number.field.replace('_', ' ')}"
    off = "–" if match.deviation is None else percent(match.deviation, digits=1, sign=True)
    return [
        number.experiment,
        labels.settings(number.set, results.axes) if number.set else "all",
        number.metric.replace("_", " ") + field,
        say(number.value, number.unit, number.metric),
        say(match.found, number.unit, number.metric),
        off,
        number.role,
        match.verdict,
    ]


def beside(measured: list[Pair], results: Results) -> str:
    """One row per point that was simulated and measured: the medians of its response time, and what the load adds to
    the median of the time in the network."""
    head = ["experiment", "at", "simulated", "measured", "off by", "network adds", "measured", "verdict"]
    return table([row_of_pair(pair, results) for pair in measured], head)


def row_of_pair(pair: Pair, results: Results) -> list[str]:
    """A point's two medians, and what was added in the network in both worlds, as text."""
    both, added = ([say(value, "s") for value in values] for values in ((pair.simulated, pair.measured), pair.added))
    off = percent(pair.deviation, digits=1, sign=True)
    return [pair.experiment, labels.settings(pair.set, results.axes), *both, off, *added, pair.verdict]


def agreement(matches: list[Match], tolerance: float = TOLERANCE) -> str:
    """How many published numbers are met, calibration and prediction apart."""
    said = []
    for role in ("calibration", "prediction"):
        of_role = [match for match in matches if match.published.role == role]
        if of_role:
            met = sum(match.agrees for match in of_role)
            said.append(f"{met} of {len(of_role)} {role} numbers are met")
    return (
        "; ".join(said)
        + f" (within {percent(tolerance)}, or the uncertainty of the published number where that is larger)."
    )
