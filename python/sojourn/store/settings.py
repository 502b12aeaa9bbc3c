"""Where records go: `$SOJOURN_STORE`, else `config.toml`, else a file of SQLite in the user's data folder."""

from __future__ import annotations

import hashlib
import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

from sojourn.errors import UserError
from sojourn.store.redaction import without_password

OFF = "off"
VARIABLE = "SOJOURN_STORE"
FORMS = "postgresql://USER@HOST/DATABASE, sqlite:///FILE, or off"


@dataclass(frozen=True)
class Place:
    """A store and the spool of this host's records for it."""

    url: str
    spool: Path

    @property
    def shown(self) -> str:
        """The URL without a password."""
        return without_password(self.url)

    @property
    def is_postgresql(self) -> bool:
        """Whether it is a server, which others may write to and which may be away."""
        return self.url.startswith("postgresql://")


def place() -> Place | None:
    """The store that the environment or the configuration names; None where recording is off."""
    url = os.environ.get(VARIABLE) or _configured()
    if url == OFF:
        return None
    url = url or f"sqlite:///{data_folder() / 'history.sqlite3'}"
    if not url.startswith(("postgresql://", "sqlite:///")):
        raise UserError(f"no store at {without_password(url)}; {VARIABLE} is {FORMS}")
    return of(url, data_folder())


def of(url: str, folder: Path) -> Place:
    """The store of a URL, with a spool of its own: records wait for the store that they were made for."""
    name = hashlib.sha256(without_password(url).encode()).hexdigest()[:16]
    return Place(url, folder / "spool" / name)


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


def _configured() -> str | None:
    """The store that the user's configuration names."""
    file = configuration()
    try:
        text = file.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        store = tomllib.loads(text).get("store")
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{file}: {error}") from None
    if store is None or isinstance(store, str):
        return store
    raise UserError(f"{file}: store is a text: {FORMS}")
