"""A report that was written where the simulation for pages is missing."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sojourn import web
from sojourn.report import write_report
from sojourn.results import read_results

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "queue-mm1.toml"


def test_a_report_without_the_simulation_names_the_command_that_builds_it(
    written_by: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = written_by("run", str(EXAMPLE), "--set", "run.duration=10 s", "--replications", "2")
    monkeypatch.setattr(web, "engine", lambda: None)
    text = write_report(read_results(folder), folder).read_text()
    assert "<code>make wasm</code>" in text
    assert 'id="live"' not in text
    (folder / "document.json").unlink()
    assert "make wasm" not in write_report(read_results(folder), folder).read_text()
