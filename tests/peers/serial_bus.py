"""A bus of pseudo-terminals: what is written to one is read at all others."""

import contextlib
import os
import select
import threading
import tty
from collections.abc import Iterator


class Bus:
    """A bus, whose devices are paths."""

    def __init__(self, count: int) -> None:
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
            ready, _, _ = select.select(self._masters, [], [], 0.05)
            for master in ready:
                octets = os.read(master, 4096)
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
def serial_bus(count: int) -> Iterator[list[str]]:
    """The paths of the devices of a bus."""
    bus = Bus(count)
    try:
        yield bus.devices
    finally:
        bus.close()
