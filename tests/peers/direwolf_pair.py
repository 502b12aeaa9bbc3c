"""Two Dire Wolf TNCs that hear each other without sound hardware, and a command that talks to the first.

    python direwolf_pair.py COMMAND...

Run it in a network namespace of its own: Dire Wolf listens on all addresses. TNC A answers KISS on 127.0.0.1:8001. TNC
B has the call BBB-1: it sends back whatever it is sent, and repeats frames as a digipeater. AAA-9, a station at TNC A
that only B's repetitions reach, sends back as well. The exit status is the command's.
"""

import contextlib
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

SAMPLE_RATE = 48_000
STEP = 0.005
AGW_HEADER = struct.Struct("<B3xcxBx10s10sII")
CONFIG = """ADEVICE stdin tx{name}
ARATE {rate}
ACHANNELS 1
CHANNEL 0
MYCALL {call}
MODEM 9600
TXDELAY 10
TXTAIL 2
AGWPORT {agw}
KISSPORT {kiss}
CDIGIPEAT 0 0
"""


def sound_card(folder: Path) -> None:
    """Playing goes to a named pipe; what hears it is `pump`."""
    cards = [
        f'pcm.tx{name} {{ type file slave.pcm "null" file "{folder}/{name}.raw" format "raw" }}' for name in ("A", "B")
    ]
    (folder / "asound.conf").write_text("\n".join(["</usr/share/alsa/alsa.conf>", *cards, ""]), encoding="ascii")
    for name in ("A.raw", "B.raw", "A.in", "B.in"):
        os.mkfifo(folder / name)


def pump(folder: Path) -> None:
    """Carries what each plays to the other, with silence between, at the pace of a sound card."""
    played = {name: os.open(folder / f"{name}.raw", os.O_RDWR | os.O_NONBLOCK) for name in "AB"}
    heard = {name: os.open(folder / f"{name}.in", os.O_WRONLY) for name in "AB"}
    waiting = {"A": b"", "B": b""}
    sent = 0
    start = time.monotonic()
    while True:
        time.sleep(STEP)
        due = int((time.monotonic() - start) * SAMPLE_RATE) - sent
        sent += due
        for name, other in (("A", "B"), ("B", "A")):
            with contextlib.suppress(BlockingIOError):
                waiting[name] += os.read(played[name], 1 << 20)
            samples, waiting[name] = waiting[name][: 2 * due], waiting[name][2 * due :]
            try:
                os.write(heard[other], samples.ljust(2 * due, b"\0"))
            except BrokenPipeError:
                return


def agw(kind: bytes, own: str, peer: str = "", pid: int = 0, data: bytes = b"") -> bytes:
    return AGW_HEADER.pack(0, kind, pid, own.encode(), peer.encode(), len(data), 0) + data


def echo(port: int, call: str) -> None:
    """Takes every connection to `call` and sends back what comes."""
    connection = socket.create_connection(("127.0.0.1", port))
    stream = connection.makefile("rwb")
    stream.write(agw(b"X", call))
    stream.flush()
    while header := stream.read(AGW_HEADER.size):
        _, kind, pid, sender, receiver, length, _ = AGW_HEADER.unpack(header)
        data = stream.read(length)
        if kind == b"D":
            peer = sender.partition(b"\0")[0].decode()
            own = receiver.partition(b"\0")[0].decode()
            stream.write(agw(b"D", own, peer, pid, data))
            stream.flush()


def wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(1200):
        if process.poll() is not None:
            sys.exit("Dire Wolf ended: " + log.read_text(errors="replace"))
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    sys.exit(f"Dire Wolf does not listen on port {port}")


def start(folder: Path, name: str, call: str, agw_port: int, kiss_port: int) -> subprocess.Popen[bytes]:
    config, log = folder / f"{name}.conf", folder / f"{name}.log"
    text = CONFIG.format(name=name, rate=SAMPLE_RATE, call=call, agw=agw_port, kiss=kiss_port)
    config.write_text(text, encoding="ascii")
    command = ["direwolf", "-c", str(config), "-t", "0", "-q", "d", "-"]
    environment = os.environ | {"ALSA_CONFIG_PATH": str(folder / "asound.conf")}
    with (folder / f"{name}.in").open("rb") as sound, log.open("wb") as notes:
        return subprocess.Popen(command, stdin=sound, stdout=notes, stderr=notes, env=environment, cwd=folder)


def main() -> int:
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        sound_card(folder)
        threading.Thread(target=pump, args=[folder], daemon=True).start()
        wolves = [start(folder, "A", "AAA-1", 8000, 8001), start(folder, "B", "BBB-1", 8010, 8011)]
        try:
            for name, wolf, ports in zip("AB", wolves, ((8000, 8001), (8010, 8011)), strict=True):
                for port in ports:
                    wait_for(port, wolf, folder / f"{name}.log")
            threading.Thread(target=echo, args=[8010, "BBB-1"], daemon=True).start()
            threading.Thread(target=echo, args=[8000, "AAA-9"], daemon=True).start()
            time.sleep(0.5)
            status = subprocess.run(sys.argv[1:], check=False).returncode
            if status != 0:
                print((folder / "B.log").read_text(errors="replace"), file=sys.stderr)
            return status
        finally:
            for wolf in wolves:
                wolf.kill()
                wolf.wait()


if __name__ == "__main__":
    sys.exit(main())
