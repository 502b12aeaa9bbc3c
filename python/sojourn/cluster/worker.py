"""The code that runs on a worker."""

from __future__ import annotations

from typing import Any

from sojourn.bindings import call, extension

LOOK_S = 0.2
"""A batch that was cancelled on the cluster stops within this time."""


class OtherBuild(Exception):  # noqa: N818 - the name states the error
    """The worker has another build than the client; arguments are its address, its identity and its version."""


class Abandoned(Exception):  # noqa: N818
    """The batch was cancelled on the cluster; its answers are not taken."""


def build() -> tuple[str, str]:
    """Identity and version of the build here."""
    return call("identity"), call("version")


def check(identity: str) -> None:
    """Raises `OtherBuild` unless this is the client's build; an error travels with the scheduler, a value would not."""
    from distributed import get_worker  # noqa: PLC0415

    if build()[0] != identity:
        raise OtherBuild(get_worker().address, *build())


def compute(batch: str) -> bytes:
    """The answers to a batch, as they travel."""
    from distributed import get_worker  # noqa: PLC0415

    worker = get_worker()
    key = worker.get_current_task()
    module = extension()
    try:
        computation = module.Computation(batch)
    except module.WrongBuild:
        raise OtherBuild(worker.address, *build()) from None
    while not computation.wait(LOOK_S):
        if _is_cancelled(worker, key):
            computation.cancel()
    answers: bytes | None = computation.answers()
    if answers is None:
        raise Abandoned(key)
    return answers


def _is_cancelled(worker: Any, key: str) -> bool:
    """Whether the cluster does not wait for a task any more."""
    task = worker.state.tasks.get(key)
    return task is None or task.state not in ("executing", "long-running")
