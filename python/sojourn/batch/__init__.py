"""Job scripts for batch systems: each shard of a command is a task, which may be killed and rerun."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from string import Template

from sojourn.errors import UserError

SYSTEMS = {"slurm": ("slurm.sh", "1G"), "kubernetes": ("kubernetes.yaml", "1Gi")}
"""The template of each batch system, and a gibibyte as it is written there."""
COMMANDS = ("run", "sweep", "study")
"""The commands that have shards."""
PLACED = ("--shard", "--out", "--cluster", "--jobs")
"""Options that the script gives."""


@dataclass(frozen=True)
class Tasks:
    """The tasks of a job."""

    shards: int
    """Tasks that the replications are divided among."""
    cpus: int = 1
    """Processors of each."""
    memory: str | None = None
    """Memory of each, as the batch system writes it; 1 GiB by default."""
    image: str = "sojourn:latest"
    """The container image with Sojourn installed."""


def script(system: str, command: Sequence[str], tasks: Tasks) -> str:
    """The job script of a command, as `["sweep", "site.toml", "--over", ...]`, in this many shards."""
    if not command or command[0] not in COMMANDS:
        raise UserError(f"shards are of {', '.join(COMMANDS)}: write `-- sweep FILE ...` after the options")
    given = [word for word in command if word.partition("=")[0] in PLACED]
    if given:
        raise UserError(f"leave out {given[0]}: the script gives it")
    if any("\n" in word for word in command):
        raise UserError("the command has a line break, which a job script cannot hold")
    template, gibibyte = SYSTEMS[system]
    words = {
        "command": shlex.join(["sojourn", *command]),
        "shards": tasks.shards,
        "cpus": tasks.cpus,
        "memory": tasks.memory or gibibyte,
        "image": tasks.image,
    }
    return Template(files(__package__).joinpath(template).read_text(encoding="utf-8")).substitute(words)
