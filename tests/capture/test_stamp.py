"""STAMP test packets of a reflector in a process of its own, decoded by tshark."""

import socket
import struct
import subprocess

import pytest

pytestmark = pytest.mark.peer("tshark", package="tshark")

PORT = 4000
NTP_EPOCH = 2_208_988_800
SENT_S = 1_767_225_600
"""2026-01-01, whole seconds."""


def probe(sequence: int) -> bytes:
    """A session-sender's packet without authentication, RFC 8762 section 4.2.1."""
    return struct.pack(">IIIBBH28x", sequence, SENT_S + NTP_EPOCH, 0, 0x94, 1, 7)


def capture(packets: list[bytes], ports: list[tuple[int, int]]) -> bytes:
    """The payloads as UDP over IPv4 in a file of libpcap, link type 101."""
    file = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)
    for (source, destination), payload in zip(ports, packets, strict=True):
        datagram = struct.pack(">HHHH", source, destination, 8 + len(payload), 0) + payload
        header = struct.pack(
            ">BBHHHBBH4s4s", 0x45, 0, 20 + len(datagram), 0, 0, 64, 17, 0, b"\x7f\0\0\1", b"\x7f\0\0\1"
        )
        record = header + datagram
        file += struct.pack("<IIII", 0, 0, len(record), len(record)) + record
    return file


def test_replies_echo_the_probes_fields_and_have_their_own_sequence_numbers(start, tmp_path):
    listener = start("listen", "stamp://127.0.0.1:0", "--count", "3")
    address = listener.stderr.readline().split()[2].rstrip(";")
    host, port = address.rsplit(":", 1)
    replies = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(60)
        for sequence in (258, 300, 301):
            client.sendto(probe(sequence), (host, int(port)))
            replies.append(client.recv(2048))
    _, said = listener.communicate(timeout=60)
    assert "3 datagrams reflected" in said

    file = tmp_path / "stamp.pcap"
    file.write_bytes(capture(replies, [(PORT, PORT)] * 3))
    fields = ["seq_number", "sender_seq_number", "sender_timestamp", "sender_error_estimate", "sender_ttl"]
    wanted = [argument for field in fields for argument in ("-e", f"twamp.test.{field}")]
    command = ["tshark", "-r", str(file), "-d", f"udp.port=={PORT},twamp.test", "-T", "fields", *wanted]
    shown = subprocess.run([*command, "-e", "_ws.malformed"], capture_output=True, text=True, timeout=60, check=True)
    rows = [line.split("\t") for line in shown.stdout.splitlines()]
    assert [(int(row[0]), int(row[1])) for row in rows] == [(0, 258), (1, 300), (2, 301)]
    assert all("Jan  1, 2026 00:00:00" in row[2] and int(row[3], 0) == 0x9401 for row in rows)
    assert all(row[4] == "255" and row[5] == "" for row in rows)
