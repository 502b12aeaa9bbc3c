"""Packet radio decoded by tshark: a frame of every kind, and runs of the study's three experiments."""

import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.peer("tshark", package="tshark")

ROOT = Path(__file__).resolve().parents[2]
STUDY = ROOT / "studies" / "packet-radio-networks"
UNREASSEMBLED = "Unreassembled fragment"
X25_TYPES = {
    "0x00": "data",
    "0x01": "RR",
    "0x05": "RNR",
    "0x09": "REJ",
    "0x0b": "call request",
    "0x0f": "call accepted",
    "0x13": "clear request",
    "0x17": "clear confirmation",
    "0x1b": "reset request",
    "0x1f": "reset confirmation",
    "0x23": "interrupt",
    "0x27": "interrupt confirmation",
    "0xf1": "diagnostic",
    "0xfb": "restart request",
    "0xff": "restart confirmation",
}
NETROM_OPERATIONS = {
    "0x01": "connect request",
    "0x02": "connect acknowledge",
    "0x03": "disconnect request",
    "0x04": "disconnect acknowledge",
    "0x05": "information",
    "0x06": "information acknowledge",
    "0x07": "reset",
}
NO_LAYER_3, X25, NETROM = "0xf0", "0x01", "0xcf"


def decoded(capture: Path, *fields: str) -> list[list[str]]:
    """The named fields of every frame, the first occurrence of each; missing fields are empty."""
    wanted = [argument for field in fields for argument in ("-e", field)]
    command = ["tshark", "-r", str(capture), "-T", "fields", "-E", "occurrence=f", *wanted]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


def station(octets: str) -> str:
    """A callsign with its SSID, from the octets of an address field as tshark writes them."""
    *letters, last = bytes.fromhex(octets.replace(":", ""))
    callsign = "".join(chr(letter >> 1) for letter in letters).strip()
    return f"{callsign}-{last >> 1 & 15}" if last >> 1 & 15 else callsign


def column(capture: Path, field: str) -> set[str]:
    """All values of a field, without frames that do not have it."""
    return {values[0] for values in decoded(capture, field)} - {""}


def malformations(capture: Path) -> set[str]:
    """Errors reported by tshark, except that it does not reassemble packets with the M bit."""
    return {malformed + message for malformed, message in decoded(capture, "_ws.malformed", "_ws.expert.message")} - {
        "",
        f"{UNREASSEMBLED} (change preferences to enable reassembly)",
    }


@pytest.fixture(scope="module")
def every_kind(built_examples, tmp_path_factory) -> Path:
    done = subprocess.run([built_examples / "packet_radio_capture"], capture_output=True, timeout=60, check=True)
    file = tmp_path_factory.mktemp("packet-radio") / "every-frame.pcap"
    file.write_bytes(done.stdout)
    return file


@pytest.fixture
def run_of(sojourn, tmp_path):
    """Captures twenty round trips of an experiment."""

    def captured(experiment: str, *settings: str) -> Path:
        edits = [argument for setting in ("probe.size=512 B", *settings) for argument in ("--set", setting)]
        done = sojourn("run", STUDY / f"{experiment}.toml", "--replications", "1", *edits, "--pcap", "run.pcap")
        assert done.returncode == 0, done.stderr
        return tmp_path / "run.pcap"

    return captured


def test_every_kind_of_frame_and_packet_is_known_and_none_is_malformed(every_kind):
    operations = column(every_kind, "netrom.op")

    assert malformations(every_kind) == set()
    assert column(every_kind, "ax25.pid") == {NO_LAYER_3, X25, NETROM}
    assert column(every_kind, "x25.type") == set(X25_TYPES)
    assert operations == set(NETROM_OPERATIONS)


def test_two_terminals_send_ax_25_and_nothing_else(run_of):
    capture = run_of("tnc")
    frames = decoded(capture, "frame.protocols", "ax25.src", "ax25.ctl")

    assert malformations(capture) == set()
    assert {protocols.split(":")[2:3] == [] or "ax25_nol3" in protocols for protocols, _, _ in frames} == {True}
    assert {station(source) for _, source, _ in frames} == {"PING-1", "PONG-1"}
    controls = {int(control, 0) for _, _, control in frames}
    assert {0x3F, 0x73} <= controls, "SABM and UA"
    assert any(control & 1 == 0 for control in controls), "I frames"


def test_switches_restart_their_link_call_and_carry_data(run_of):
    capture = run_of("rose")
    packets = [packet for packet in decoded(capture, "ax25.src", "x25.type", "x25.lcn", "x25.p_s") if packet[1]]

    assert malformations(capture) == set()
    assert {station(source) for source, *_ in packets} == {"SWA-3", "SWB-3"}
    types = [X25_TYPES[kind] for _, kind, _, _ in packets]
    assert types[0] == "restart request"
    assert types.index("restart confirmation") < types.index("call request") < types.index("call accepted")
    data = [packet for packet, kind in zip(packets, types, strict=True) if kind == "data"]
    assert len(data) >= 20 * 4, "two packets of each block, in both directions"
    assert {channel for _, _, channel, _ in data} == {"1"}
    assert {numbers for *_, numbers in data} == set("01234567")


def test_users_of_switches_name_them_as_digipeaters(run_of):
    frames = decoded(run_of("rose"), "ax25.pid", "ax25.src", "ax25.dst", "ax25.via1", "ax25.via2")
    paths = {tuple(map(station, addresses)) for pid, *addresses in frames if pid == NO_LAYER_3}

    assert paths == {
        ("PING-1", "PONG-1", "SWA-3", "787002"),
        ("PONG-1", "PING-1", "787002", "SWA-3"),
        ("PING-1", "PONG-1", "787001", "SWB-3"),
        ("PONG-1", "PING-1", "SWB-3", "787001"),
    }


def test_nodes_connect_a_circuit_and_carry_information(run_of):
    capture = run_of("x1j")
    packets = [packet for packet in decoded(capture, "ax25.src", "netrom.op", "netrom.user") if packet[1]]

    assert malformations(capture) == set()
    assert {station(source) for source, *_ in packets} == {"NODEA-5", "NODEB-5"}
    operations = [NETROM_OPERATIONS[operation] for _, operation, _ in packets]
    assert operations[:2] == ["connect request", "connect acknowledge"]
    assert station(packets[0][2]) == "PING-1"
    assert operations.count("information") >= 20 * 8, "four messages of each block, in both directions"
    assert "information acknowledge" in operations


def test_nodes_broadcast_their_routes(run_of):
    netrom = '{{ alias = "{}", nodes_interval = "60 s" }}'.format
    often = [f"station.node-{letter}.netrom={netrom('NODE' + letter.upper())}" for letter in "ab"]
    capture = run_of("x1j", *often)
    frames = decoded(capture, "ax25.dst", "netrom.name")
    broadcasts = {name for target, name in frames if station(target) == "NODES"}

    assert malformations(capture) == set()
    assert {name.strip() for name in broadcasts} == {"NODEA", "NODEB"}
