"""The same numbers on every machine: digests over the points of small runs, made elsewhere.

A change that is meant to move results renews them: `make golden`, in a commit that says why.
"""

import hashlib
import json
import os
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
DIGESTS = Path(__file__).with_name("digests.json")
SCALED = {
    "fddi-adapter": "3 ms",
    "ip": "2 s",
    "switched-lan": "1 s",
}
"""Networks whose template is run, and for how long."""
CASES = (
    "queue-mm1",
    "queue-tandem",
    "lontalk-load",
    "lontalk-group",
    "lontalk-services",
    "lontalk-site",
    "fddi-campus",
    "packet-radio-valley",
)


def digest(points: list[dict]) -> str:
    """Over the values, not over their spelling in the file."""
    return hashlib.sha256(json.dumps(points, sort_keys=True).encode()).hexdigest()


@pytest.mark.parametrize("case", CASES)
def test_the_points_are_those_of_other_machines(sojourn, case):
    compare(sojourn, case, EXAMPLES / f"{case}.toml", "30 s")


@pytest.mark.parametrize("kind", SCALED)
def test_the_points_of_a_template_are_those_of_other_machines(sojourn, tmp_path, kind):
    sojourn("new", kind, "-o", "mine.toml")
    compare(sojourn, kind, tmp_path / "mine.toml", SCALED[kind])


def compare(sojourn, case, file, duration):
    """Runs a scenario and compares its digest with that of the case, or writes it."""
    size = ("--set", f"run.duration={duration}", "--replications", "3", "--format", "json")
    done = sojourn("run", file, *size)
    found = digest(json.loads(done.stdout)["points"])

    known = json.loads(DIGESTS.read_text())
    if os.environ.get("SOJOURN_GOLDEN") == "write":
        DIGESTS.write_text(json.dumps(known | {case: found}, indent=1, sort_keys=True) + "\n")
    else:
        assert found == known[case]
