"""Frames by hand to a station that has no link with us, and what it answers.

    python ax25_without_link.py

Talks to BBB-1 over the KISS port of `direwolf_pair.py`: sets up a link and ends it, so that BBB-1 knows us, then sends
I and S frames as commands, with P and without. Prints each with the answer.
"""

import socket
import sys
import time

FEND = 0xC0
SABM, DISC, DM, UA = 0x2F, 0x43, 0x0F, 0x63
NAMES = {DM: "DM", UA: "UA"}
P_BIT = 0x10
OWN, PEER = "AAA-2", "BBB-1"


def address(text: str, *, command: bool, last: bool) -> bytes:
    name, _, ssid = text.partition("-")
    octets = bytes(ord(letter) << 1 for letter in name.ljust(6))
    return octets + bytes([0x60 | command << 7 | int(ssid) << 1 | last])


def command(control: int, information: bytes = b"") -> bytes:
    """A frame of ours to the peer, C bits as those of a command."""
    addresses = address(PEER, command=True, last=False) + address(OWN, command=False, last=True)
    return addresses + bytes([control]) + information


class Tnc:
    """A TNC's KISS port; no frame of ours has an octet to escape."""

    def __init__(self, port: int) -> None:
        self.line = socket.create_connection(("127.0.0.1", port), timeout=5)
        self.waiting = b""

    def ask(self, control: int, information: bytes = b"", wait: float = 3.0) -> str:
        """Sends a command; the control field that the peer sends back, in words."""
        self.line.sendall(bytes([FEND, 0]) + command(control, information) + bytes([FEND]))
        until = time.monotonic() + wait
        while time.monotonic() < until:
            self.line.settimeout(max(until - time.monotonic(), 0.01))
            try:
                self.waiting += self.line.recv(4096)
            except TimeoutError:
                break
            *frames, self.waiting = self.waiting.split(bytes([FEND]))
            for frame in frames:
                # KISS command, destination, source, control field
                if len(frame) >= 16 and frame[8:14] == address(PEER, command=False, last=True)[:6]:
                    return said(frame[15])
        return "nothing"


def said(control: int) -> str:
    name = NAMES.get(control & ~P_BIT, f"{control & ~P_BIT:#04x}")
    return f"{name} F" if control & P_BIT else name


def main() -> int:
    tnc = Tnc(8001)
    if tnc.ask(SABM | P_BIT, wait=10) != "UA F" or tnc.ask(DISC | P_BIT, wait=10) != "UA F":
        sys.exit("the peer sets up no link")
    asked = {"RR": 0x01, "RNR": 0x05, "REJ": 0x09, "I": 0x00}
    for name, control in asked.items():
        information = b"\xf0hello" if name == "I" else b""
        for poll, mark in ((0, ""), (P_BIT, " P")):
            print(f"{name}{mark}: {tnc.ask(control | poll, information)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
