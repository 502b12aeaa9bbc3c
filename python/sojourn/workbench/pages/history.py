"""The store of results: its runs, one of them, two compared, a metric over time, and the targets of monitors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from sojourn.errors import UnknownName, UserError
from sojourn.phrases import natural
from sojourn.secret import shown as shown_url
from sojourn.store.redaction import cleaned
from sojourn.store.times import moment
from sojourn.units import format_interval, format_value
from sojourn.workbench.rendering import form_of, page
from sojourn.workbench.slow import METRIC, SINCE, figure_over_time, targets_since

if TYPE_CHECKING:
    from starlette.requests import Request

MOST_LISTED = 100
MOST_METRICS = 300
"""Rows of metrics of a run that a page shows."""
FILTERS = ("scenario", "network", "host", "command", "tag", "since", "until")
OF_TARGETS = (
    "response_time.p50",
    "response_time.p95",
    "response_time.p99",
    "response_time.mean",
    "response_time.max",
    "loss",
)
LONGEST = 200


async def listed(request: Request) -> Response:
    """The latest runs of a selection."""
    given = _given(request, FILTERS)

    def rows() -> list[dict[str, Any]]:
        from sojourn.store.queries import Selection, list_runs  # noqa: PLC0415

        names = {name: value for name, value in given.items() if name not in ("since", "until")}
        chosen = Selection(**names, since_us=moment(given.get("since")), until_us=moment(given.get("until")))
        with request.app.state.history.reading() as connection:
            return list_runs(connection, chosen, MOST_LISTED)

    found = await request.app.state.answers.get(tuple(sorted(given.items())), lambda: run_in_threadpool(rows))
    return page(request, "history", runs=found, given=given, most=MOST_LISTED)


async def shown(request: Request) -> Response:
    """All of one run."""
    run = await _run(request, request.path_params["number"])
    rows = [
        (point, name, point["metrics"][name])
        for point in run["points"]
        for name in sorted(point["metrics"], key=natural)
    ]
    settings = {name: value for name, value in (run["settings"] or {}).items() if value not in (None, [], "", False)}
    return page(
        request,
        "history_run",
        run=run,
        peer=shown_url(run["peer"] or ""),
        settings=json.dumps(cleaned(settings), ensure_ascii=False, indent=1),
        rows=[_metric(*row) for row in rows[:MOST_METRICS]],
        verdicts=[verdict for point in run["points"] for verdict in point["verdicts"]],
        omitted=max(0, len(rows) - MOST_METRICS),
    )


async def compared(request: Request) -> Response:
    """Two runs, metric by metric."""
    from sojourn.store.compared import cells  # noqa: PLC0415
    from sojourn.store.compared import compared as rows_of  # noqa: PLC0415

    numbers = [_number(request.query_params.get(name, "")) for name in ("first", "second")]
    runs = [await _run(request, number) for number in numbers]
    rows = [cells(row) for row in rows_of(*runs)]
    return page(request, "history_compared", runs=runs, rows=rows[:MOST_METRICS])


async def over_time(request: Request) -> Response:
    """A metric of a scenario or of a target over time."""
    given = _given(request, ("scenario", "target", "metric", "since"))
    if ("scenario" in given) == ("target" in given):
        raise UserError("a metric over time is of a scenario or of a target")
    return page(
        request,
        "history_over_time",
        given={"metric": METRIC, "since": SINCE} | given,
        metrics=OF_TARGETS,
        query=urlencode(given),
    )


async def figure(request: Request) -> Response:
    """The figure of that, for the script that draws it."""
    given = _given(request, ("scenario", "target", "metric", "since"))

    drawing, key = request.app.state.drawing, tuple(sorted(given.items()))
    text: str = await request.app.state.figures.get(key, lambda: drawing.do(figure_over_time, given))
    return Response(text, media_type="application/json")


async def targets(request: Request) -> Response:
    """How the targets of monitors are."""
    since = request.query_params.get("since", "1 d")[:LONGEST]

    drawing = request.app.state.drawing
    found = await request.app.state.status.get(since, lambda: drawing.do(targets_since, since))
    return page(request, "targets", targets=found, since=since)


async def tag(request: Request) -> Response:
    """Adds a tag to a run."""
    number, form = request.path_params["number"], await form_of(request)
    name = form.get("tag", [""])[0].strip()
    if not name or len(name) > 50 or not name.isprintable():
        raise UserError("a tag has 1 to 50 printable characters")
    await run_in_threadpool(request.app.state.history.tag, number, name)
    return RedirectResponse(f"/history/{number}", 303)


async def _run(request: Request, number: int) -> dict[str, Any]:
    def row() -> dict[str, Any]:
        from sojourn.store import queries  # noqa: PLC0415

        with request.app.state.history.reading() as connection:
            return queries.run(connection, number)

    found: dict[str, Any] = await run_in_threadpool(row)
    return found


def _given(request: Request, names: tuple[str, ...]) -> dict[str, str]:
    given = {name: request.query_params.get(name, "").strip() for name in names}
    if any(len(value) > LONGEST or not value.isprintable() for value in given.values()):
        raise UserError(f"a value has at most {LONGEST} printable characters")
    return {name: value for name, value in given.items() if value}


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 9:
        raise UnknownName("two runs are compared: choose one in each column")
    return int(text)


def _metric(point: dict[str, Any], name: str, metric: dict[str, Any]) -> list[str]:
    settings = ", ".join(f"{key} = {value}" for key, value in point["settings"].items())
    where = ", ".join(filter(None, [point["experiment"], settings]))
    low, high = metric.get("value_low"), metric.get("value_high")
    ends = None if low is None and high is None else (low, high)
    quantiles = [
        format_value(metric[field], metric["unit"]) if field in metric else "" for field in ("p50", "p95", "p99")
    ]
    return [where, name, format_interval(metric.get("value"), ends, metric["unit"], name), *quantiles]
