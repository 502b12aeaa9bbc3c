"""A study on the terminal: the question, the answers, and the comparison with the published numbers."""

from __future__ import annotations

from collections.abc import Sequence

from sojourn import phrases
from sojourn.answers import answers
from sojourn.cli.output import filled, shortened, table, width
from sojourn.comparison import Match, Pair, against_published, in_words, pairs
from sojourn.comparison.published import TOLERANCE, blind_score, notes
from sojourn.results import Results
from sojourn.study import Study
from sojourn.units import format_value, percent

MOST_MISSED = 8
MOST_SHOWN = 8
LEAST_NAME = 24
"""Columns that the name of a quantity has at least."""


def of_study(study: Study, results: Results) -> str:
    """The complete output of `sojourn study`."""
    parts = [study.title, filled(study.question)]
    for title, text in answers(study.answers, results, study.titles, study.published):
        parts.append(f"{title}:\n" + filled(text, "  "))
    matches = against_published(results, study.published)
    if known := [match for match in matches if not match.published.scored_blind]:
        parts += [against(known, results)]
    if score := blind_score(matches):
        missed = score.missed[:MOST_MISSED]
        rest = len(score.missed) - len(missed)
        parts += [
            filled(
                f"{phrases.capitalised(score.in_words)}. "
                + ("Beyond their tolerance, the furthest first:" if missed else "")
            )
        ]
        parts += [of_missed(missed, results)] if missed else []
        parts += [filled(f"The report lists {rest} more beyond their tolerance.")] if rest else []
    if matches:
        parts += [filled(note) for note in [agreement(matches), *notes(matches)]]
    measured = pairs(results)
    if measured:
        parts += [measured_table(measured, results), filled(in_words(measured))]
    return "\n\n".join(part for part in parts if part)


def first_of_study(study: Study, results: Results) -> str:
    """The first screen of `sojourn study`: a sentence of each answer, and what is furthest from what was published."""
    said = [
        filled(f"{title}: {phrases.within_a_sentence(text)}" if title else text)
        for title, whole in answers(study.answers, results, study.titles, study.published)
        for text in phrases.sentences(whole)[:1]
    ]
    parts = [study.title, "\n".join(said)]
    matches = against_published(results, study.published)
    if known := [match for match in matches if not match.published.scored_blind]:
        parts.append(furthest(known, results))
    if score := blind_score(matches):
        parts.append(filled(f"{phrases.capitalised(score.in_words)}."))
    if matches:
        parts.append(filled(agreement(matches)))
    if measured := pairs(results):
        parts += [measured_table(measured, results), filled(in_words(measured))]
    return "\n\n".join(part for part in parts if part)


def furthest(matches: Sequence[Match], results: Results) -> str:
    """The published numbers that are furthest from what was found, by their tolerance: at most eight rows."""

    def distance(match: Match) -> float:
        return abs((match.found or 0.0) - match.published.value) / match.room if match.room else float(not match.agrees)

    shown = sorted(matches, key=lambda match: (match.agrees, -distance(match)))[:MOST_SHOWN]
    rows = [[*(cells := row(match, results))[:4], cells[-1]] for match in shown]
    head = ["quantity", "published", "found", "deviation", "verdict"]
    room = width() - sum(max(map(len, column)) + 2 for column in list(zip(head, *rows, strict=True))[1:])
    rows = [[shortened(name, max(room, LEAST_NAME)), *cells] for name, *cells in rows]
    text = table(rows, head)
    more = f"\nthe {len(rows)} of {len(matches)} published values that are furthest from what was found"
    return text + (more if len(rows) < len(matches) else "")


def against(matches: list[Match], results: Results) -> str:
    """One row per published number."""
    head = ["quantity", "published", "found", "deviation", "tolerance", "role", "verdict"]
    return table([row(match, results) for match in matches], head)


def row(match: Match, results: Results) -> list[str]:
    """One published number and the corresponding result, as text."""
    return [*_cells(match, results), match.published.role, match.verdict]


def of_missed(missed: Sequence[Match], results: Results) -> str:
    """One row per number that was predicted before it was known, and missed; `found` is of this run."""
    head = ["quantity", "published", "predicted", "deviation", "tolerance", "found now"]
    rows = []
    for match in missed:
        number = match.published
        rows.append([*_cells(match, results), format_value(number.found_in(results), number.unit, number.metric)])
    return table(rows, head)


def _cells(match: Match, results: Results) -> list[str]:
    number = match.published
    field = "" if number.field in ("value", "mean") else f" {number.field.replace('_', ' ')}"
    where = ", ".join(phrases.value(found, results.axes.get(key)) for key, found in number.set.items())
    return [
        f"{number.experiment} {number.metric.replace('_', ' ')}{field}" + (f", {where}" if where else ", all"),
        format_value(number.value, number.unit, number.metric),
        format_value(match.found, number.unit, number.metric),
        "–" if match.deviation is None else percent(match.deviation, digits=1, sign=True),
        f"± {format_value(match.room, number.unit, number.metric, beside=[number.value])}",
    ]


def measured_table(measured: list[Pair], results: Results) -> str:
    """One row per simulated and measured point: median response times, and median network delay added by load."""
    head = ["experiment", "at", "simulated", "measured", "deviation", "added, simulated", "added, measured", "verdict"]
    return table([row_of_pair(pair, results) for pair in measured], head, keys=2)


def row_of_pair(pair: Pair, results: Results) -> list[str]:
    """A point's simulated and measured median, and the network delay added by load in both, as text."""
    both, added = (
        [format_value(value, "s") for value in values] for values in ((pair.simulated, pair.measured), pair.added)
    )
    off = percent(pair.deviation, digits=1, sign=True)
    return [pair.experiment, phrases.settings(pair.set, results.axes), *both, off, *added, pair.verdict]


def agreement(matches: list[Match], tolerance: float = TOLERANCE) -> str:
    """The number of published numbers met, by role."""
    parts = []
    for role in ("calibration", "prediction"):
        of_role = [match for match in matches if match.published.role == role]
        if of_role:
            met = sum(match.agrees for match in of_role)
            parts.append(f"{met} of {len(of_role)} {role} values met")
    return "; ".join(parts) + f" (within {percent(tolerance)}, or the uncertainty of the published number if larger)."
