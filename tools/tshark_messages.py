"""Messages that ask or answer, by the fields that tshark shows of them, for tools/tshark_pairs.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

Ends = tuple[str, str]
"""Who sends, and to whom."""
Shown = Mapping[str, list[str]]
"""Values by the name of their field."""


@dataclass(frozen=True)
class Message:
    """A message."""

    role: Literal["request", "part", "answer"]
    """A part begins an answer and does not end it."""
    key: object
    """That of an answer is that of its request."""
    in_order: bool = False
    """Whether requests have no identifier."""


def _number(shown: Shown, name: str) -> int | None:
    values = shown.get(name)
    if not values:
        return None
    try:
        return int(values[0], 0)
    except ValueError:
        return None


def bacnet(shown: Shown, ends: Ends) -> Message | None:
    """Confirmed requests, by invoke identifier and the device behind a router; of segments the first."""
    kind, invoke = _number(shown, "bacapp.type"), _number(shown, "bacapp.invoke_id")
    if kind in (1, 4, None) or (_number(shown, "bacapp.sequence_number") or 0) > 0:
        return None
    if kind == 0:
        device = tuple((shown.get(f"bacnet.d{part}") or [""])[0] for part in ("net", "adr"))
        return Message("request", (ends, device, invoke))
    device = tuple((shown.get(f"bacnet.s{part}") or [""])[0] for part in ("net", "adr"))
    return Message("answer", (ends[::-1], device, invoke))


def dhcp(shown: Shown, _ends: Ends) -> Message | None:
    """An offer answers a discovery, an acknowledgement or a refusal a request, by transaction and hardware address."""
    phases = {1: ("request", 1), 2: ("answer", 1), 3: ("request", 3), 5: ("answer", 3), 6: ("answer", 3)}
    phases[8] = ("request", 3)
    role, phase = phases.get(_number(shown, "dhcp.option.dhcp") or 0, ("", 0))
    key = (*shown.get("dhcp.id", [])[:1], *shown.get("dhcp.hw.mac_addr", [])[:1], phase)
    return _message(role, key)


def dnp3(shown: Shown, ends: Ends) -> Message | None:
    """First fragments, by the sequence number of the application and both link addresses."""
    function, sequence = _number(shown, "dnp3.al.func"), _number(shown, "dnp3.al.seq")
    if function is None or shown.get("dnp3.al.fir", [""])[0] not in ("1", "True"):
        return None
    source, destination = (shown.get(f"dnp3.{name}", [""])[0] for name in ("src", "dst"))
    if function in (129, 131):
        return Message("answer", (ends[::-1], destination, source, sequence))
    is_answered = function not in (0, 6, 8, 10, 12, 33) and function < 129
    return Message("request", (ends, source, destination, sequence)) if is_answered else None


def iec104(shown: Shown, ends: Ends) -> Message | None:
    """Activations and their confirmations, by type, common address and object."""
    cause = _number(shown, "iec60870_asdu.causetx") or 0
    values = tuple(shown.get(f"iec60870_asdu.{name}", [""])[0] for name in ("typeid", "addr", "ioa"))
    if cause in (6, 8):
        return Message("request", (ends, values, cause))
    if cause in (7, 9):
        return Message("answer", (ends[::-1], values, cause - 1))
    return Message("answer", (ends[::-1], values, 6)) if cause in range(44, 48) else None


def mqtt(shown: Shown, ends: Ends) -> Message | None:
    """Acknowledged control packets, by the packet identifier."""
    kind = _number(shown, "mqtt.msgtype") or 0
    if kind == 3 and not _number(shown, "mqtt.qos"):
        return None
    identifier = shown.get("mqtt.msgid", [""])[0]
    if kind in (1, 3, 6, 8, 10, 12):
        return Message("request", (ends, kind, identifier))
    asked = {2: 1, 4: 3, 5: 3, 7: 6, 9: 8, 11: 10, 13: 12}.get(kind)
    return Message("answer", (ends[::-1], asked, identifier)) if asked else None


def mysql(shown: Shown, ends: Ends) -> Message | None:
    """Commands have packet number 0 and their answers 1, in order."""
    number, command = _number(shown, "mysql.packet_number"), _number(shown, "mysql.command")
    if command is not None and number == 0:
        return None if command in (1, 24, 25) else Message("request", ends, in_order=True)
    return Message("answer", ends[::-1], in_order=True) if number == 1 else None


def opcua(shown: Shown, ends: Ends) -> Message | None:
    """By request identifier and the type of the body; publish requests wait for an event, and are left out."""
    kind = shown.get("opcua.transport.type", [""])[0]
    if kind in ("HEL", "ACK"):
        return Message("request", ends) if kind == "HEL" else Message("answer", ends[::-1])
    node, identifier = _number(shown, "opcua.servicenodeid.numeric"), _number(shown, "opcua.security.rqid")
    if node is None or node in (826, 829):
        return None
    if node in OPC_UA_RESPONSES:
        return Message("answer", (ends[::-1], identifier))
    return Message("request", (ends, identifier))


# fmt: off
OPC_UA_RESPONSES = frozenset({
    397, 425, 431, 449, 455, 464, 470, 476, 482, 491, 497, 503, 509, 530, 536, 557, 563, 569, 618, 624, 634, 667, 676,
    703, 715, 754, 766, 772, 778, 784, 790, 796, 802, 835, 844, 850,
})
# fmt: on
"""Types of responses in their binary encoding (OPC 10000-6, annex A)."""


def postgresql(shown: Shown, ends: Ends) -> Message | None:
    """Queries and the ends of batches, answered in order up to ReadyForQuery."""
    kind = shown.get("pgsql.type", [""])[0]
    if shown.get("pgsql.frontend", [""])[0] in ("1", "True"):
        is_request = kind in ("Simple query", "Sync", "Startup message", "Function call")
        return Message("request", ends, in_order=True) if is_request else None
    if kind in ("Parameter status", "Notice", "Notification"):
        return None
    # of the octet that says whether a connection may be encrypted no type is shown
    is_last = kind in ("Ready for query", "")
    return Message("answer" if is_last else "part", ends[::-1], in_order=True)


def s7comm(shown: Shown, ends: Ends) -> Message | None:
    """Jobs and user data, by the reference of the PDU."""
    kind, reference = _number(shown, "s7comm.header.rosctr"), _number(shown, "s7comm.header.pduref")
    if kind == 7:
        kind = {4: 1, 8: 3}.get(_number(shown, "s7comm.param.userdata.type") or 0)
    if kind == 1:
        return Message("request", (ends, reference))
    return Message("answer", (ends[::-1], reference)) if kind in (2, 3) else None


def _message(role: str, key: object) -> Message | None:
    return Message("request" if role == "request" else "answer", key) if role else None


READERS: dict[str, Callable[[Shown, Ends], Message | None]] = {
    "bacapp": bacnet,
    "dhcp": dhcp,
    "dnp3": dnp3,
    "iec60870_asdu": iec104,
    "mqtt": mqtt,
    "mysql": mysql,
    "opcua": opcua,
    "pgsql": postgresql,
    "s7comm": s7comm,
}
"""By the name that tshark gives the dissector."""
