"""Builds for other platforms under emulation: each example has the points it has here, digit for digit.

`packaging/platforms.sh` builds the programs: for Windows with mingw-w64, for 64-bit ARM with zig.
`make platforms` runs both.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from ..golden.test_golden import DIGESTS, EXAMPLES, ROOT, SCALED, WHOLE, digest

pytestmark = pytest.mark.nightly
TARGETS = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
PLATFORMS = {
    "Windows": ("x86_64-pc-windows-gnu/debug/examples/requests.exe", ["wine"]),
    "aarch64": (
        "aarch64-unknown-linux-gnu/debug/examples/requests",
        ["qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu"],
    ),
}
"""The program of each platform and what runs it: Debian's wine (64 bits), qemu-user-static with libc6-arm64-cross."""
LONGEST_S = 1800


@pytest.fixture(scope="session", params=PLATFORMS)
def answer(request):
    """Gives the results of many requests on one platform, in their order."""
    program, runner = PLATFORMS[request.param]
    if not (TARGETS / program).exists():
        pytest.skip(f"needs {program}: packaging/platforms.sh")
    if not shutil.which(runner[0]):
        pytest.skip(f"needs {runner[0]}")

    def answers(requests):
        lines = "".join(json.dumps(one) + "\n" for one in requests)
        done = subprocess.run(
            [*runner, TARGETS / program],
            input=lines,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=LONGEST_S,
            env=os.environ | {"WINEDEBUG": "-all"},
            check=True,
        )
        return [json.loads(line) for line in done.stdout.splitlines()]

    return answers


def test_every_example_and_template_has_the_points_it_has_on_linux(answer, sojourn, tmp_path):
    cases = requests(sojourn, tmp_path)

    found = answer(cases.values())

    known = json.loads(DIGESTS.read_text())
    assert not [one["error"] for one in found if "error" in one]
    got = {case: digest(results["points"]) for case, results in zip(cases, found, strict=True)}
    print(f"\n{len(got)} digests")
    assert {case: (got[case], known[case]) for case in cases if got[case] != known[case]} == {}


def test_a_measurement_is_refused_with_what_the_platform_lacks(answer):
    (measured,) = answer([{"command": "measure", "peer": "sojourn://192.0.2.1"}])

    assert "measure needs Linux: it uses sockets with timestamps of the kernel" in measured["error"], measured


def requests(sojourn, folder):
    """What `tests/golden` runs, as requests of the lab by the name of their digest."""
    found = {}
    for file in sorted(EXAMPLES.glob("*.toml")):
        few = file.stem in WHOLE
        found[file.stem] = run(file, [] if few else ["run.duration=30 s"], 1 if few else 3, folder)
    for kind, duration in SCALED.items():
        (folder / kind).mkdir()
        sojourn("new", kind, "-o", f"{kind}/mine.toml")  # whose name is in the points
        found[kind] = run(folder / kind / "mine.toml", [f"run.duration={duration}"], 3, folder)
    return found


def run(file, changes, replications, folder):
    computing = {"cache": str(folder / "cache")}
    return {
        "command": "run",
        "file": str(file),
        "set": changes,
        "runs": {"replications": replications},
        "computing": computing,
    }
