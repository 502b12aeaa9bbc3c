"""A bus of pseudo-terminals: what is written to one is read at all others, at the pace of a line where wanted."""

import contextlib
import os
import select
import threading
import time
import tty
from collections.abc import Iterator


class Bus:
    """A bus, whose devices are paths."""

    def __init__(self, count: int, character_s: float = 0.0) -> None:
        self._character_s = character_s
        self._free_at = 0.0
        self._waiting: list[tuple[float, int, bytes]] = []
        pairs = [os.openpty() for _ in range(count)]
        self._masters = [master for master, _ in pairs]
        # kept open, so that no device hangs up before a program opens it
        self._kept = [device for _, device in pairs]
        for device in self._kept:
            tty.setraw(device)
        self.devices = [os.ttyname(device) for device in self._kept]
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._relay)
        self._thread.start()

    def _relay(self) -> None:
        for master in self._masters:
            os.set_blocking(master, False)
        while not self._ends.is_set():
            wait_s = self._waiting[0][0] - time.monotonic() if self._waiting else 0.05
            ready, _, _ = select.select(self._masters, [], [], max(wait_s, 0.0))
            now = time.monotonic()
            for master in ready:
                octets = os.read(master, 4096)
                self._free_at = max(self._free_at, now) + len(octets) * self._character_s
                self._waiting.append((self._free_at, master, octets))
            while self._waiting and self._waiting[0][0] <= now:
                self._deliver(*self._waiting.pop(0)[1:])

    def _deliver(self, master: int, octets: bytes) -> None:
        """What was written together arrives together, at the end of its last character, as through a USB adapter."""
        for other in self._masters:
            if other != master:
                # a device that reads nothing loses what does not fit
                with contextlib.suppress(BlockingIOError):
                    os.write(other, octets)

    def close(self) -> None:
        self._ends.set()
        self._thread.join()
        for file in (*self._masters, *self._kept):
            os.close(file)


@contextlib.contextmanager
def serial_bus(count: int, character_s: float = 0.0) -> Iterator[list[str]]:
    """The paths of the devices of a bus, on which a character takes this long."""
    bus = Bus(count, character_s)
    try:
        yield bus.devices
    finally:
        bus.close()
