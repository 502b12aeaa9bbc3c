"""How a workbench is served: its folder, its address, and what its jobs compute on."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from sojourn.errors import UserError
from sojourn.workbench.access import Tokens

PORT = 18622
LOCAL_NAMES = ("localhost", "127.0.0.1", "[::1]")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The options of `sojourn serve`."""

    folder: Path
    host: str = "127.0.0.1"
    port: int = PORT
    tokens: Tokens = field(default_factory=Tokens.fresh)
    tls_cert: Path | None = None
    tls_key: Path | None = None
    public_url: str | None = None
    """Of the reverse proxy in front, which terminates TLS."""
    threads: int | None = None
    """Of each job."""
    cluster: str | None = None
    at_once: int = 2
    """Jobs that run at the same time; the others wait."""
    measures: bool = True
    """Whether pages may start measurements."""

    @property
    def is_encrypted(self) -> bool:
        """Whether visitors reach it by TLS."""
        return self.tls_cert is not None or (self.public_url or "").startswith("https://")

    @property
    def names(self) -> list[str]:
        """The values of Host that requests may have."""
        if self.public_url is not None:
            return [urlsplit(self.public_url).netloc.lower()]
        shown = f"[{self.host}]" if ":" in self.host else self.host.lower()
        names = LOCAL_NAMES if is_loopback(self.host) else (shown,)
        default = 443 if self.is_encrypted else 80
        return [f"{name}:{self.port}" for name in names] + ([*names] if self.port == default else [])

    @property
    def origin(self) -> str:
        """Scheme, host and port of the links that are shown."""
        if self.public_url is not None:
            return self.public_url.rstrip("/")
        shown = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.is_encrypted else 'http'}://{shown}:{self.port}"

    @property
    def cookie(self) -> str:
        """Name of the cookie: browsers do not separate the cookies of two ports of a host."""
        return f"__Host-sojourn-{self.port}" if self.is_encrypted else f"sojourn-{self.port}"


def refuse_unsafe(host: str, tls_cert: Path | None, tls_key: Path | None, public_url: str | None) -> None:
    """`UserError` for an address that others reach without TLS, and for options that do not fit each other."""
    if (tls_cert is None) != (tls_key is None):
        raise UserError("--tls-cert and --tls-key belong together")
    if public_url is not None:
        _refuse_url(public_url)
    if host in ("", "*", "0.0.0.0", "::") and public_url is None:
        raise UserError(f"--host {host or '*'} cannot be compared with the Host of a request: name an address")
    if not is_loopback(host) and tls_cert is None and public_url is None:
        raise UserError(
            f"--host {host} is reached by others, and tokens would pass in the clear: --tls-cert and --tls-key, or "
            "--public-url https://NAME of a reverse proxy that terminates TLS"
        )


def is_loopback(host: str) -> bool:
    """Whether only this host reaches an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _refuse_url(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme != "https" or not parts.netloc or parts.path.strip("/") or parts.query or "@" in parts.netloc:
        raise UserError(f"--public-url is https://NAME or https://NAME:PORT of the reverse proxy, not {url}")
