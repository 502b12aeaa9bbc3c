"""`analyse --scenario`: a scenario from a capture, which can be checked and simulated."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

SITE = Path(__file__).parents[2] / "examples" / "lontalk-site.toml"


@pytest.fixture
def capture(sojourn, tmp_path):
    """Twenty seconds of the three-floor site."""
    short = ("--set", "run.duration=20 s", "--set", "run.warm_up=0 s", "--replications", "1")
    done = sojourn("run", SITE, *short, "--pcap", "site.pcap")
    assert done.returncode == 0, done.stderr
    return tmp_path / "site.pcap"


def test_the_twin_of_a_capture_is_a_commented_scenario_that_runs(sojourn, capture):
    done = sojourn("analyse", capture, "--scenario", "twin.toml", "--out", "captured")
    assert done.returncode == 0, done.stderr

    twin = (capture.parent / "twin.toml").read_text(encoding="utf-8")
    assert json.loads((capture.parent / "captured" / "document.json").read_text())["text"] == twin
    assert twin.count("[[medium]]") == 4
    assert twin.count('router = "configured"') == 3
    assert "1/1" in twin
    assert "Kolmogorov-Smirnov distance" in twin
    assert sojourn("check", "twin.toml").returncode == 0
    run = sojourn("run", "twin.toml", "--set", "run.duration=5 s", "--set", "run.warm_up=0 s", "--replications", "1")
    assert run.returncode == 0, run.stderr


def test_addresses_are_left_out_on_request_and_nothing_is_replaced(sojourn, capture):
    first = sojourn("analyse", capture, "--scenario", "twin.toml", "--anonymise")
    assert first.returncode == 0, first.stderr
    assert "1/1" not in (capture.parent / "twin.toml").read_text(encoding="utf-8")

    again = sojourn("analyse", capture, "--scenario", "twin.toml")
    assert again.returncode == 2
    assert "exists already" in again.stderr


def test_a_scenario_has_the_ending_of_one(sojourn, capture):
    done = sojourn("analyse", capture, "--scenario", "twin.txt")
    assert done.returncode == 2
    assert "does not end in .toml" in done.stderr
