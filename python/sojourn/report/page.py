"""Puts the sections of the report into its page."""

from __future__ import annotations

import gzip
import re
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sojourn import occurrences, phrases, templates, web
from sojourn.comparison import against_published
from sojourn.comparison.published import notes
from sojourn.reading import text_of
from sojourn.report import captured
from sojourn.report.channels import channels, talkers
from sojourn.report.headline import headline
from sojourn.report.illustrate import Drawn
from sojourn.report.live import live
from sojourn.report.provenance import provenance
from sojourn.report.search import search_of, shown_points
from sojourn.report.setup import setup
from sojourn.report.tables import data_tables, published_tables, risk_table
from sojourn.report.validity import validity
from sojourn.report.verdict import verdict

if TYPE_CHECKING:
    import markupsafe

    from sojourn.results import Results
    from sojourn.study import Study

VALUE_AND_UNIT = re.compile(r"(?<=[\d)]) (?=(?:%|[nµm]?s|min|h|[kM]bit/s)(?![a-z]))")
PART = re.compile(r"; (?![^(]*\))")
"""A semicolon outside parentheses."""
FEWEST_LISTED = 4
TEMPLATE = "page.html.j2"
SCRIPTS = (
    "packed.js",
    "engine.js",
    "uncertainty.js",
    "numbers.js",
    "shown.js",
    "chart.js",
    "figures.js",
    "influence.js",
    "timeline.js",
    "panel.js",
    "live.js",
    "embedded.js",
    "report.js",
)


def render(results: Results, folder: Path, study: Study | None, drawn: list[Drawn]) -> str:
    """The whole page."""
    environment = templates.environment(Path(__file__).parent)
    environment.filters.update(code=code, listed=listed)
    search = search_of(folder) or {}
    shown = shown_points(results, folder)
    site = [table for called, point in shown for table in (channels(point, called), talkers(point, called))]
    found = verdict(results, folder, study)
    head = headline(results, folder, study, found, drawn)
    library, script = web.vega(), web.script(*SCRIPTS)
    context: dict[str, Any] = {
        "title": title(results, folder, study),
        "question": study.question if study else search.get("question") or "",
        "headline": head,
        "findings": found,
        "figures": [one for one in drawn if one is not head.figure],
        "published": published_tables(results, study),
        "published_notes": notes(against_published(results, study.published)) if study else [],
        "site": [*(table for table in site if table is not None), *captured.tables(folder)],
        "tables": [risk_table(search)] if occurrences.is_about(search) else data_tables(results, study),
        "validity": validity(results, study, captured.notes(folder)),
        "setup": setup(results, folder, study),
        "provenance": provenance(results, folder, study),
        "live": live(results, folder, study),
        "library": web.encoded(library),
        "program": web.packed(script.encode()),
        "loader": web.loader(),
        "policy": web.policy(gzip.decompress(library).decode(), script, web.loader()),
    }
    return environment.get_template(TEMPLATE).render(context)


def code(text: str) -> markupsafe.Markup:
    """A sentence as HTML: what stands between backticks is an option or a key, set as code; a value keeps its unit."""
    import markupsafe  # noqa: PLC0415

    parts = [markupsafe.escape(part) for part in VALUE_AND_UNIT.sub("\u00a0", text).split("`")]
    return markupsafe.Markup("").join(
        markupsafe.Markup("<code>{}</code>").format(part) if index % 2 else part for index, part in enumerate(parts)
    )


def listed(text: str) -> list[tuple[str, list[str]]]:
    """The paragraphs of a finding; a sentence of many parts ("at 64 bytes: D 1 ms; E 2 ms; ...") as head and list."""
    found: list[tuple[str, list[str]]] = []
    for sentence in phrases.sentences(text):
        head, _, rest = sentence.partition(": ")
        parts = PART.split(rest.removesuffix("."))
        if len(parts) >= FEWEST_LISTED:
            found.append((f"{head}:", parts))
        elif found and not found[-1][1]:
            found[-1] = (f"{found[-1][0]} {sentence}", [])
        else:
            found.append((sentence, []))
    return found


def title(results: Results, folder: Path, study: Study | None) -> str:
    """The title of a study or a scenario, else the name of the results; a capture is not its twin."""
    own = study.title if study else scenario_title(folder) if results.raw["world"] != "captured" else ""
    return own or str(results.raw.get("study") or "Results")


def scenario_title(folder: Path) -> str:
    """The title that the scenario gives itself; empty without one."""
    file = folder / "scenario.toml"
    if not file.exists():
        return ""
    with suppress(tomllib.TOMLDecodeError):
        return str(tomllib.loads(text_of(file)).get("title") or "")
    return ""
