"""Limits the files that a document may name: those of the folder, by the kind that a key reads, and named profiles.

A page can save any text, and what a scenario names is read by the simulation: problems of a file show its lines.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from sojourn.errors import UserError
from sojourn.secret import shown

ENDINGS = {
    "stations": (".csv",),
    "file": (".csv",),
    "profile": (".toml",),
    "ca_file": (".pem", ".crt", ".cer"),
    "key_file": None,
}
"""Keys whose value is a path, and how the name of such a file ends; a test compares them with the registry of keys."""
READABLE = (".toml", ".csv", ".pem", ".crt", ".cer")
"""Of a text of any other key that names a file, as the value of a parameter set does."""
ON_AIR = ("kiss+serial:", "kiss+tcp:", "axudp:")
"""Peers that a page does not start a measurement of: a transmitter has an operator, and a serial port is a path."""
LONGEST_PATH = 1024
LONG_KEY = re.compile(r"(?<![\w\"'-])(?:[\w\"'-]+[ \t]*\.[ \t]*){100}")
"""A key with enough parts that the time to read it counts, which grows with their square."""


def refuse_outside(folder: Path, text: str, settings: Iterable[str] = ()) -> None:
    """`UserError` where a document, or a setting `KEY=VALUE` or `KEY=VALUES` of it, names a file that it may not."""
    for key, value in _named(text, settings):
        _refuse(folder, key, value)


def files_named(folder: Path, text: str, settings: Iterable[str] = ()) -> list[tuple[str, bool]]:
    """The files of the folder that a document and settings name, as written, each with whether it is a secret.

    Parameter sets among them name further ones. `UserError` for one that another folder would not have at that path.
    """
    found: dict[str, bool] = {}
    texts = [(text, list(settings))]
    while texts:
        for key, value in _named(*texts.pop()):
            inside, is_file, suffix = _place(folder, value)
            if not (inside and is_file) or value in found:
                continue
            if Path(value).is_absolute() or os.path.normpath(value).startswith(".."):
                raise UserError(f"{key} = {value!r}: a job takes the files of its folder by their path from there")
            found[value] = key in ENDINGS and ENDINGS[key] is None
            if suffix == ".toml":
                texts.append((_read(folder / value), []))
    return list(found.items())


def document_of(text: str) -> dict[str, Any]:
    """A document as data, empty for one that is not TOML; `UserError` for one that is nested too deep to be read."""
    if LONG_KEY.search(text):
        raise UserError("a key of the document has too many parts")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}
    except RecursionError:
        raise UserError("the document is nested too deep") from None


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _named(text: str, settings: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Keys and texts of a document and of settings. One that is not TOML names none: the scenario crate refuses it."""
    yield from _texts("", document_of(text))
    for setting in settings:
        yield from _of_setting(setting)


def _refuse(folder: Path, key: str, text: str) -> None:
    if text.strip().lower().startswith(ON_AIR):
        raise UserError(f"{shown(text)!r} is measured from the command line only: `sojourn measure`")
    if key not in ENDINGS and len(text) > LONGEST_PATH:
        return
    inside, is_file, suffix = _place(folder, text)
    endings = ENDINGS.get(key, READABLE)
    if key in ENDINGS and not inside:
        raise UserError(f"{key} = {text!r}: the workbench reads files of its folder only")
    if is_file and not (inside and (endings is None or suffix in endings)):
        raise UserError(f"{text!r} is a file that a scenario of the workbench may not read as {key or 'a value'}")


def _place(folder: Path, text: str) -> tuple[bool, bool, str]:
    """Whether a path lies in the folder, links followed, whether it is there and no folder, and its ending."""
    try:
        place = (folder / text).resolve()
        return place.is_relative_to(folder.resolve()), place.exists() and not place.is_dir(), place.suffix.lower()
    except (OSError, ValueError, RuntimeError):
        return False, False, ""


def _of_setting(setting: str) -> Iterator[tuple[str, str]]:
    """The texts of a setting: as a whole, in parts, and as TOML."""
    path, _, value = setting.partition("=")
    key = path.strip().rpartition(".")[2]
    bare = value.strip()
    for text in dict.fromkeys([bare, *bare.split(",")]):
        yield key, text.strip().strip("\"'")
        try:
            yield from _texts(key, tomllib.loads(f"value = {text}")["value"])
        except (tomllib.TOMLDecodeError, KeyError):
            continue


def _texts(key: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, Mapping):
        for name, member in value.items():
            # an option has paths as keys: "station.server.profile"
            yield from _texts(name.rpartition(".")[2], member)
    elif isinstance(value, list):
        for member in value:
            yield from _texts(key, member)
