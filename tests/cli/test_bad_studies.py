"""Mistakes in the figures and answers of a study are reported before anything runs: exit 2, position and hint."""

from pathlib import Path

import pytest

STUDY = """
[study]
title = "Response time of a server"
network = "queue"

[[experiment]]
id = "A"
scenario = "server.toml"
over = { "flow.customers.arrivals" = ["one", "two"] }
"""
FIGURE = '[[figure]]\nid = "1"\nkind = "extreems"\nx = "nonsense.key"\ny = ["respons_time"]\n'
ANSWER = '[[answer]]\nid = "1"\nkind = "nosuch"\n'


@pytest.fixture
def refused(sojourn, tmp_path: Path):
    """The diagnostics for a study with these tables; no report is written."""

    def run(*tables: str) -> str:
        (tmp_path / "study.toml").write_text("\n".join((STUDY, *tables)), encoding="utf-8")
        done = sojourn("study", tmp_path, "--out", tmp_path / "out")
        assert done.returncode == 2, done.stderr
        assert done.stdout == ""
        assert "Traceback" not in done.stderr
        assert not (tmp_path / "out" / "results.json").exists()
        return done.stderr

    return run


def test_misspelt_kinds_axes_and_metrics_are_reported_together_with_positions_and_hints(refused):
    shown = refused(FIGURE, ANSWER)

    for message in (
        "there is no figure kind `extreems`",
        "none of these experiments varies `nonsense.key`",
        "there is no metric `respons_time`",
        "did you mean `response_time`?",
        "there is no answer kind `nosuch`",
    ):
        assert message in shown
    lines = (STUDY + "\n" + FIGURE).splitlines()
    for text in ('kind = "extreems"', 'x = "nonsense.key"', 'y = ["respons_time"]'):
        assert f"study.toml:{lines.index(text) + 1}:" in shown


def test_an_option_that_a_kind_does_not_take_is_reported(refused):
    figure = '[[figure]]\nid = "1"\nkind = "budget"\nstatistics = ["p99"]\n'

    assert "unknown key `statistics` of figure kind `budget`" in refused(figure)
