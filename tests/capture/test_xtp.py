"""XTP packets decoded by tshark: one of every format, straight on IPv4."""

import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.peer("tshark", package="tshark")

FORMATS = {0: "DATA", 1: "CNTL", 2: "FIRST", 3: "ECNTL", 5: "TCNTL", 7: "JCNTL", 8: "DIAG"}
OPTIONS = ["nocheck", "edge", "noerr", "multi", "sort", "fastnak", "sreq", "dreq", "rclose", "wclose", "eom", "end"]


@pytest.fixture(scope="module")
def capture(built_examples, tmp_path_factory):
    done = subprocess.run([built_examples / "xtp_capture"], capture_output=True, timeout=60, check=True)
    file = tmp_path_factory.mktemp("xtp") / "every-packet.pcap"
    file.write_bytes(done.stdout)
    return file


def decoded(capture: Path, *fields: str) -> list[list[str]]:
    """The named fields of every packet; missing fields are empty, one that occurs twice has a comma."""
    wanted = [argument for field in fields for argument in ("-e", field)]
    command = ["tshark", "-r", str(capture), "-T", "fields", *wanted]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


def test_every_format_has_a_good_checksum_and_none_is_malformed(capture):
    names = ("xtp.cmd.ptype.pformat", "xtp.checksum.status", "_ws.malformed", "_ws.expert.severity", "frame.protocols")
    packets = decoded(capture, *names)

    assert {FORMATS[int(packet[0], 0)] for packet in packets} == set(FORMATS.values())
    assert {packet[1] for packet in packets} == {"1"}, "1 is Good"
    assert {packet[2] + packet[3] for packet in packets} == {""}
    assert {packet[4] for packet in packets} <= {"raw:ip:xtp", "raw:ip:xtp:data"}


def test_every_option_that_is_set_is_seen_and_the_version_is_that_of_xtp_4(capture):
    packets = decoded(capture, "xtp.cmd.ptype.ver", *(f"xtp.cmd.options.{name}" for name in OPTIONS))

    assert {packet[0] for packet in packets} == {"1"}
    for place, name in enumerate(OPTIONS, start=1):
        assert any(packet[place] in ("1", "True") for packet in packets), name


def test_addresses_rates_reports_and_diagnostics_are_decoded_correctly(capture):
    fields = {
        "xtp.aseg.dstport": {"4002"},
        "xtp.aseg.srchost": {"10.0.0.1"},
        "xtp.tspec.outrate": {"1250000"},
        "xtp.tspec.maxdata": {"4096"},
        "xtp.cntl.rseq": {"1000"},
        "xtp.ecntl.alloc": {"66536"},
        "xtp.ecntl.nspan": {"0", "2"},
        "xtp.tcntl.echo": {"7"},
        "xtp.diag.code": {"1", "3"},
        "xtp.diag.msg": {"no listener"},
    }
    packets = decoded(capture, *fields)

    for place, (name, values) in enumerate(fields.items()):
        seen = {packet[place] for packet in packets if packet[place]}
        assert seen == values, name
