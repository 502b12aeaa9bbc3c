"""Columns beside results: CSV of the standard library and Parquet of Polars have the same, and the same numbers."""

import gzip
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from sojourn import columns, samples
from sojourn.errors import ResultsError
from sojourn.results import Results
from sojourn.samples import Samples

AXES = {"background.rate": {"unit": "1/s"}, "medium.error": {"unit": None}}
SAMPLES = {"replication": [0, 0, 1], "value": [0.1, 1 / 3, 5e-324]}
HISTOGRAM = {"from_s": [0.1], "to_s": [0.2], "count": [2**60]}
TRACE = {"replication": [0, 1], "time_s": [0.5, 1e-12], "value": [math.inf, 2.0]}


class Job:
    """A job of two points: the first has every kind of columns, the second a trace."""

    def samples(self, _index: int, _metric: str) -> dict[str, list[Any]]:
        return SAMPLES

    def histogram(self, _index: int, _metric: str) -> dict[str, list[Any]]:
        return HISTOGRAM

    def trace(self, index: int, _metric: str) -> dict[str, list[Any]]:
        return {"replication": [0], "time_s": [0.0], "value": [7.0]} if index else TRACE


@pytest.fixture
def results() -> Results:
    """Of that job: an experiment with a comma in its name, a setting that is a flag, and one that the other lacks."""
    points = [
        {"experiment": "D, quick", "set": {"background.rate": 60, "medium.error": True}, "metrics": {}},
        {"experiment": "E", "set": {"background.rate": 0.1}, "metrics": {}},
    ]
    held = [
        {"samples": ["response_time"], "histograms": ["response_time"], "traces": ["requests/a/b"]},
        {"traces": ["requests/a/b"]},
    ]
    return Results({"points": points, "axes": AXES}, Samples.of_job(Job(), held))


@pytest.fixture(params=["CSV", "Parquet"])
def stored(request, monkeypatch, results, tmp_path) -> Results:
    """The same, written to a folder in one form and read from there."""
    monkeypatch.setattr(columns, "has", lambda package: request.param == "Parquet")
    written = results.sampled.write(results.points, results.axes, tmp_path)
    ending = {"CSV": columns.CSV, "Parquet": columns.PARQUET}[request.param]
    assert [file.name for file in written] == [f"{kind}{ending}" for kind in samples.KINDS]
    return Results(results.raw, Samples.of_folder(tmp_path))


def test_a_point_has_the_same_numbers_in_memory_and_in_a_file(results, stored) -> None:
    first, second = results.points
    for of in (results, stored):
        assert of.columns_at(first, "response_time") == SAMPLES
        assert of.columns_at(first, "response_time", "histograms") == HISTOGRAM
        assert of.columns_at(first, "requests/a/b", "traces") == TRACE
        assert of.columns_at(second, "requests/a/b", "traces")["value"] == [7.0]
        assert of.columns_at(second, "response_time") == {"replication": [], "value": []}
        assert of.sampled.metrics("traces", of.axes) == ["requests/a/b"]


def test_a_data_frame_is_the_same_of_a_job_and_of_a_file(results, stored) -> None:
    for kind, metric in (("samples", "response_time"), ("histograms", "response_time"), ("traces", "requests/a/b")):
        of_job = results.sampled.frame(results.points, results.axes, metric, kind)
        assert stored.sampled.frame([], stored.axes, metric, kind).equals(of_job), kind
    assert of_job.height == 3
    assert of_job.row(0, named=True) == {
        "experiment": "D, quick",
        "background.rate": 60.0,
        "medium.error": "true",
        "replication": 0,
        "time_s": 0.5,
        "value": math.inf,
    }


def test_the_file_of_csv_is_read_by_a_program_that_knows_no_more(monkeypatch, results, tmp_path) -> None:
    monkeypatch.setattr(columns, "has", lambda package: False)
    results.sampled.write(results.points, results.axes, tmp_path)

    assert gzip.decompress((tmp_path / "samples.csv.gz").read_bytes()).decode().splitlines() == [
        "experiment,background.rate,medium.error,replication,value,metric",
        '"D, quick",60.0,true,0,0.1,response_time',
        '"D, quick",60.0,true,0,0.3333333333333333,response_time',
        '"D, quick",60.0,true,1,5e-324,response_time',
    ]
    assert pl.read_csv(tmp_path / "samples.csv.gz")["value"].to_list() == SAMPLES["value"]


def test_files_of_the_other_form_and_of_columns_that_there_are_no_more_are_removed(
    monkeypatch, results, tmp_path
) -> None:
    monkeypatch.setattr(columns, "has", lambda package: True)
    results.sampled.write(results.points, results.axes, tmp_path)
    monkeypatch.setattr(columns, "has", lambda package: False)
    results.sampled.names[0]["samples"] = []
    results.sampled.write(results.points, results.axes, tmp_path)

    assert sorted(file.name for file in tmp_path.iterdir()) == ["histograms.csv.gz", "traces.csv.gz"]


def test_parquet_is_passed_over_without_polars(monkeypatch, results, tmp_path) -> None:
    results.sampled.write(results.points, results.axes, tmp_path)
    monkeypatch.setattr(samples, "has", lambda package: False)
    stored = Results(results.raw, Samples.of_folder(tmp_path))

    assert stored.columns_at(results.points[0], "response_time")["value"] == []
    assert stored.sampled.metrics("samples", stored.axes) == []


def again(text: str) -> Callable[[bytes], bytes]:
    """Adds a line to a file."""
    return lambda octets: gzip.compress(gzip.decompress(octets) + text.encode())


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "truncated": lambda octets: octets[: len(octets) // 2],
    "one bit": lambda octets: octets[:40] + bytes([octets[40] ^ 4]) + octets[41:],
    "not compressed": lambda _: b"experiment,value\n",
    "empty": lambda _: gzip.compress(b""),
    "not text": lambda _: gzip.compress(b"\xff\xfe"),
    "other columns": lambda _: gzip.compress(b"experiment,value,metric\nE,1,response_time\n"),
    "a row too short": again("E,0.1,1,response_time\n"),
    "no number": again("E,0.1,,0,long,response_time\n"),
}


@pytest.mark.hostile("damaged files of results and settings")
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_named(monkeypatch, results, tmp_path: Path, damage: str) -> None:
    monkeypatch.setattr(columns, "has", lambda package: False)
    results.sampled.write(results.points, results.axes, tmp_path)
    file = tmp_path / "samples.csv.gz"
    file.write_bytes(DAMAGES[damage](file.read_bytes()))

    with pytest.raises(ResultsError, match=r"cannot read .*/samples\.csv\.gz: "):
        Results(results.raw, Samples.of_folder(tmp_path)).columns_at(results.points[0], "response_time")
