"""`sojourn-agent` as released: static, small, and at work in an empty root; its units, account and pages."""

import os
import platform
import shutil
import subprocess
import time

import pytest
from released import DIST, ROOT

LARGEST = 6e6
BINARY = DIST / f"sojourn-agent-{platform.machine()}"
FOREIGN = DIST / "sojourn-agent-aarch64"


@pytest.fixture
def empty_root(tmp_path):
    """A folder with the program and nothing else."""
    root = tmp_path / "root"
    root.mkdir()
    shutil.copy(BINARY, root / "sojourn-agent")
    return root


@pytest.mark.parametrize("binary", sorted(DIST.glob("sojourn-agent-*")), ids=lambda path: path.name)
def test_the_program_is_static_and_small(binary):
    described = subprocess.run(["file", "-b", binary], capture_output=True, text=True, check=True).stdout

    assert "static" in described and "stripped" in described, described
    print(f"\n{binary.name}: {binary.stat().st_size / 1e6:.2f} MB")
    assert binary.stat().st_size <= LARGEST


@pytest.mark.skipif(os.geteuid() != 0, reason="chroot needs root")
def test_it_answers_a_measurement_from_an_empty_root(empty_root):
    url = "sojourn://127.0.0.1:18652"
    command = ["chroot", "--userspec=65534:65534", empty_root, "/sojourn-agent", url, "--count", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as agent:
        time.sleep(0.5)
        measure = [ROOT / ".venv/bin/sojourn", "measure", url, "--duration", "1 s"]
        done = subprocess.run(measure, capture_output=True, text=True, timeout=60, check=False)
        report, _ = agent.communicate(timeout=30)

    print(f"\n{report}")
    assert done.returncode == 0, done.stderr
    assert report.startswith("session with 127.0.0.1:")
    assert agent.returncode == 0


@pytest.mark.skipif(not FOREIGN.exists(), reason="ARCHITECTURES left aarch64 out")
@pytest.mark.skipif(not shutil.which("qemu-aarch64-static"), reason="needs qemu-aarch64-static, of qemu-user-static")
def test_the_program_for_aarch64_answers_under_emulation():
    url = "udp-echo://127.0.0.1:18653"
    command = ["qemu-aarch64-static", FOREIGN, url]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as agent:
        try:
            assert "listening" in agent.stderr.readline()
            measure = [ROOT / ".venv/bin/sojourn", "measure", url, "--duration", "1 s"]
            done = subprocess.run(measure, capture_output=True, text=True, timeout=60, check=False)
        finally:
            agent.terminate()

    assert done.returncode == 0, done.stderr


def test_the_man_page_is_in_order():
    page = DIST / "share/man/man1/sojourn-agent.1"
    if not shutil.which("man"):
        pytest.skip("needs man")
    shown = subprocess.run(["man", "-l", page], capture_output=True, text=True, check=True).stdout
    assert "--key-file" in shown
