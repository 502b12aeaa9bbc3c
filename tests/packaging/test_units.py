"""The units of systemd and the account they run under, as systemd itself reads them."""

import re
import subprocess
from pathlib import Path

import pytest

SYSTEMD = Path(__file__).resolve().parents[2] / "packaging/systemd"
UNITS = sorted(SYSTEMD.glob("*.service"))
MOST_EXPOSED = 1.5
"""Of systemd's scale from 0 (sealed) to 10 (exposed)."""

pytestmark = pytest.mark.peer("systemd-analyze", package="systemd")


@pytest.fixture(params=UNITS, ids=lambda path: path.name)
def unit(request, tmp_path):
    """The unit with a program that is there: systemd refuses one that is not."""
    text = re.sub(r"(?m)^ExecStart=\S+", "ExecStart=/bin/true", request.param.read_text())
    (tmp_path / request.param.name).write_text(text)
    return tmp_path / request.param.name


def analyzed(*arguments):
    return subprocess.run(["systemd-analyze", *arguments], capture_output=True, text=True, check=False)


def test_systemd_finds_no_mistake_in_a_unit(unit):
    done = analyzed("verify", "--man=no", unit)

    assert done.returncode == 0, done.stderr
    assert unit.name not in done.stderr


def test_a_unit_exposes_little(unit):
    done = analyzed("security", "--offline=true", f"--threshold={10 * MOST_EXPOSED:.0f}", unit)

    assert done.returncode == 0, done.stdout


@pytest.mark.peer("systemd-sysusers", package="systemd")
def test_the_account_of_the_units_is_created_without_a_shell(tmp_path):
    folder = tmp_path / "usr/lib/sysusers.d"
    folder.mkdir(parents=True)
    (folder / "sojourn.conf").write_text((SYSTEMD / "sysusers.conf").read_text())
    (tmp_path / "etc").mkdir()

    subprocess.run(["systemd-sysusers", f"--root={tmp_path}"], check=True, capture_output=True)
    (account,) = (tmp_path / "etc/passwd").read_text().splitlines()
    assert account.startswith("sojourn:") and account.endswith("nologin")


def test_every_unit_runs_under_that_account():
    for path in UNITS:
        assert "User=sojourn\nGroup=sojourn\n" in path.read_text()
