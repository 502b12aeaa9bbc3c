"""Requests and answers as tshark pairs them, for tools/beside_tshark.py.

Where a dissector names the frame of the request that an answer belongs to (`dns.response_to`), its word is taken. Where
it does not, messages are paired here by the identifiers that it shows.
"""

from __future__ import annotations

import subprocess
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from tshark_messages import READERS, Ends, Message

TSHARK = ["tshark", "-2", "-n", "-r"]
RESPONSES = {
    "CoAP": ("coap.response_to", "coap.response_time", 1.0),
    "DNS": ("dns.response_to", "dns.time", 1.0),
    "EtherNet/IP": ("enip.response_to", "enip.time", 1.0),
    "HTTP": ("http.request_in", "http.time", 1.0),
    "ICMP echo": ("icmp.resp_to", "icmp.resptime", 1e-3),
    "ICMPv6 echo": ("icmpv6.resp_to", "icmpv6.resptime", 1e-3),
    "Kafka": ("kafka.request_frame", "", 1.0),
    "LDAP": ("ldap.response_to", "ldap.time", 1.0),
    "Modbus": ("modbus.request_frame", "modbus.response_time", 1.0),
    "NTP": ("ntp.request_in", "ntp.delta_time", 1.0),
    "ONC RPC": ("rpc.repframe", "rpc.time", 1.0),
    "RADIUS": ("radius.reqframe", "radius.time", 1.0),
    "SIP": ("sip.response-request", "sip.response-time", 1e-3),
    "SMB 1": ("smb.response_to", "smb.time", 1.0),
    "SMB 2": ("smb2.response_to", "smb2.time", 1.0),
    "SNMP": ("snmp.response_to", "snmp.time", 1.0),
}
"""By protocol the field with the frame of the request, that with the response time, and its unit in seconds."""

PROTOCOLS = {
    "bacapp": "BACnet",
    "coap": "CoAP",
    "dhcp": "DHCP",
    "dnp3": "DNP3",
    "dns": "DNS",
    "enip": "EtherNet/IP",
    "http": "HTTP",
    "icmp": "ICMP echo",
    "icmpv6": "ICMPv6 echo",
    "iec60870_asdu": "IEC 104",
    "kafka": "Kafka",
    "cldap": "LDAP",
    "ldap": "LDAP",
    "llmnr": "LLMNR",
    "mbtcp": "Modbus",
    "mdns": "mDNS",
    "mqtt": "MQTT",
    "mysql": "MySQL",
    "ntp": "NTP",
    "opcua": "OPC UA",
    "pgsql": "PostgreSQL",
    "radius": "RADIUS",
    "rpc": "ONC RPC",
    "s7comm": "S7comm",
    "sip": "SIP",
    "smb": "SMB 1",
    "smb2": "SMB 2",
    "snmp": "SNMP",
}
"""By the name that tshark gives a dissector."""

SEGMENTS = ("tcp.segment", "ip.fragment", "ipv6.fragment", "rpc.fragment", "dnp3.al.fragment")
ADDRESSES = ("ip.src", "ip.dst", "ipv6.src", "ipv6.dst", "tcp.srcport", "tcp.dstport", "udp.srcport", "udp.dstport")


@dataclass(frozen=True)
class Pair:
    """A request and its answer."""

    protocol: str
    request: int
    """Number of a frame, from 1."""
    answer: int
    time: float | None = None
    """Response time in seconds as reported; `None` where only frames are."""


@dataclass
class Frame:
    """What is known of a frame."""

    time: float
    protocols: set[str]
    ends: Ends
    segments: list[int] = field(default_factory=list)
    """Other frames with parts of its messages."""


