"""Authorization: a token in a link is exchanged for a cookie, which states whose link it is."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from sojourn.errors import UserError
from sojourn.secret import Secret

SESSION_S = 7 * 86_400
"""Lifetime of a cookie."""
FEWEST_CHARACTERS = 32
"""Of a token in a file."""
MOST_GUESSES = 20
"""Wrong tokens of an address in a period, after which it is answered with 429."""
GUESS_PERIOD_S = 60.0
MOST_ADDRESSES = 1000
"""Addresses whose wrong tokens are counted; beyond it the oldest is forgotten."""
_TOKEN = re.compile(r"[A-Za-z0-9_-]+")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


class Role(StrEnum):
    """What a visitor may do."""

    view = "view"
    """Read scenarios, jobs and the store."""
    run = "run"
    """Also save scenarios, start and stop jobs, and tag runs."""


@dataclass(frozen=True)
class Link:
    """What a visitor is known by."""

    name: str
    """Shown beside the jobs that were asked for with it."""
    role: Role
    token: Secret


@dataclass(frozen=True)
class Tokens:
    """The links of a server, each with its secret."""

    links: tuple[Link, ...]

    @classmethod
    def pair(cls, run: str, view: str) -> Tokens:
        """A link of each role, named after it."""
        return cls((Link("run", Role.run, Secret(run)), Link("view", Role.view, Secret(view))))

    @classmethod
    def fresh(cls) -> Tokens:
        """New ones of 256 bits."""
        return cls.pair(secrets.token_urlsafe(32), secrets.token_urlsafe(32))

    @classmethod
    def of_file(cls, file: Path) -> Tokens:
        """Those of a file, lines `NAME ROLE TOKEN` or `ROLE TOKEN`; one of each role is made where there is no file.

        `UserError` for a file that others can read, and for tokens that are short or equal.
        """
        try:
            handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return cls._read(file)
        made = cls.fresh()
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.writelines(f"{link.name} {link.role.value} {link.token.revealed()}\n" for link in made.links)
        return made

    @classmethod
    def _read(cls, file: Path) -> Tokens:
        if file.stat().st_mode & 0o077:
            raise UserError(f"{file} can be read by others: chmod 600 {file}")
        rows = [line.split() for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
        # a line of two words is of a link named after its role
        found = [_link([row[0], *row] if len(row) == 2 else row) for row in rows]
        links = tuple(link for link in found if link is not None)
        different = {len(links), len({link.name for link in links}), len({link.token for link in links})}
        if not links or len(links) != len(rows) or len(different) > 1:
            raise UserError(
                f"{file} has lines `NAME ROLE TOKEN`: names that differ, of letters, digits, - or _; run or view; and "
                f"tokens that differ, of {FEWEST_CHARACTERS} letters, digits, - or _ at least"
            )
        return cls(links)

    def link_of(self, token: str) -> Link | None:
        """The link of a token, compared with each in constant time."""
        given = Secret(token)
        found = [link for link in self.links if link.token == given]
        return found[0] if found else None


def _link(row: list[str]) -> Link | None:
    """The link of a line's name, role and token; None for a line that is none."""
    if len(row) != 3 or row[1] not in Role.__members__ or not _NAME.fullmatch(row[0]):
        return None
    good = len(row[2]) >= FEWEST_CHARACTERS and _TOKEN.fullmatch(row[2])
    return Link(row[0], Role(row[1]), Secret(row[2])) if good else None


class Sessions:
    """Cookies `NAME.EXPIRY.CODE`: the code is keyed with the link's token, so that a new token ends all its sessions.

    The server keeps nothing of them.
    """

    def __init__(self, tokens: Tokens) -> None:
        """For these tokens."""
        self._links = {link.name: link for link in tokens.links}

    def cookie(self, link: Link) -> str:
        """The value of a new cookie."""
        head = f"{link.name}.{int(time.time()) + SESSION_S}"
        return f"{head}.{_code(link, head)}"

    def link_of(self, cookie: str) -> Link | None:
        """The link that a cookie states; None where it is forged or has expired."""
        head, _, code = cookie.rpartition(".")
        name, _, expiry = head.partition(".")
        if name not in self._links or not expiry.isascii() or not expiry.isdigit() or len(expiry) > 12:
            return None
        link = self._links[name]
        if not hmac.compare_digest(code.encode(), _code(link, head).encode()):
            return None
        return link if int(expiry) > time.time() else None


def _code(link: Link, head: str) -> str:
    return hmac.new(link.token.revealed().encode(), f"sojourn session {head}".encode(), hashlib.sha256).hexdigest()


class Guesses:
    """Counts wrong tokens by address.

    A right one always passes: behind a reverse proxy all visitors have one address.
    """

    def __init__(self) -> None:
        """None so far."""
        self._wrong: OrderedDict[str, tuple[float, int]] = OrderedDict()

    def too_many(self, address: str) -> bool:
        """Whether wrong tokens of an address are not looked at any more."""
        began, count = self._wrong.get(address, (0.0, 0))
        return count >= MOST_GUESSES and time.monotonic() - began < GUESS_PERIOD_S

    def count(self, address: str) -> None:
        """Counts one more of an address."""
        now = time.monotonic()
        began, count = self._wrong.pop(address, (now, 0))
        self._wrong[address] = (began, count + 1) if now - began < GUESS_PERIOD_S else (now, 1)
        if len(self._wrong) > MOST_ADDRESSES:
            self._wrong.popitem(last=False)
