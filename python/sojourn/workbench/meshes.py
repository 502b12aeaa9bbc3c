"""The meshes of the store as pages show them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from sojourn.errors import UnknownName
from sojourn.store.times import S_US

if TYPE_CHECKING:
    from sojourn.workbench.history import History

SHOWN = {"response_time": "Response time", "one_way_delay/forward": "One-way delay"}
"""What a matrix shows, and its title."""
NUMBERS = {"response_time": ("median", "99 %"), "one_way_delay/forward": ("mean", "99 %")}
"""What both numbers of a cell are."""
MOST = 20
"""Meshes that can be chosen."""


def meshes_of(history: History) -> list[tuple[int, str, int]]:
    """Number, name and begin of the latest meshes."""
    from sojourn.store.mesh import meshes  # noqa: PLC0415

    with history.reading() as connection:
        return meshes(connection, MOST)


def matrix_of(history: History, run: int, shown: str) -> dict[str, Any]:
    """A matrix as texts: names, and the cells by row and column; `UnknownName` where there is no such mesh."""
    from sojourn.store.mesh import latest  # noqa: PLC0415

    with history.reading() as connection:
        mesh = latest(connection, run, shown, int(time.time() * S_US))
    if mesh is None:
        raise UnknownName("there is no such mesh")
    texts = mesh.matrix.shown()
    names = list(mesh.matrix.names)
    return {
        "name": mesh.name,
        "host": mesh.host,
        "last_s": mesh.last_us / S_US,
        "window_s": mesh.window_s,
        "unit": mesh.matrix.scale.unit,
        "numbers": NUMBERS[shown],
        "names": names,
        "counts": mesh.matrix.counts(),
        "rows": [[texts.get((measuring, measured)) for measured in names] for measuring in names],
    }
