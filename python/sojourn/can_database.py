"""A scenario of the CAN buses that a database describes: DBC, KCD, ARXML or SYM, as cantools reads them.

Nodes become stations, messages flows with their identifiers, sizes, senders, receivers and cycle times. What a
database does not say is written as an assumption, or left as a comment: nothing is dropped without a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sojourn.errors import UserError
from sojourn.extras import require

if TYPE_CHECKING:
    from cantools.database.can import Database, Message

SUFFIXES = (".dbc", ".kcd", ".arxml", ".sym")
"""Files that cantools reads as descriptions of buses."""
FIELDS = {
    "bit-rate": "of buses whose database states none",
    "data-bit-rate": "of the data phase of CAN FD frames",
    "event-interval": "mean interval of messages without a cycle time; without it they are comments",
}
BIT_RATE = "500 kbit/s"
CLASSIC_BYTES = 8
FD_BYTES = 64
UNKNOWN = "Vector__XXX"
"""What DBC files write for a sender or receiver that is not known."""


@dataclass
class Bus:
    """A bus, the stations on it and its messages."""

    name: str
    bit_rate: str
    is_assumed: bool
    data_bit_rate: str | None
    messages: list[Message] = field(default_factory=list)


def is_database(file: Path) -> bool:
    """Whether a file is a description of buses, by its name."""
    return file.suffix.lower() in SUFFIXES


def scenario(file: Path, fields: dict[str, str]) -> str:
    """The scenario of a database, as TOML text. `UserError` where it cannot be read or has no message."""
    if unknown := sorted(set(fields) - set(FIELDS)):
        raise UserError(f"a CAN database has no field {unknown[0]!r}; there are {', '.join(FIELDS)}")
    database = _read(file)
    messages = [message for message in database.messages if not message.is_container]
    if not messages:
        raise UserError(f"{file}: no message of CAN in it")
    has_cycles = any(message.cycle_time for message in messages)
    if not has_cycles and "event-interval" not in fields:
        hint = "event-interval='1 s' gives them a mean interval"
        raise UserError(f"{file}: none of its {len(messages)} messages has a cycle time; {hint}")
    buses = _buses(database, messages, fields)
    names = _Names()
    parts = [_head(file, database, buses, fields), *(_medium(bus, names) for bus in buses)]
    parts += _stations(buses, names)
    for bus in buses:
        parts += [_flow(message, bus, names, fields, several=len(buses) > 1) for message in _by_priority(bus.messages)]
    return "\n".join([*parts, RUN, *([EXPECT] if has_cycles else [])])


RUN = """[run]
duration = "1 min"
warm_up = "1 s"
replications = 3
seed = 1
"""
EXPECT = """[expect]
"deadline_misses" = "= 0"
"""


def _read(file: Path) -> Database:
    require("cantools", "descriptions of CAN buses")
    import logging  # noqa: PLC0415

    import cantools  # noqa: PLC0415
    from cantools.database.can import Database  # noqa: PLC0415

    logging.getLogger("cantools").setLevel(logging.ERROR)  # what it warns of by name has a place of its own here
    try:
        found = cantools.database.load_file(str(file), strict=False)
    except OSError as error:
        raise UserError(f"{file}: {error.strerror}") from error
    except Exception as error:  # cantools lets errors of its parsers through, of whatever type
        raise UserError(f"{file}: not read as a CAN database: {' '.join(str(error).split())}") from error
    if not isinstance(found, Database):
        raise UserError(f"{file}: describes diagnostics, not messages on buses")
    return found


def _buses(database: Database, messages: Iterable[Message], fields: dict[str, str]) -> list[Bus]:
    declared = {bus.name: bus for bus in database.buses}
    found: dict[str, Bus] = {}
    for message in messages:
        name = message.bus_name or ""
        if name not in found:
            of = declared.get(name)
            rate = getattr(of, "baudrate", None) or _attribute(database, "Baudrate")
            data_rate = getattr(of, "fd_baudrate", None) or _attribute(database, "BaudrateCANFD")
            found[name] = Bus(
                name or "bus",
                f"{rate / 1000:g} kbit/s" if rate else fields.get("bit-rate", BIT_RATE),
                not rate and "bit-rate" not in fields,
                f"{data_rate / 1000:g} kbit/s" if data_rate else fields.get("data-bit-rate"),
            )
        found[name].messages.append(message)
    return list(found.values())


def _attribute(database: Database, name: str) -> int | None:
    """A number that a DBC file states of the whole network."""
    attributes = database.dbc.attributes if database.dbc else {}
    value = getattr(attributes.get(name), "value", None)
    return int(value) if value and int(value) > 0 else None


def _head(file: Path, database: Database, buses: list[Bus], fields: dict[str, str]) -> str:
    messages = [message for bus in buses for message in bus.messages]
    lines = [f"# The CAN {'buses' if len(buses) > 1 else 'bus'} that {_comment(file.name)} describes."]
    silent = [message for message in messages if not message.cycle_time]
    if silent and "event-interval" not in fields:
        lines.append(
            f"# {len(silent)} of {len(messages)} messages have no cycle time; they are comments below.\n"
            "# The field event-interval='1 s' gives them a mean interval."
        )
    if containers := sum(message.is_container for message in database.messages):
        lines.append(f"# Of {containers} containers the PDUs are not known here: add their flows.")
    if len(silent) < len(messages):
        lines += [
            "# Each message has to arrive before its next, its deadline. Nodes have default costs: station.costs.",
            "#   sojourn run FILE                       do all messages meet their deadlines?",
            "#   sojourn bound FILE                     and in the worst case?",
        ]
    else:
        lines.append("# No message has a cycle time, and so none a deadline. Nodes have default costs: station.costs.")
    lines += [
        f"title = {_text(file.stem)}",
        "",
        "[network]",
        'kind = "can"',
        "",
    ]
    return "\n".join(lines)


def _medium(bus: Bus, names: _Names) -> str:
    assumed = "  # assumed: the database states none" if bus.is_assumed else ""
    lines = ["[[medium]]", f'name = "{names.of("medium", bus.name)}"', f"bit_rate = {_text(bus.bit_rate)}{assumed}"]
    if bus.data_bit_rate:
        lines.append(f"data_bit_rate = {_text(bus.data_bit_rate)}")
    return "\n".join([*lines, ""])


def _stations(buses: list[Bus], names: _Names) -> Iterator[str]:
    """A table for each node that sends or receives; one on several buses is a gateway."""
    on: dict[str, list[str]] = {}
    for bus in buses:
        for message in bus.messages:
            for node in (_sender(message, bus), *_receivers(message)):
                media = on.setdefault(node, [])
                if bus.name not in media:
                    media.append(bus.name)
    for node, media in on.items():
        places = ", ".join(f'"{names.of("medium", one)}"' for one in media)
        where = f"on = [{places}]" if len(media) > 1 else f"on = {places}"
        yield "\n".join(["[[station]]", f'name = "{names.of("station", node)}"', where, ""])
    # a bus needs a node that acknowledges
    for bus in buses:
        if sum(bus.name in media for media in on.values()) == 1:
            yield "\n".join(
                [
                    "# the database names one node on this bus; another one acknowledges",
                    "[[station]]",
                    f'name = "{names.of("station", f"another on {bus.name}")}"',
                    f'on = "{names.of("medium", bus.name)}"',
                    "",
                ]
            )


def _flow(message: Message, bus: Bus, names: _Names, fields: dict[str, str], *, several: bool) -> str:
    name = f"{message.name}-{bus.name}" if several else message.name
    receivers = [f'"{names.of("station", node)}"' for node in _receivers(message) if node != _sender(message, bus)]
    to = f"[{', '.join(receivers)}]" if len(receivers) > 1 else receivers[0] if receivers else '"everyone"'
    lines = [
        "[[flow]]",
        f'name = "{names.of("flow", name)}"',
        f'from = "{names.of("station", _sender(message, bus))}"',
        f"to = {to}",
        f"id = 0x{message.frame_id:x}",
        f'data = "{message.length} B"',
    ]
    if message.is_extended_frame:
        lines.append("extended = true")
    if message.is_fd:
        lines.append("fd = true")
        lines += ["brs = false"] if bus.data_bit_rate is None else []
    elif message.length > CLASSIC_BYTES:
        lines.append(f'service = "{"j1939" if message.protocol == "j1939" else "isotp"}"')
    interval = f"{message.cycle_time} ms" if message.cycle_time else fields.get("event-interval")
    kind = "periodic" if message.cycle_time else "poisson"
    lines += [f'arrivals = {{ kind = "{kind}", interval = {_text(interval or "1 s")} }}', "probe = true"]
    if message.cycle_time:
        lines.append(f'deadline = "{interval}"')
    if interval is None:
        lines = [f"# {line}" for line in lines]
    return "\n".join([*lines, ""])


def _by_priority(messages: list[Message]) -> list[Message]:
    """As arbitration has them: a standard identifier wins over an extended one that begins with its bits."""

    def priority(message: Message) -> tuple[int, bool]:
        base = message.frame_id if message.is_extended_frame else message.frame_id << 18
        return base, message.is_extended_frame

    return sorted(messages, key=priority)


def _sender(message: Message, bus: Bus) -> str:
    known = [node for node in message.senders if node != UNKNOWN]
    return known[0] if known else f"unknown on {bus.name}"


def _receivers(message: Message) -> list[str]:
    return sorted(node for node in message.receivers if node != UNKNOWN)


class _Names:
    """Names as scenarios have them, one for each name of the database."""

    def __init__(self) -> None:
        self._given: dict[tuple[str, str], str] = {}

    def of(self, table: str, name: str) -> str:
        """Letters, digits, - and _; a number behind it where two would be the same."""
        if (table, name) not in self._given:
            plain = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-") or table
            taken = {given for (of, _), given in self._given.items() if of == table}
            more = next(number for number in range(1, len(taken) + 2) if _numbered(plain, number) not in taken)
            self._given[table, name] = _numbered(plain, more)
        return self._given[table, name]


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name}_{number}"


def _text(value: Any) -> str:
    import json  # noqa: PLC0415

    return json.dumps(str(value), ensure_ascii=False)


def _comment(text: str) -> str:
    return " ".join(text.split())
