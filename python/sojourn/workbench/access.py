"""Authorization: a token in the start-up link is exchanged for a cookie, which states a role."""

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

SESSION_S = 7 * 86_400
"""Lifetime of a cookie."""
FEWEST_CHARACTERS = 32
"""Of a token in a file."""
MOST_GUESSES = 20
"""Wrong tokens of an address in a period, after which it has to wait."""
GUESS_PERIOD_S = 60.0
MOST_ADDRESSES = 1000
"""Addresses whose wrong tokens are counted; beyond it the oldest is forgotten."""
_TOKEN = re.compile(r"[A-Za-z0-9_-]+")


class Role(StrEnum):
    """What a visitor may do."""

    view = "view"
    """Read scenarios, jobs and the store."""
    run = "run"
    """Also save scenarios, start and stop jobs, and tag runs."""


@dataclass(frozen=True)
class Tokens:
    """The secrets of both roles."""

    run: str
    view: str

    @classmethod
    def fresh(cls) -> Tokens:
        """New ones of 256 bits."""
        return cls(secrets.token_urlsafe(32), secrets.token_urlsafe(32))

    @classmethod
    def of_file(cls, file: Path) -> Tokens:
        """Those of a file, a line `run TOKEN` and a line `view TOKEN`; it is made where there is none.

        `UserError` for a file that others can read, and for tokens that are short or equal.
        """
        try:
            handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return cls._read(file)
        made = cls.fresh()
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(f"run {made.run}\nview {made.view}\n")
        return made

    @classmethod
    def _read(cls, file: Path) -> Tokens:
        if file.stat().st_mode & 0o077:
            raise UserError(f"{file} can be read by others: chmod 600 {file}")
        rows = [line.split() for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
        found = {row[0]: row[1] for row in rows if len(row) == 2}
        good = all(len(token) >= FEWEST_CHARACTERS and _TOKEN.fullmatch(token) for token in found.values())
        if len(rows) != 2 or found.keys() != {"run", "view"} or not good or found["run"] == found["view"]:
            raise UserError(
                f"{file} has a line `run TOKEN` and a line `view TOKEN`, two tokens of {FEWEST_CHARACTERS} letters, "
                "digits, - or _ at least"
            )
        return cls(found["run"], found["view"])

    def role_of(self, token: str) -> Role | None:
        """The role of a token, compared in constant time."""
        octets = token.encode()
        is_run = hmac.compare_digest(octets, self.run.encode())
        is_view = hmac.compare_digest(octets, self.view.encode())
        return Role.run if is_run else Role.view if is_view else None


class Sessions:
    """Cookies `ROLE.EXPIRY.CODE`: the code is keyed with the role's token, so that a new token ends all its sessions.

    The server keeps nothing of them.
    """

    def __init__(self, tokens: Tokens) -> None:
        """For these tokens."""
        self._keys = {Role.run: tokens.run, Role.view: tokens.view}

    def cookie(self, role: Role) -> str:
        """The value of a new cookie."""
        head = f"{role.value}.{int(time.time()) + SESSION_S}"
        return f"{head}.{self._code(role, head)}"

    def role_of(self, cookie: str) -> Role | None:
        """The role that a cookie states; None where it is forged or has expired."""
        head, _, code = cookie.rpartition(".")
        name, _, expiry = head.partition(".")
        if name not in Role.__members__ or not expiry.isascii() or not expiry.isdigit() or len(expiry) > 12:
            return None
        role = Role(name)
        if not hmac.compare_digest(code.encode(), self._code(role, head).encode()):
            return None
        return role if int(expiry) > time.time() else None

    def _code(self, role: Role, head: str) -> str:
        return hmac.new(self._keys[role].encode(), f"sojourn session {head}".encode(), hashlib.sha256).hexdigest()


class Guesses:
    """Counts wrong tokens by address."""

    def __init__(self) -> None:
        """None so far."""
        self._wrong: OrderedDict[str, tuple[float, int]] = OrderedDict()

    def too_many(self, address: str) -> bool:
        """Whether an address has to wait."""
        began, count = self._wrong.get(address, (0.0, 0))
        return count >= MOST_GUESSES and time.monotonic() - began < GUESS_PERIOD_S

    def count(self, address: str) -> None:
        """Counts one more of an address."""
        now = time.monotonic()
        began, count = self._wrong.pop(address, (now, 0))
        self._wrong[address] = (began, count + 1) if now - began < GUESS_PERIOD_S else (now, 1)
        if len(self._wrong) > MOST_ADDRESSES:
            self._wrong.popitem(last=False)
