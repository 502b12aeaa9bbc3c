"""Failing files, folders and disks: a clear error, the right exit status, nothing lost."""

import errno
import json
import os
import resource
import subprocess
from pathlib import Path

import pytest


@pytest.fixture
def queue(sojourn, tmp_path):
    """The commented queue scenario that `new` writes."""
    assert sojourn("new", "queue", "-o", "queue.toml").returncode == 0
    return tmp_path / "queue.toml"


def test_a_missing_file_is_named(sojourn):
    done = sojourn("run", "nowhere.toml")

    assert done.returncode == 2
    assert "nowhere.toml" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_in_place_of_a_file_is_named(sojourn, tmp_path):
    (tmp_path / "folder.toml").mkdir()

    done = sojourn("check", "folder.toml")

    assert done.returncode == 2
    assert "folder.toml" in done.stderr


def test_a_binary_file_is_refused(sojourn, tmp_path):
    (tmp_path / "noise.toml").write_bytes(bytes(range(256)))

    done = sojourn("check", "noise.toml")

    assert done.returncode == 2
    assert "noise.toml" in done.stderr


def test_an_unreadable_file_is_named(sojourn, queue):
    queue.chmod(0)

    done = sojourn("run", queue, plain_user=True)

    assert done.returncode == 2
    assert "queue.toml" in done.stderr
    assert "not readable" in done.stderr


def test_an_unwritable_folder_is_named_before_anything_runs(sojourn, queue, tmp_path):
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)

    done = sojourn("run", queue, "--out", locked / "out", plain_user=True)

    assert done.returncode == 2
    assert "locked" in done.stderr


def test_an_out_folder_below_a_file_is_refused(sojourn, queue):
    done = sojourn("run", queue, "--out", queue / "out")

    assert done.returncode == 2
    assert "queue.toml" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_full_disk_fails_clearly_and_leaves_no_half_written_result(sojourn, queue, tmp_path):
    def small_disk() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))

    done = sojourn("run", queue, "--out", "full", preexec_fn=small_disk)

    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert done.stderr.strip() != ""
    assert not (tmp_path / "full" / "results.json").exists()

    again = sojourn("run", queue, "--out", "full")

    assert again.returncode == 0, again.stderr
    json.loads((tmp_path / "full" / "results.json").read_text())


def test_a_full_disk_behind_standard_output_fails_clearly(sojourn, queue):
    with Path("/dev/full").open("w") as full:
        done = sojourn("run", queue, "--format", "json", stdout=full)

    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert os.strerror(errno.ENOSPC) in done.stderr


def test_a_reader_that_closes_early_gets_no_traceback(tool, queue, environment):
    command = f"'{tool}' run '{queue}' --format json 2>errors | head -c 1 >/dev/null"

    subprocess.run(["bash", "-c", command], env=environment, cwd=queue.parent, timeout=120, check=True)

    assert "Traceback" not in (queue.parent / "errors").read_text()
