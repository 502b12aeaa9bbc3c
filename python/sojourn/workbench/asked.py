"""Requests of pages: a form becomes a job of one of nine commands, or is refused.

Nothing of a form is a command, an option or a path: the command is one of an enumeration, a scenario or a study a name
that the server knows, everything else the value of a declared option, which the scenario crate checks as of `--set`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sojourn import paths
from sojourn.errors import UserError
from sojourn.occurrences import Period
from sojourn.secret import shown
from sojourn.workbench.scenarios import refuse_name

if TYPE_CHECKING:
    from sojourn.workbench.settings import Settings

LONGEST = 500
"""Characters of a value."""
MOST_LINES = 50
"""Values of an option that is repeatable."""
MOST_REPLICATIONS = 1_000_000
LARGEST_SEED = 2**63 - 1
PEER = re.compile(r"(?:sojourn|stamp|udp-echo|tcp-echo|icmp|dns|http|https|modbus|xtp\+udp)://[^\s/]\S*")
ENDINGS = (".pcap", ".pcapng", ".cap", ".txt", ".log", ".gz", ".zst")
CAPTURE = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._ -]{{0,94}}(?:{'|'.join(map(re.escape, ENDINGS))})")
_COUNT = re.compile(r"\d{1,19}")


class Command(Enum):
    """The commands that a page may start."""

    run = "run"
    bound = "bound"
    sweep = "sweep"
    find = "find"
    advise = "advise"
    risk = "risk"
    study = "study"
    measure = "measure"
    analyse = "analyse"
    monitor = "monitor"


TEXTS = {
    Command.run: ("precision", "precision_of"),
    Command.bound: (),
    Command.sweep: ("precision", "precision_of"),
    Command.find: ("vary", "until", "ask", "precision", "precision_of"),
    Command.advise: ("by", "until", "indifference", "budget"),
    Command.risk: ("of", "within", "per", "precision"),
    Command.study: ("precision", "precision_of"),
    Command.measure: ("target", "peer", "rate", "duration"),
    Command.analyse: ("network", "bit_rate"),
    Command.monitor: ("rate", "timeout", "window", "duration"),
}
"""The options of a command that have one value."""
LISTS = {
    Command.run: ("set",),
    Command.bound: ("set",),
    Command.sweep: ("set", "over"),
    Command.find: ("set",),
    Command.advise: ("set",),
    Command.risk: ("set",),
    Command.study: ("set", "experiment"),
    Command.measure: ("set", "over", "load", "expect"),
    Command.analyse: ("server", "expect"),
    Command.monitor: ("target", "expect", "quiet"),
}
"""Those that are repeatable: a line each."""
COUNTS = {
    Command.run: ("seed", "replications"),
    Command.bound: ("seed", "replications"),
    Command.sweep: ("seed", "replications"),
    Command.find: ("seed", "replications", "budget"),
    Command.advise: ("combine", "seed", "replications"),
    Command.risk: ("seed", "replications"),
    Command.study: ("seed", "replications"),
    Command.measure: ("seed", "replications"),
    Command.analyse: ("slowest",),
    Command.monitor: (),
}
OF_EDITOR = ("text", "version")
"""Fields of the text that is on the screen."""
FLAGS = {Command.study: ("quick", "all")}
MOST = {"seed": LARGEST_SEED}
MEASURES = (Command.measure, Command.monitor)
"""The commands that send packets to others."""
ON_CLUSTER = {Command.run, Command.sweep, Command.find, Command.advise, Command.study}
"""The commands that a cluster computes; the others take the threads of this machine."""


@dataclass(frozen=True)
class Asked:
    """A job that was asked for; whether its scenario is right is found when that is frozen."""

    command: Command
    name: str
    """The scenario's file, the study, or the capture; empty where URLs are measured without a document."""
    options: tuple[tuple[str, str], ...] = ()
    """Option and value in the order of the command's declaration; the value of a flag is empty."""

    @property
    def words(self) -> list[str]:
        """The command line after `sojourn`, without where its results go."""
        name = [self.name] if self.name else []
        return [self.command.value, *name, *(_word(option, value) for option, value in self.options)]

    @property
    def title(self) -> str:
        """What it is about, for people: the file, or the URLs that a monitor measures."""
        urls = [shown(value) for option, value in self.options if option == "target"]
        return ", ".join(filter(None, [self.name, *urls]))

    @property
    def settings(self) -> list[str]:
        """Its settings `KEY=VALUE` of the scenario."""
        return [value for name, value in self.options if name == "set"]

    @property
    def assignments(self) -> list[str]:
        """All that may assign a key, and so name a file: settings and axes."""
        return [value for name, value in self.options if name in ("set", "over", "vary")]

    @property
    def shown(self) -> str:
        """The command line for people."""
        return shlex.join(["sojourn", *self.words])

    def arguments(self, out: Path, settings: Settings) -> list[str]:
        """The whole command line after `sojourn`."""
        computing = []
        if self.command is Command.monitor:
            # an address to listen at is not a page's to give; the numbers are in its files and in the store
            computing.append("--metrics=off")
        elif self.command not in (Command.measure, Command.analyse):
            cluster = settings.cluster if self.command in ON_CLUSTER else None
            computing += [f"--cluster={cluster}"] if cluster else []
            computing += [f"--jobs={settings.threads}"] if settings.threads and not cluster else []
        return [*self.words, *computing, f"--out={out}"]

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self) | {"command": self.command.value}

    @classmethod
    def of_plain(cls, raw: Mapping[str, Any]) -> Asked:
        """From what `plain` returned."""
        return cls(Command(raw["command"]), str(raw["name"]), tuple((str(a), str(b)) for a, b in raw["options"]))


