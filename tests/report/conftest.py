"""A sweep's report, which several tests open."""

from collections.abc import Callable
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "queue-mm1.toml"
RATE = "flow.customers.arrivals.rate"


@pytest.fixture(scope="session")
def report(written_by: Callable[..., Path]) -> Path:
    sweep = ("sweep", str(EXAMPLE), "--over", f"{RATE}=60:80:10 /s", "--set", "run.duration=20 s")
    return written_by(*sweep, "--replications", "3") / "report.html"
