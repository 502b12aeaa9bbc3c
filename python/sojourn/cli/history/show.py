"""`history show`: everything the store holds about one run."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from sojourn.cli.history.common import Form, HistoryFormat, reading, require_extra, written
from sojourn.point import QUANTILES
from sojourn.store.times import clock

SHOWN = ("p50", "p95", "p99")


def show(
    run: Annotated[int, typer.Argument(metavar="RUN", help="Its number, as `sojourn history` lists it.")],
    document: Annotated[bool, typer.Option("--document", help="Only the text of its document.")] = False,
    form: Form = HistoryFormat.table,
) -> int:
    """Shows one run: what it ran, on which build and host, its metrics with intervals and its verdicts.

    \b
    sojourn history show 12
    sojourn history show 12 --document > scenario.toml     then: sojourn run scenario.toml
    sojourn history show 12 --format json | jq '.[0].points[0].metrics.response_time'
    """
    require_extra()
    from sojourn.cli import output  # noqa: PLC0415
    from sojourn.errors import UserError  # noqa: PLC0415
    from sojourn.store import queries  # noqa: PLC0415

    with reading() as connection:
        found = queries.run(connection, run)
    if document:
        if found["text"] is None:
            raise UserError(f"run {run} had no document; its settings: sojourn history show {run}")
        output.data(found["text"])
    elif form is HistoryFormat.json:
        output.data(written([found], form))
    elif form is HistoryFormat.csv:
        output.data(written(flat(found), form))
    else:
        output.data("\n\n".join([_head(found), *(_point(point) for point in found["points"])]))
    return 0


def flat(run: dict[str, Any]) -> list[dict[str, Any]]:
    """A row for each metric of each point of a run."""
    head = {name: run[name] for name in ("id", "command", "name", "network", "host", "commit")}
    head["began"] = clock(run["begin_us"], seconds=True)
    fields = ["unit", "value", "value_low", "value_high", "count", "sent", "sd", "min", "max"]
    fields += [f"{name}{end}" for name in QUANTILES for end in ("", "_low", "_high")]
    return [
        head
        | {"experiment": point["experiment"], "settings": point["settings"], "metric": name}
        | {field: metric.get(field) for field in fields}
        for point in run["points"]
        for name, metric in point["metrics"].items()
    ]


def _head(run: dict[str, Any]) -> str:
    from sojourn.cli import output  # noqa: PLC0415
    from sojourn.secret import shown as shown_url  # noqa: PLC0415
    from sojourn.units import format_value  # noqa: PLC0415

    build = f"{run['version']} ({run['commit']})"
    settings = {name: value for name, value in (run["settings"] or {}).items() if value not in (None, [], "", False)}
    rows = [
        ["run", f"{run['id']}: {run['command']} {run['name']}"],
        ["began", f"{clock(run['begin_us'], seconds=True)} UTC"],
        ["took", "" if run["elapsed_s"] is None else format_value(run["elapsed_s"], "s")],
        ["host", f"{run['host']}, {run['platform']}, {run['processors']} processors"],
        ["build", build],
        ["network", f"{run['network']}, {run['world']}"],
        ["peer", shown_url(run["peer"] or "")],
        ["seed", "" if run["seed"] is None else str(run["seed"])],
        ["settings", json.dumps(settings, ensure_ascii=False)],
        ["regime", json.dumps(run["regime"], ensure_ascii=False) if run["regime"] else ""],
        ["answer", json.dumps(run["answer"], ensure_ascii=False) if run["answer"] else ""],
        ["folder", run["folder"] or ""],
        ["tags", ", ".join(run["tags"])],
    ]
    return output.list_of([row for row in rows if row[1]], ["", "value"])


def _point(point: dict[str, Any]) -> str:
    from sojourn.cli import output  # noqa: PLC0415
    from sojourn.units import format_interval, format_value  # noqa: PLC0415

    settings = ", ".join(f"{key} = {value}" for key, value in point["settings"].items())
    rows = []
    for name, metric in point["metrics"].items():
        ends = _ends(metric, "value")
        quantiles = [format_value(metric[field], metric["unit"]) if field in metric else "" for field in SHOWN]
        rows.append([name, format_interval(metric.get("value"), ends, metric["unit"], name), *quantiles])
    title = ", ".join(filter(None, [point["experiment"], settings, "" if point["status"] == "ok" else point["status"]]))
    verdicts = [f"expected {row['condition']}: {row['verdict']}" for row in point["verdicts"]]
    return "\n".join([title, output.table(rows, ["metric", "value", *SHOWN]) if rows else "", *verdicts])


def _ends(metric: dict[str, Any], name: str) -> tuple[float | None, float | None] | None:
    low, high = metric.get(f"{name}_low"), metric.get(f"{name}_high")
    return None if low is None and high is None else (low, high)