def of_form(form: Mapping[str, Sequence[str]], settings: Settings) -> Asked:
    """The job of a form; `UserError` for what is not declared or out of range.

    The editor's page is one form for all commands: the fields of each are named after it, as `sweep.over`, and those of
    the others are not read; the text that it sends is saved before.
    """
    command = _command(form)
    form = {_own(name, command): values for name, values in form.items() if not _is_aside(name, command)}
    known = {"command", "name", *TEXTS[command], *LISTS[command], *COUNTS[command], *FLAGS.get(command, ())}
    for name in form:
        if name not in known:
            raise UserError(f"`sojourn {command.value}` has no {name[:40]!r} on this page")
    if command in MEASURES and not settings.measures:
        raise UserError("measurements are not started from pages of this server (--no-measurements)")
    options = [
        *((name, value) for name in LISTS[command] for value in _lines(form, name)),
        *((name, value) for name in TEXTS[command] if (value := _text(form, name))),
        *((name, str(count)) for name in COUNTS[command] if (count := _count(form, name)) is not None),
        *((name, "") for name in FLAGS.get(command, ()) if _text(form, name)),
    ]
    asked = Asked(command, _text(form, "name"), tuple(options))
    _refuse(asked)
    return asked


def _refuse(asked: Asked) -> None:
    if asked.command is Command.study:
        if asked.name not in {folder.name for folder in paths.studies()}:
            raise UserError(f"there is no study {asked.name!r}")
        return
    if asked.command is Command.analyse:
        if not CAPTURE.fullmatch(asked.name):
            raise UserError(f"a capture's name has letters, digits, spaces and . _ -, and ends in {', '.join(ENDINGS)}")
        return
    if asked.command is Command.monitor or (asked.command is Command.measure and not asked.name):
        _refuse_targets(asked)
        return
    refuse_name(asked.name)
    options = dict(asked.options)
    if "peer" in options and not PEER.fullmatch(options["peer"]):
        raise UserError(f"{shown(options['peer'])!r} is not the URL of a peer that a page may measure")
    if asked.command is Command.risk and "of" not in options:
        raise UserError("risk is that of a condition: queue_length > 40, failures > 0, medium/floor-2 collapsed")
    if "per" in options and options["per"] not in Period.__members__:
        raise UserError(f"a rate is per {', '.join(Period.__members__)}")


def _refuse_targets(asked: Asked) -> None:
    """A measurement or a monitor without a document is that of URLs."""
    targets = [value for option, value in asked.options if option == "target"]
    if asked.name:
        refuse_name(asked.name)
    elif not targets:
        raise UserError("nothing is measured: give a URL, as icmp://192.0.2.1")
    for target in targets:
        if not PEER.fullmatch(target):
            raise UserError(f"{shown(target)!r} is not the URL of a target that a page may measure")


def _own(name: str, command: Command) -> str:
    return name.removeprefix(f"{command.value}.")


def _is_aside(name: str, command: Command) -> bool:
    """Whether a field is the text of the editor, of an event of it, or of another command."""
    of, dot, _ = name.partition(".")
    others = {*Command.__members__, "event"} - {command.value}
    return name in OF_EDITOR or (bool(dot) and of in others)


def _command(form: Mapping[str, Sequence[str]]) -> Command:
    name = _text(form, "command")
    if name not in Command.__members__:
        raise UserError(f"pages start {', '.join(Command.__members__)}")
    return Command(name)


def _text(form: Mapping[str, Sequence[str]], name: str) -> str:
    values = form.get(name, ())
    if len(values) > 1:
        raise UserError(f"{name} is given twice")
    text = values[0].strip() if values else ""
    if len(text) > LONGEST or not text.isprintable():
        raise UserError(f"{name} has at most {LONGEST} printable characters")
    return text


def _lines(form: Mapping[str, Sequence[str]], name: str) -> list[str]:
    lines = [line.strip() for text in form.get(name, ()) for line in text.splitlines()]
    lines = [line for line in lines if line]
    if len(lines) > MOST_LINES or any(len(line) > LONGEST or not line.isprintable() for line in lines):
        raise UserError(f"{name} has at most {MOST_LINES} lines of {LONGEST} printable characters")
    return lines


def _count(form: Mapping[str, Sequence[str]], name: str) -> int | None:
    text = _text(form, name)
    if not text:
        return None
    most = MOST.get(name, MOST_REPLICATIONS)
    if not _COUNT.fullmatch(text) or not text.isascii() or int(text) > most or (name != "seed" and int(text) < 1):
        raise UserError(f"{name} is a number from {0 if name == 'seed' else 1} to {most}")
    return int(text)


def _word(option: str, value: str) -> str:
    if option == "target":
        return value
    name = f"--{option.replace('_', '-')}"
    return f"{name}={value}" if value else name
