"""`compare` of two results: exit code 1 where they differ, 0 where no difference is shown."""

import pytest


@pytest.fixture
def simulated(sojourn, tmp_path):
    """Results of a queue at an arrival rate, in a folder of that name."""
    sojourn("new", "queue", "-o", "queue.toml")

    def run(name: str, *changes: str):
        sets = [word for change in changes for word in ("--set", change)]
        size = ("--replications", "5", "--set", "run.duration=60 s", "--set", "run.warm_up=1 s")
        done = sojourn("run", "queue.toml", *size, *sets, "--out", name)
        assert done.returncode in (0, 1), done.stderr
        return tmp_path / name

    return run


def test_results_that_differ_end_with_1(sojourn, simulated):
    usual, quieter = simulated("usual"), simulated("quieter", "flow.customers.arrivals.rate=40 /s")
    assert sojourn("compare", usual, quieter).returncode == 1


def test_the_same_results_end_with_0(sojourn, simulated):
    assert sojourn("compare", simulated("one"), simulated("other")).returncode == 0
