"""Slow queries of the store: the state of targets, and a metric over time as a figure.

Both read thousands of windows with their histograms. They run in the process that draws, and return plain data.
"""

from __future__ import annotations

import json
import time
from functools import cache
from typing import TYPE_CHECKING, Any

from sojourn.extras import has
from sojourn.store.times import S_US, moment
from sojourn.units import format_value, percent
from sojourn.workbench.history import History

if TYPE_CHECKING:
    from sojourn.store.series import Series

MOST_SERIES = 20
METRIC = "response_time.p50"
SINCE = "60 d"
"""What is shown over time unless a page asks for something else."""


@cache
def store() -> History:
    """The store of this process."""
    return History()


def targets_since(since: str) -> list[dict[str, Any]]:
    """A row for each target with its numbers as people read them."""
    from sojourn.store.status import status  # noqa: PLC0415

    with store().reading() as connection:
        return [_target(row) for row in status(connection, moment(since) or 0, int(time.time() * S_US))]


def figure_over_time(given: dict[str, str]) -> str:
    """The figure of a metric of a scenario or a target with its change points as JSON; an empty list without values."""
    from sojourn.figures import history  # noqa: PLC0415
    from sojourn.store.changes import changes  # noqa: PLC0415

    found = [one for one in _series(given) if one.values][:MOST_SERIES]
    if not found:
        return "[]"
    drawn = history.draw([(one, changes(one) if has("ruptures") else []) for one in found]).to_dict()
    title = drawn.pop("title")
    caption = title.get("subtitle") or ""
    row = {"title": title["text"], "caption": caption if isinstance(caption, str) else " ".join(caption)}
    return json.dumps([row | {"specification": drawn}], separators=(",", ":"), ensure_ascii=False)


def _series(given: dict[str, str]) -> list[Series]:
    from sojourn.store import series  # noqa: PLC0415
    from sojourn.store.queries import Selection  # noqa: PLC0415

    metric, since_us = given.get("metric", METRIC), moment(given.get("since", SINCE))
    with store().reading() as connection:
        if "target" in given:
            until_us = int(time.time() * S_US)
            return [series.of_target(connection, given["target"], metric, since_us or 0, until_us)]
        return series.of_runs(connection, Selection(scenario=given.get("scenario"), since_us=since_us), metric)


def _target(row: dict[str, Any]) -> dict[str, Any]:
    shown = {"loss": "–" if row["loss"] is None else percent(row["loss"], digits=2)}
    shown |= {name: format_value(row[name], "s") for name in ("p50", "p99")}
    return row | {"shown": shown}
