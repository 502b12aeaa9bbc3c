"""Where records go: `$SOJOURN_STORE`, else `config.toml`, else a file of SQLite in the user's data folder.

How long they stay as they are: `[retention]` of `config.toml`, else for ever.
"""

from __future__ import annotations

import hashlib
import os
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sojourn import platforms
from sojourn.errors import UserError
from sojourn.secret import Secret, shown
from sojourn.store.times import age_s

OFF = "off"
VARIABLE = "SOJOURN_STORE"
FORMS = "postgresql://USER@HOST/DATABASE, sqlite:///FILE, or off"


@dataclass(frozen=True, init=False)
class Place:
    """A store and the spool of this host's records for it."""

    url: Secret
    """It may have a password."""
    spool: Path

    def __init__(self, url: str, spool: Path) -> None:
        """The store of a URL."""
        object.__setattr__(self, "url", Secret(url))
        object.__setattr__(self, "spool", spool)

    @property
    def shown(self) -> str:
        """The URL without a password."""
        return shown(self.url.revealed())

    @property
    def is_postgresql(self) -> bool:
        """Whether it is a server, which others may write to and which may be away."""
        return self.url.revealed().startswith("postgresql://")


@dataclass(frozen=True)
class Retention:
    """Ages of what the store condenses and deletes."""

    windows_s: int
    """Windows older than this become hours."""
    hours_s: int
    """Hours older than this become days."""
    runs_s: int | None = None
    """Runs older than this are deleted, except monitors; none where it is absent."""


WINDOWS, HOURS = "30 d", "1 y"
"""What becomes hours and days where no age is given."""


def place() -> Place | None:
    """The store that the environment or the configuration names; None where recording is off or not possible."""
    if not platforms.has("history"):
        return None
    url = os.environ.get(VARIABLE) or _configured_store()
    if url == OFF:
        return None
    url = url or f"sqlite:///{data_folder() / 'history.sqlite3'}"
    if not url.startswith(("postgresql://", "sqlite:///")):
        raise UserError(f"no store at {shown(url)}; {VARIABLE} is {FORMS}")
    return of(url, data_folder())


def of(url: str, folder: Path) -> Place:
    """The store of a URL, with a spool of its own: records wait for the store that they were made for."""
    name = hashlib.sha256(shown(url).encode()).hexdigest()[:16]
    return Place(url, folder / "spool" / name)


def retention() -> Retention | None:
    """What `[retention]` of the user's configuration asks for; None where it has no such table."""
    file, found = configuration(), _configured().get("retention")
    if found is None:
        return None
    if not isinstance(found, dict) or (unknown := found.keys() - {"windows", "hours", "runs"}):
        what = f"has no {min(unknown)}" if isinstance(found, dict) else "is a table"
        raise UserError(f"{file}: retention {what}; it has windows, hours and runs")
    ages = {name: age_s(str(text)) for name, text in ({"windows": WINDOWS, "hours": HOURS} | found).items()}
    for name, age in ages.items():
        if age is None:
            raise UserError(f"{file}: retention.{name} is an age: 90 min, 12 h, 30 d, 8 w, 1 y")
    return Retention(ages["windows"] or 0, ages["hours"] or 0, ages.get("runs"))


def data_folder() -> Path:
    """`$XDG_DATA_HOME/sojourn`, else `~/.local/share/sojourn`."""
    return _user_folder("XDG_DATA_HOME", ".local/share")


def configuration() -> Path:
    """The user's `config.toml`, which need not exist."""
    return _user_folder("XDG_CONFIG_HOME", ".config") / "config.toml"


def _user_folder(variable: str, below_home: str) -> Path:
    try:
        return Path(os.environ.get(variable) or Path.home() / below_home) / "sojourn"
    except RuntimeError:
        raise UserError(f"there is no home folder: set HOME, {variable} or {VARIABLE}={OFF}") from None


def _configured_store() -> str | None:
    """The store that the user's configuration names."""
    store = _configured().get("store")
    if store is None or isinstance(store, str):
        return store
    raise UserError(f"{configuration()}: store is a text: {FORMS}")


def _configured() -> dict[str, Any]:
    """The user's configuration, empty where there is none."""
    file = configuration()
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{file}: {error}") from None
    except UnicodeDecodeError:
        raise UserError(f"{file} is not UTF-8") from None
