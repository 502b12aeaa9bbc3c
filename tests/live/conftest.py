"""A listener as a user starts it, in a process of its own."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from subprocess import Popen

import pytest


@dataclass
class Listener:
    process: Popen[str]
    address: str

    @property
    def port(self) -> int:
        return int(self.address.rsplit(":", 1)[1])


@pytest.fixture
def listener(start) -> Callable[..., Listener]:
    """Starts `sojourn listen` and returns once it says where it listens."""

    def launch(url: str, *arguments: str, within: Sequence[str] = ()) -> Listener:
        process = start("listen", url, *arguments, within=within)
        told = process.stderr.readline()
        found = re.fullmatch(r"listening at (\S+); Ctrl-C ends it\n", told)
        assert found, told + process.stderr.read()
        return Listener(process, found[1])

    return launch
