"""A server of UDS on python-can's bus `udp_multicast`, with ISO-TP by hand; it prints a line once it listens.

python can_uds_server.py GROUP PORT
"""

import sys
import time

import can

REQUEST, RESPONSE = 0x7E0, 0x7E8
RECORDS = {0xF190: b"WAUZZZ8K9BA123456", 0xF18C: b"12"}
SEPARATION_S = 0.001


def frame(*data: int) -> can.Message:
    """A frame of the server, without padding."""
    return can.Message(arbitration_id=RESPONSE, is_extended_id=False, data=data)


def answer(request: bytes) -> bytes:
    """What is answered to a request."""
    if request[:1] != b"\x22" or len(request) != 3:
        return bytes((0x7F, request[0], 0x11))
    record = RECORDS.get(int.from_bytes(request[1:]))
    return bytes((0x7F, 0x22, 0x31)) if record is None else b"\x62" + request[1:] + record


def send(bus: can.BusABC, message: bytes) -> None:
    """Sends a message in frames of ISO-TP, after flow control where it is long."""
    if len(message) < 8:
        bus.send(frame(len(message), *message))
        return
    bus.send(frame(0x10 | len(message) >> 8, len(message) & 0xFF, *message[:6]))
    while True:
        received = bus.recv(1.0)
        if received is None:
            return
        if received.arbitration_id == REQUEST and received.data[0] == 0x30:
            break
    for number, at in enumerate(range(6, len(message), 7), 1):
        time.sleep(SEPARATION_S)
        bus.send(frame(0x20 | number & 15, *message[at : at + 7]))


def serve(group: str, port: str) -> None:
    """Answers single frames for ever."""
    with can.Bus(interface="udp_multicast", channel=group, port=int(port)) as bus:
        print("listening", flush=True)
        for received in bus:
            data = bytes(received.data)
            if received.arbitration_id == REQUEST and data and 0 < data[0] < 8:
                send(bus, answer(data[1 : 1 + data[0]]))


serve(*sys.argv[1:])
