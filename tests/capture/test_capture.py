"""LonTalk traffic decoded by tshark: every packet and every kind, none malformed."""

import csv
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.peer("tshark", package="tshark")

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SERVICES = EXAMPLES / "lontalk-services.toml"
OVER_IP = EXAMPLES / "lontalk-ip-852.toml"
KINDS = {
    "APDU alone (unacknowledged)": {"lon.pdufmt": "3"},
    "ACKD": {"lon.pdufmt": "0", "lon.tpdu_type": "0"},
    "UnackdRpt": {"lon.pdufmt": "0", "lon.tpdu_type": "1"},
    "ACK": {"lon.pdufmt": "0", "lon.tpdu_type": "2"},
    "REMINDER": {"lon.pdufmt": "0", "lon.tpdu_type": "4"},
    "REM/MSG": {"lon.pdufmt": "0", "lon.tpdu_type": "5"},
    "REQUEST": {"lon.pdufmt": "1", "lon.spdu_type": "0"},
    "RESPONSE": {"lon.pdufmt": "1", "lon.spdu_type": "2"},
    "challenge or reply": {"lon.pdufmt": "2"},
    "priority": {"lon.prio": "1"},
    "broadcast": {"lon.addrfmt": "0"},
    "group": {"lon.addrfmt": "1"},
    "subnet and node, or group acknowledgement": {"lon.addrfmt": "2"},
}
FIELDS = sorted({field for kind in KINDS.values() for field in kind})


def decoded(capture: Path, *fields: str) -> list[dict[str, str]]:
    """The named fields of every packet; missing fields are empty, and a flag is 1 or 0."""
    wanted = [argument for field in fields for argument in ("-e", field)]
    command = ["tshark", "-r", str(capture), "-T", "fields", "-E", "separator=,", "-E", "occurrence=f", *wanted]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    rows = csv.DictReader(done.stdout.splitlines(), fieldnames=fields)
    return [{name: number(value) for name, value in row.items()} for row in rows]


def number(value: str) -> str:
    """One spelling for what versions of tshark write as 1, 0x01 or True."""
    plain = {"True": "1", "False": "0"}.get(value, value)
    return str(int(plain, 0)) if plain and plain.replace("x", "", 1).isalnum() and plain[0].isdigit() else plain


@pytest.fixture
def capture(sojourn, tmp_path):
    """Two minutes of every service on a noisy channel."""
    done = sojourn("run", SERVICES, "--replications", "1", "--pcap", "services.pcap")
    assert done.returncode == 0, done.stderr
    return tmp_path / "services.pcap"


def test_every_packet_is_lontalk_and_none_is_malformed(capture):
    packets = decoded(capture, "frame.protocols", "_ws.malformed", "_ws.expert.severity")

    assert len(packets) > 1000
    assert {packet["frame.protocols"].split(":")[-1] for packet in packets} <= {"lon", "data"}
    assert all("lon" in packet["frame.protocols"].split(":") for packet in packets)
    assert {packet["_ws.malformed"] for packet in packets} == {""}
    assert {packet["_ws.expert.severity"] for packet in packets} == {""}


def test_every_service_and_every_kind_of_packet_occurs(capture):
    packets = decoded(capture, *FIELDS)

    missing = [name for name, kind in KINDS.items() if not any(kind.items() <= packet.items() for packet in packets)]

    assert missing == []


def test_packets_are_in_order_of_time_and_end_before_the_simulation_does(capture):
    times = [float(packet["frame.time_epoch"]) for packet in decoded(capture, "frame.time_epoch")]

    assert times == sorted(times)
    assert times[-1] - times[0] < 126


def test_an_acknowledgement_follows_its_message(capture):
    """Unicast transactions of the flow `setpoint`: the ACK has the number of the last ACKD between the two nodes."""
    names = ("lon.tpdu_type", "lon.addrfmt", "lon.srcnode", "lon.dstnode", "lon.trans_no", "lon.prio")
    open_number: dict[tuple[str, str, str], str] = {}
    answered = 0
    for packet in decoded(capture, *names):
        if packet["lon.addrfmt"] != "2":
            continue
        source, target, priority = packet["lon.srcnode"], packet["lon.dstnode"], packet["lon.prio"]
        if packet["lon.tpdu_type"] == "0":
            open_number[source, target, priority] = packet["lon.trans_no"]
        elif packet["lon.tpdu_type"] == "2" and (target, source, priority) in open_number:
            assert packet["lon.trans_no"] == open_number[target, source, priority]
            answered += 1
    assert answered > 50


def test_datagrams_of_an_ip_852_channel_have_the_sequence_numbers_of_their_sender_and_gaps_where_one_was_lost(
    sojourn, tmp_path
):
    keys = ("run.duration=2 min", "medium.backbone.jitter=40 ms", "medium.backbone.loss=5 %")
    edits = [argument for key in keys for argument in ("--set", key)]
    done = sojourn("run", OVER_IP, *edits, "--replications", "1", "--pcap", "over-ip.pcap")
    assert done.returncode == 0, done.stderr
    headers = ("cnip.len", "cnip.ver", "cnip.type", "cnip.sessid", "cnip.seqno", "cnip.tstamp")
    names = ("_ws.malformed", "frame.protocols", "frame.time_epoch", "udp.length", "ip.src", "ip.dst", *headers)
    packets = decoded(tmp_path / "over-ip.pcap", *names)

    assert {packet["_ws.malformed"] for packet in packets} == {""}
    assert all("lon" in packet["frame.protocols"].split(":") for packet in packets)
    assert {(packet["cnip.ver"], packet["cnip.type"]) for packet in packets} == {("1", "1")}
    assert all(int(packet["cnip.len"]) == int(packet["udp.length"]) - 8 for packet in packets)
    # the backbone is the first medium, whose session has the lowest number
    backbone = min(packet["cnip.sessid"] for packet in packets)
    sequences: dict[tuple[str, str], list[int]] = {}
    for packet in packets:
        if packet["cnip.sessid"] == backbone:
            sequences.setdefault((packet["ip.src"], packet["ip.dst"]), []).append(int(packet["cnip.seqno"]))
            age_ms = 1000 * float(packet["frame.time_epoch"]) - int(packet["cnip.tstamp"])
            assert 1 <= age_ms <= 43, "delay, jitter, and the millisecond of the stamp"
    assert len(sequences) >= 6, "the supervisor and two routers in both directions, and router 2 to router 1"
    sent = sum(max(numbers) for numbers in sequences.values())
    received = sum(len(numbers) for numbers in sequences.values())
    assert all(len(set(numbers)) == len(numbers) for numbers in sequences.values())
    assert any(numbers != sorted(numbers) for numbers in sequences.values()), "jitter reorders"
    assert 0.03 < (sent - received) / sent < 0.07
