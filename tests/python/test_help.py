"""`--help` must be there at once: it may not load what only some commands need."""

import os
import resource
import subprocess
import sys

import pytest

COMMANDS = [
    "networks",
    "studies",
    "metrics",
    "schema",
    "new",
    "check",
    "run",
    "bound",
    "sweep",
    "find",
    "advise",
    "risk",
    "study",
    "measure",
    "agent",
    "listen",
    "relay",
    "history",
    "serve",
    "compare",
    "calibrate",
    "report",
]
HEAVY = {
    "sqlalchemy",
    "alembic",
    "numpy",
    "polars",
    "altair",
    "scipy",
    "jinja2",
    "vl_convert",
    "sojourn._sojourn",
    "starlette",
    "uvicorn",
}
CALLS = [["--help"], *([command, "--help"] for command in COMMANDS)]


def help_of(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "sojourn", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env=os.environ | {"COLUMNS": "110"},
    )


@pytest.mark.parametrize("arguments", CALLS, ids=" ".join)
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    done = help_of(arguments)
    assert done.returncode == 0, done.stderr[-2000:]
    loaded = {line.rsplit("|", 1)[1].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    assert "typer" in loaded, "the list of imports was not read"
    assert not loaded & HEAVY


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_every_command_teaches_with_an_example(command: str) -> None:
    shown = help_of([command, "--help"]).stdout
    assert f"\n  sojourn {command}" in shown


def work_s(*arguments: str) -> float:
    """Seconds of a processor that an interpreter takes with these arguments, at best."""
    spent = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *arguments], capture_output=True, check=True, timeout=300)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(spent)


def test_help_takes_little_more_work_than_loading_the_libraries_that_print_it() -> None:
    libraries = work_s("-c", "import typer, rich.console, rich.table")
    assert work_s("-m", "sojourn", "run", "--help") < 2 * libraries