def read(path: Path, seconds: float) -> tuple[dict[int, Frame], list[Pair]]:
    """The frames of a capture and the pairs that tshark finds."""
    names = [name for response in RESPONSES.values() for name in response[:2] if name]
    columns = ["frame.number", "frame.time_relative", "frame.protocols", *ADDRESSES, *SEGMENTS, *names]
    options = [option for name in columns for option in ("-e", name)]
    text = _output([*TSHARK, str(path), "-T", "fields", "-E", "occurrence=a", *options], seconds)
    frames: dict[int, Frame] = {}
    pairs: list[Pair] = []
    for line in text.splitlines():
        cells = dict(zip(columns, line.split("\t"), strict=False))
        number = int(cells["frame.number"])
        frames[number] = frame_of(cells)
        pairs += responses(number, cells)
    shown = {name for frame in frames.values() for name in frame.protocols}
    for dissector in sorted(shown & set(READERS)):
        pairs += paired(PROTOCOLS[dissector], _messages(path, dissector, frames, seconds), frames)
    return frames, pairs


def spread(frames: dict[int, Frame]) -> None:
    """Gives all frames of a message the protocols that are shown where it is whole."""
    for frame in frames.values():
        for part in frame.segments:
            if part in frames:
                frames[part].protocols |= frame.protocols & set(PROTOCOLS)


def frame_of(cells: dict[str, str]) -> Frame:
    """A frame of its columns; within tunnels the innermost addresses count."""
    listed = {name: [value for value in cells.get(name, "").split(",") if value] for name in (*ADDRESSES, *SEGMENTS)}
    version = "ipv6" if listed["ipv6.src"] else "ip"
    transport = "tcp" if listed["tcp.srcport"] else "udp"
    last = {name: (values or [""])[-1] for name, values in listed.items()}
    ends = [f"{last[f'{version}.{end}']}/{last[f'{transport}.{end}port']}" for end in ("src", "dst")]
    segments = sorted({int(value) for name in SEGMENTS for value in listed[name]})
    protocols = set(cells["frame.protocols"].split(":"))
    return Frame(float(cells["frame.time_relative"]), protocols, (ends[0], ends[1]), segments)


def responses(number: int, cells: dict[str, str]) -> Iterator[Pair]:
    """The pairs whose answer is in a frame, where the dissector names the frames of the requests."""
    for protocol, (to, taken, unit) in RESPONSES.items():
        requests = [int(value) for value in cells.get(to, "").split(",") if value]
        times = [float(value) * unit for value in cells.get(taken, "").split(",") if value]
        known: Sequence[float | None] = times if len(times) == len(requests) else [None] * len(requests)
        for request, time in zip(requests, known, strict=True):
            yield Pair(protocol, request, number, time)


def paired(protocol: str, messages: Iterable[tuple[int, Message]], frames: dict[int, Frame]) -> Iterator[Pair]:
    """Requests with the answers of the same key; without identifiers they are answered in their order."""
    asked: dict[object, deque[int]] = defaultdict(deque)
    begun: set[object] = set()
    for number, message in messages:
        waiting = asked[message.key]
        if message.role == "request":
            if message.in_order or not waiting:
                waiting.append(number)
        elif waiting:
            if message.key not in begun:
                yield Pair(protocol, waiting[0], number, frames[number].time - frames[waiting[0]].time)
            begun.add(message.key)
            if message.role == "answer":
                waiting.popleft()
                begun.remove(message.key)


def _messages(path: Path, dissector: str, frames: dict[int, Frame], seconds: float) -> Iterator[tuple[int, Message]]:
    """The messages of a dissector that ask or answer."""
    layers = "bacnet bacapp" if dissector == "bacapp" else dissector
    text = _output([*TSHARK, str(path), "-Y", dissector, "-T", "pdml", "-J", f"frame {layers}"], seconds)
    for packet in ElementTree.fromstring(text).iter("packet"):
        number = next(int(of.get("show", "0")) for of in packet.iter("field") if of.get("name") == "frame.number")
        shown: dict[str, list[str]] = defaultdict(list)
        for layer in packet.iter("proto"):
            if layer.get("name") not in layers.split():
                continue
            for found in layer.iter("field"):
                shown[found.get("name", "")].append(found.get("show", ""))
            if layer.get("name") == dissector:
                message = READERS[dissector](shown, frames[number].ends)
                if message is not None:
                    yield number, message
                shown = defaultdict(list)


def _output(command: Sequence[str], seconds: float) -> str:
    """What tshark prints, also of a file that is cut."""
    done = subprocess.run(command, capture_output=True, timeout=seconds, check=False)
    return done.stdout.decode("utf-8", errors="replace")
