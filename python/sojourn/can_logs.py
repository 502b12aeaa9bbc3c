"""Logs of CAN that python-can reads, ASC and BLF, as text of candump, which the analysis of captures reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from sojourn.errors import UserError
from sojourn.extras import require

if TYPE_CHECKING:
    from can import Message

SUFFIXES = (".asc", ".blf")
"""Files that python-can reads."""
BIT_RATE_SWITCH, ERROR_STATE = 1, 2
"""Flags of CAN FD."""
EXTENDED_DIGITS, BASE_DIGITS = 8, 3
ERROR, BUS_ERROR = 0x20000000, 0x80
"""The flag of messages of the driver about errors, and the class of an error frame of which a log says no more."""


@contextmanager
def converted(captures: Sequence[Path]) -> Iterator[list[Path]]:
    """The same captures, in place of logs that python-can reads their text in a folder that is removed afterwards.

    `MissingExtra` where python-can is not installed, `UserError` where it cannot read a log.
    """
    with TemporaryDirectory(prefix="sojourn-") as folder:
        yield [
            _text(log, Path(folder) / str(number)) if log.suffix.lower() in SUFFIXES else log
            for number, log in enumerate(captures)
        ]


def _text(log: Path, folder: Path) -> Path:
    """The text of a log, in a file with its name."""
    require("can", "logs of CAN in ASC and BLF")
    import can  # noqa: PLC0415

    folder.mkdir()
    target = folder / log.name
    read = 0
    try:
        with can.LogReader(log) as frames, target.open("w", encoding="ascii") as text:
            for frame in frames:
                text.write(line(frame))
                read += 1
    except OSError as error:
        raise UserError(f"{log}: {error.strerror or error}") from error
    except Exception as error:  # python-can lets errors of its parsers through, of whatever type
        raise UserError(f"{log}: not read as a log of CAN: {' '.join(str(error).split())}") from error
    if read == 0:
        raise UserError(f"{log}: no frame of CAN in it")
    return target


def line(frame: Message) -> str:
    """A frame as a line of candump."""
    channel = "can" if frame.channel is None else str(frame.channel)
    interface = f"can{channel}" if channel.isdigit() else "".join(channel.split()) or "can"
    digits = EXTENDED_DIGITS if frame.is_extended_id or frame.is_error_frame else BASE_DIGITS
    identifier = (frame.arbitration_id or BUS_ERROR) | ERROR if frame.is_error_frame else frame.arbitration_id
    data = bytes(frame.data or b"").hex().upper()
    if frame.is_remote_frame:
        data = f"R{min(frame.dlc, 8)}"
    elif frame.is_fd:
        flags = frame.bitrate_switch * BIT_RATE_SWITCH | frame.error_state_indicator * ERROR_STATE
        data = f"#{flags:X}{data}"
    return f"({max(frame.timestamp, 0):.6f}) {interface} {identifier:0{digits}X}#{data}\n"
