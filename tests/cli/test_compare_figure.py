"""`compare --figure`: the distributions of two results in one picture."""

import pytest


@pytest.fixture
def both(sojourn, tmp_path):
    """Results of a queue at two arrival rates."""
    sojourn("new", "queue", "-o", "queue.toml")
    size = ("--replications", "2", "--set", "run.duration=60 s", "--set", "run.warm_up=1 s")
    for name, rate in (("usual", "60 /s"), ("quieter", "40 /s")):
        sojourn("run", "queue.toml", *size, "--set", f"flow.customers.arrivals.rate={rate}", "--out", name)
    return tmp_path / "usual", tmp_path / "quieter"


def test_the_figure_has_a_line_for_each_of_both_and_their_percentiles(sojourn, both, tmp_path):
    done = sojourn("compare", *both, "--figure", "both.svg")

    assert done.returncode in (0, 1), done.stderr
    assert "wrote both.svg" in done.stderr
    figure = (tmp_path / "both.svg").read_text()
    for text in ("simulated (usual)", "simulated (quieter)", "Cumulative distribution (%)", "p99"):
        assert text in figure, text


def test_a_figure_of_a_metric_without_a_distribution_is_refused(sojourn, both, tmp_path):
    done = sojourn("compare", *both, "--metric", "throughput", "--figure", "both.svg")

    assert done.returncode == 2
    assert "has no distribution of throughput" in done.stderr
    assert not (tmp_path / "both.svg").exists()


def test_a_file_of_another_kind_is_refused(sojourn, both):
    done = sojourn("compare", *both, "--figure", "both.jpg")

    assert done.returncode == 2
    assert ".svg, .png" in done.stderr
