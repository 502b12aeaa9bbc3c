"""The same numbers on every machine: digests over the points of small runs, made elsewhere.

A change that is meant to move results renews them: `make golden`, in a commit that says why.
"""

import hashlib
import json
import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
STUDIES = ROOT / "studies"
DIGESTS = Path(__file__).with_name("digests.json")
SCALED = {
    "fddi": "2 s",
    "fddi-adapter": "3 ms",
    "ip": "2 s",
    "lontalk": "20 s",
    "modbus": "20 s",
    "mstp": "60 s",
    "packet-radio": "10 min",
    "queue": "60 s",
    "switched-lan": "1 s",
}
"""Networks whose template is run, and for how long."""
WHOLE = ("fddi-outage", "lontalk-power", "lontalk-redundant", "outage", "packet-radio-night", "packet-radio-outage")
"""Examples with events, which need all their time: of one replication."""


def digest(points: list[dict]) -> str:
    """Over the values, not over their spelling in the file."""
    return hashlib.sha256(json.dumps(points, sort_keys=True).encode()).hexdigest()


@pytest.mark.parametrize("case", sorted(file.stem for file in EXAMPLES.glob("*.toml")))
def test_the_points_are_those_of_other_machines(sojourn, case):
    size = ["--replications", "1"] if case in WHOLE else ["--set", "run.duration=30 s", "--replications", "3"]
    compare(case, sojourn("run", EXAMPLES / f"{case}.toml", *size, "--format", "json"))


@pytest.mark.parametrize("kind", SCALED)
def test_the_points_of_a_template_are_those_of_other_machines(sojourn, tmp_path, kind):
    sojourn("new", kind, "-o", "mine.toml")
    size = ("--set", f"run.duration={SCALED[kind]}", "--replications", "3")
    compare(kind, sojourn("run", tmp_path / "mine.toml", *size, "--format", "json"))


@pytest.mark.nightly
@pytest.mark.parametrize(
    "study", sorted(folder.name for folder in STUDIES.iterdir() if (folder / "study.toml").exists())
)
def test_the_points_of_a_study_are_those_of_other_machines(sojourn, study):
    compare(f"study-{study}", sojourn("study", study, "--quick", "--format", "json"))


def compare(case, done):
    """Compares the digest of a command's points with that of the case, or writes it."""
    found = digest(json.loads(done.stdout)["points"])
    known = json.loads(DIGESTS.read_text())
    if os.environ.get("SOJOURN_GOLDEN") == "write":
        DIGESTS.write_text(json.dumps(known | {case: found}, indent=1, sort_keys=True) + "\n")
    else:
        assert found == known[case]
