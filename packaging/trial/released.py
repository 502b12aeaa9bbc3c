"""What is tried, in target/dist (`make wheel`) or target/dist/built (`make try-wheel`), and with which Pythons."""

import os
import platform
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DIST = ROOT / "target/dist"
VERSIONS = ("3.11", "3.12", "3.13", "3.14")


def interpreters():
    """Every Python that the package supports, on PATH or in SOJOURN_PYTHONS, a list with colons as PATH has."""
    named = [name for name in os.environ.get("SOJOURN_PYTHONS", "").split(":") if name]
    found = [*named, *filter(None, (shutil.which(f"python{version}") for version in VERSIONS))]
    return {version: path for path in found if (version := version_of(path)) in VERSIONS}


def version_of(python):
    """`3.12` of an interpreter that runs; a shim may name one that is not installed."""
    script = "import sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([python, "-c", script], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def wheels():
    """The wheels that this machine installs."""
    return sorted(
        path
        for path in DIST.rglob("*.whl")
        if path.stem.endswith(platform.machine()) and "linux" in path.name and "musllinux" not in path.name
    )
