"""Tags of runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, select

from sojourn.errors import UnknownName
from sojourn.store.queries import tags_of
from sojourn.store.schema import runs, tags

if TYPE_CHECKING:
    from sqlalchemy import Engine


def change(engine: Engine, run: int, names: Sequence[str], *, remove: bool) -> list[str]:
    """Adds tags to a run or removes them; returns those it then has."""
    with engine.begin() as connection:
        if connection.execute(select(runs.c.id).where(runs.c.id == run)).first() is None:
            raise UnknownName(f"there is no run {run} in the store; `sojourn history` lists them")
        connection.execute(delete(tags).where(tags.c.run_id == run, tags.c.tag.in_(names)))
        if not remove:
            connection.execute(insert(tags), [{"run_id": run, "tag": name} for name in dict.fromkeys(names)])
        return tags_of(connection, [run])[run]
