"""Tags of runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlalchemy import delete, insert

from sojourn.store import checksums
from sojourn.store.database import DamagedRun
from sojourn.store.queries import refuse_unknown
from sojourn.store.schema import tags

if TYPE_CHECKING:
    from sqlalchemy import Engine


def change(engine: Engine, run: int, names: Sequence[str], *, remove: bool) -> list[str]:
    """Adds tags to a run or removes them; returns those it then has."""
    with engine.begin() as connection:
        refuse_unknown(connection, run)
        if checksums.damaged(connection, [run]):
            raise DamagedRun([run])
        connection.execute(delete(tags).where(tags.c.run_id == run, tags.c.tag.in_(names)))
        if not remove:
            connection.execute(insert(tags), [{"run_id": run, "tag": name} for name in dict.fromkeys(names)])
        checksums.write(connection, [run])
        return checksums.tags_of(connection, [run])[run]
