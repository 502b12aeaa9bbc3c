"""`batch`: a job script that computes the shards of a command on a batch system."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class System(StrEnum):
    """Batch systems with a template."""

    slurm = "slurm"
    kubernetes = "kubernetes"


def batch(
    system: Annotated[System, typer.Argument(metavar="slurm|kubernetes", help="The batch system.")],
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND ...", help="A run, a sweep or a study.")],
    shards: Annotated[
        int, typer.Option(metavar="N", min=1, max=100_000, help="Tasks that the replications are divided among.")
    ] = 64,
    cpus: Annotated[int, typer.Option(metavar="N", min=1, max=1024, help="Processors of a task.")] = 1,
    memory: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Memory of a task, as the batch system writes it. [1 GiB]")
    ] = None,
    image: Annotated[
        str, typer.Option(metavar="NAME", help="Kubernetes: an image with Sojourn installed.")
    ] = "sojourn:latest",
) -> None:
    """Prints a job script: a SLURM job array or a Kubernetes Job with a shard for each task.

    Each task computes one of equal parts of the replications into a cache of its own and continues from it where it is
    run again. `sojourn cache merge` joins them. Take several times as many shards as processors: they do not take
    equally long.

    \b
    sojourn batch slurm --memory 1G -- sweep site.toml --over 'probe.data=1 B,8 B' --replications 1000 > site.sh
    sojourn batch kubernetes --image registry/sojourn:1 -- study lontalk-response-time > job.yaml
    """
    from sojourn import batch as batches  # noqa: PLC0415
    from sojourn.cli.output import data  # noqa: PLC0415

    data(batches.script(system.value, command, batches.Tasks(shards, cpus, memory, image)))
