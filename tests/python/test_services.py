"""Runs of calls and streams alone: their answers have values, their figures are of what is probed."""

import json
from pathlib import Path

import pytest

from sojourn import services
from sojourn.point import Point
from sojourn.report.automatic import automatic_figures
from sojourn.report.headline import headline
from sojourn.report.verdict import verdict
from sojourn.results import Results
from sojourn.stored import stored

DELAY = {
    "unit": "s",
    "count": 200,
    "sent": 200,
    "min": 0.015,
    "mean": 0.09,
    "max": 0.22,
    "p50": 0.015,
    "p90": 0.19,
    "p99": 0.219,
    "p999": 0.22,
    "ci95": [0.087, 0.093],
    "p99_ci95": [0.218, 0.22],
    "weak": [],
}


def scalar(value: float, half: float = 0.0, unit: str = "1") -> dict[str, object]:
    return {"unit": unit, "value": value, "ci95": [value - half, value + half]}


CALLS = {
    "one_way_delay": DELAY,
    "one_way_delay/calls/forward": DELAY | {"mean": 0.16},
    "one_way_delay/calls/return": DELAY | {"mean": 0.015},
    "mos": scalar(3.77, 0.14),
    "mos/calls/1": scalar(3.77, 0.14),
    "mos/calls/2": scalar(3.9, 0.1),
    "play_out_delay": scalar(0.269, 0.009, "s"),
    "play_out_loss": scalar(0.04, 0.01),
    "play_out_loss/calls/1": scalar(0.04, 0.01),
    "play_out_loss/calls/2": scalar(0.03, 0.01),
    "play_out_loss/late": scalar(0.03),
    "play_out_loss/lost": scalar(0.01),
    "play_out_loss/overflow": scalar(0.0),
}


def results(metrics: dict[str, object]) -> Results:
    point = {
        "experiment": "office",
        "set": {},
        "status": "ok",
        "replications": 3,
        "duration": 20.0,
        "warm_up": 2.0,
        "metrics": metrics,
    }
    raw = {
        "schema": 1,
        "study": "office",
        "network": "ip",
        "world": "simulated",
        "seed": 1,
        "axes": {},
        "points": [point],
    }
    return Results.parse(json.dumps(raw))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    row = {"point": 0, "experiment": "office", "set": {}, "text": "mos > 4", "value": 3.77, "interval": [3.63, 3.91]}
    (tmp_path / "verdicts.json").write_text(json.dumps([row | {"verdict": "missed"}]))
    return tmp_path


def test_the_answer_of_calls_has_opinion_loss_delay_and_requirement_with_values_and_each_once(folder: Path) -> None:
    found = results(CALLS)
    head = headline(found, folder, None, verdict(found, folder, None), [])

    assert head.lines == [
        "The poorest listener has a MOS of 3.77 ± 0.14: the requirement of more than 4 is missed.",
        "4.0 ± 1.0 % of the packets are not played, most of them "
        "too late for the jitter buffer; the mouth-to-ear delay is 269 ± 9 ms.",
        "The mean one-way delay is 90.0 ± 3.0 ms; 99 % take no more than 219 (218 to 220) ms.",
    ]
    assert head.table is not None
    assert ["Mean opinion score (MOS)", "3.77 ± 0.14"] in head.table.rows
    assert ["Delivered", "200 of 200"] in head.table.rows


def test_figures_of_calls_are_of_delay_opinion_and_loss(folder: Path) -> None:
    shown = {figure.id: figure for figure in automatic_figures(results(CALLS))}

    assert {"one-way-delay", "members-one_way_delay", "members-mos", "members-play_out_loss"} <= shown.keys()
    assert not any("response_time" in figure.y for figure in shown.values())


def test_the_causes_of_a_loss_are_shown_where_there_is_one_call_and_the_calls_where_there_are_several() -> None:
    several = results(CALLS).points[0]
    one = results({name: metric for name, metric in CALLS.items() if "/calls/" not in name}).points[0]

    assert list(services.members_of(several, "play_out_loss")) == ["calls/1", "calls/2"]
    assert list(services.members_of(one, "play_out_loss")) == ["late", "lost", "overflow"]


def test_a_stream_alone_has_its_delay_and_no_word_of_calls(tmp_path: Path) -> None:
    lossy = DELAY | {"sent": 250}
    found = results({"one_way_delay": lossy, "one_way_delay/video": lossy})
    head = headline(found, tmp_path, None, verdict(found, tmp_path, None), [])

    assert head.lines == [
        "The mean one-way delay is 90.0 ± 3.0 ms (of those delivered; 20 % failed); 99 % take no more than "
        "219 (218 to 220) ms."
    ]
    assert services.calls(found.points[0]) == ""


def test_requests_come_before_streams_and_calls(folder: Path) -> None:
    found = results(CALLS | {"response_time": DELAY | {"mean": 0.03, "ci95": [0.029, 0.031]}})

    assert services.time_of(found.points[0]) == found.points[0]["response_time"]


def test_a_page_that_simulates_again_has_the_stored_numbers_of_calls() -> None:
    kept = stored(Point(results(CALLS).raw["points"][0], 0), [])["metrics"]

    assert kept["mos"] == {"unit": "1", "value": 3.77, "ci95": [3.63, 3.91]}
    assert kept["one_way_delay"]["p99"] == 0.219
    assert kept["play_out_loss"]["value"] == 0.04
