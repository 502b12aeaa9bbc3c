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
    size = ("--set", "run.duration=30 s", "--replications", "3", "--format", "json")
    done = sojourn("run", EXAMPLES / f"{case}.toml", *size)
    found = digest(json.loads(done.stdout)["points"])

    known = json.loads(DIGESTS.read_text())
    if os.environ.get("SOJOURN_GOLDEN") == "write":
        DIGESTS.write_text(json.dumps(known | {case: found}, indent=1, sort_keys=True) + "\n")
    else:
        assert found == known[case]
