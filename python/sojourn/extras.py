"""The packages of the extras that `pyproject.toml` declares: a module that needs one checks here before it imports it.

The base installation simulates, measures and prints; an extra brings the packages of one more purpose::

    require("polars", "data frames")
    import polars as pl
"""

from __future__ import annotations

from importlib.util import find_spec

from sojourn.errors import MissingExtra

PACKAGES = {
    "jinja2": "report",
    "vl_convert": "images",
    "yaml": "labs",
    "can": "can",
    "cantools": "can",
    "anywidget": "notebook",
    "altair": "frames",
    "polars": "frames",
    "numpy": "calibrate",
    "ruptures": "calibrate",
    "scipy": "calibrate",
    "distributed": "cluster",
    "alembic": "store",
    "pg8000": "store",
    "sqlalchemy": "store",
    "starlette": "web",
    "uvicorn": "web",
}
"""The extra that brings each package, by the name it is imported under."""


def has(package: str) -> bool:
    """Whether a package of an extra is installed."""
    return find_spec(package) is not None


def missing(package: str, purpose: str) -> str:
    """The line that names the extra which `purpose`, in the plural, needs."""
    extra = PACKAGES[package]
    return f"{purpose} need the extra {extra!r}: pip install 'sojourn[{extra}]'"


def require(package: str, purpose: str) -> None:
    """Raises `MissingExtra` with one line where a package is not installed; `purpose`, in the plural, needs it."""
    if not has(package):
        raise MissingExtra(missing(package, purpose))
