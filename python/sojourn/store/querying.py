"""Read-only SQL queries of users."""

from __future__ import annotations

from typing import Any

from sojourn.errors import UserError
from sojourn.store.database import read_only
from sojourn.store.settings import Place


def answer(place: Place, query: str) -> list[dict[str, Any]]:
    """The rows of one statement; `UserError` for several, `StoreError` where the server refuses it."""
    statement = query.strip().removesuffix(";")
    if ";" in statement:
        raise UserError("one statement at a time, without a semicolon")
    with read_only(place) as connection:
        found = connection.exec_driver_sql(statement.replace("%", "%%") if place.is_postgresql else statement)
        return [dict(row._mapping) for row in found] if found.returns_rows else []
