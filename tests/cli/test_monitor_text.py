"""`sojourn analyse` of what monitors print: the same numbers as of a capture of the same packets."""

from __future__ import annotations

import json
import struct

import pytest

# a NET/ROM connection as axlisten -h prints it: the request is 192 octets long, of which 37 are printed
AXLISTEN = """\
nino: fm N0CALA-14 to N0CALB-2 ctl I00^ pid=CF(NET/ROM) len 192 15:36:57.051240

NET/ROM: N0CALA-14->N0CALC-10 ttl 15
         conn rqst: my ckt 01/06 wnd 4 N0CALA@N0CALA-14 timeout 120
nino: fm N0CALB-2 to N0CALA-14 ctl I10+ pid=CF(NET/ROM) len 21 15:37:01.582841
NET/ROM: N0CALC-10->N0CALA-14 ttl 24
         conn ack: ur ckt 01/06 my ckt 04/F7 wnd 4
nino: fm N0CALA-14 to N0CALB-2 ctl RR1v 15:37:01.583445
"""
# the same frames, what is not printed as zeros: microseconds since the first, and the octets
FRAMES = [
    (
        0,
        "9c6086829884e4 9c60868298827d 00cf 9c60868298827c 9c608682988674 0f 0106000001"
        "04 9c608682988260 9c60868298827c 7800" + 155 * "00",
    ),
    (4_531_601, "9c6086829882fc 9c608682988465 30cf 9c608682988674 9c60868298827c 18 010604f702 04"),
    (4_532_205, "9c608682988464 9c6086829882fd 21"),
]
DIRE_WOLF = """\
Dire Wolf version 1.7

[0L 2022-02-26 23:59:58] N0CALL>KP4DJT:(SABM cmd, p=1)
[0.1 2022-02-27 00:00:01] KP4DJT>N0CALL:(UA res, f=1)
[0L 2022-02-27 00:00:02] N0CALL>KP4DJT:(I cmd, n(s)=0, n(r)=0, p=1, pid=0xf0)list<0x0d>
[0.1 2022-02-27 00:00:04] KP4DJT>N0CALL:(RR res, n(r)=1, f=1)
[0.1 2022-02-27 00:00:07] KP4DJT>N0CALL:(I cmd, n(s)=0, n(r)=1, p=0, pid=0xf0)nothing<0x0d>
[0L 2022-02-27 00:00:08] N0CALL>KP4DJT:(RR cmd, n(r)=1, p=1)
[0.1 2022-02-27 00:00:09] KP4DJT>N0CALL:(RR res, n(r)=1, f=1)
"""
BPQ = """\
23:59:58T N0CALL>KP4DJT Port=1 <C C P>
00:00:01R KP4DJT>N0CALL Port=1 <UA R F>
00:00:02T N0CALL>KP4DJT Port=1 <I C P S0 R0>:
list
00:00:04R KP4DJT>N0CALL Port=1 <RR R F R1>
00:00:07R KP4DJT>N0CALL Port=1 <I C S0 R1>:
nothing
00:00:08T N0CALL>KP4DJT Port=1 <RR C P R1>
00:00:09R KP4DJT>N0CALL Port=1 <RR R F R1>
"""
# the request is sent again after 0.4 s, 0.3 s before its answer
TCPDUMP = """\
10:11:12.000000 IP 10.0.0.1.40000 > 10.0.0.2.502: Flags [S], seq 3000000000, win 64240, options [mss 1460], length 0
10:11:12.050000 IP 10.0.0.2.502 > 10.0.0.1.40000: Flags [S.], seq 90000000, ack 3000000001, win 64240, length 0
10:11:12.060000 IP 10.0.0.1.40000 > 10.0.0.2.502: Flags [.], ack 1, win 502, length 0
10:11:13.000000 IP 10.0.0.1.40000 > 10.0.0.2.502: Flags [P.], seq 1:13, ack 1, win 502, length 12
10:11:13.400000 IP 10.0.0.1.40000 > 10.0.0.2.502: Flags [P.], seq 1:13, ack 1, win 502, length 12
10:11:13.700000 IP 10.0.0.2.502 > 10.0.0.1.40000: Flags [P.], seq 1:10, ack 13, win 501, length 9
10:11:14.000000 IP 10.0.0.1 > 10.0.0.2: ICMP echo request, id 7, seq 1, length 64
10:11:14.002000 IP 10.0.0.2 > 10.0.0.1: ICMP echo reply, id 7, seq 1, length 64
"""


@pytest.fixture
def metrics(sojourn, tmp_path):
    """The metrics of a text or of octets as a file, and what was stated beside them."""

    def analysed(content, *arguments):
        (tmp_path / "heard").write_bytes(content if isinstance(content, bytes) else content.encode())
        done = sojourn("analyse", "heard", "--format", "json", "--no-store", *arguments)
        assert done.returncode == 0, done.stderr
        notes = " ".join(done.stderr.replace("│", " ").split())
        return json.loads(done.stdout)["points"][0]["metrics"], notes

    return analysed


def _pcap(link_type, frames):
    """A capture of frames that are cut: microseconds, octets and length of each."""
    records = [
        struct.pack("<IIII", 1_645_956_217 + at // 1_000_000, at % 1_000_000, len(octets), length) + octets
        for at, octets, length in frames
    ]
    return struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65_535, link_type) + b"".join(records)


def test_a_circuit_that_axlisten_prints_has_the_connect_time_and_utilisation_of_its_capture(metrics) -> None:
    arguments = ("--bit-rate", "1200 bit/s")
    printed, notes = metrics(AXLISTEN, *arguments)
    frames = [(at, b"\0" + bytes.fromhex(octets)) for at, octets in FRAMES]
    captured, _ = metrics(_pcap(202, [(51_240 + at, octets, len(octets)) for at, octets in frames]), *arguments)

    assert printed["connect_time/netrom"]["max"] == pytest.approx(4.531601)
    assert printed["connect_time/netrom"] == captured["connect_time/netrom"]
    assert printed["utilisation"]["value"] == pytest.approx(captured["utilisation"]["value"], rel=1e-3)
    assert "1 packets were captured in part only" in notes


@pytest.mark.parametrize("text", [DIRE_WOLF, BPQ])
def test_a_link_over_midnight_has_its_times(metrics, text) -> None:
    found, _ = metrics(text)

    assert found["connect_time"]["max"] == pytest.approx(3)
    assert found["transaction_time"]["max"] == pytest.approx(2)
    assert found["response_time"]["max"] == pytest.approx(5)
    assert found["polls"]["value"] == 1


def test_what_tcpdump_prints_has_the_times_and_retransmissions_of_the_packets(metrics) -> None:
    found, notes = metrics(TCPDUMP)

    assert found["connect_time"]["max"] == pytest.approx(0.06)
    assert found["response_time/tcp-502"]["max"] == pytest.approx(0.7)
    assert found["retransmissions"]["value"] == 1
    assert found["response_time/echo"]["max"] == pytest.approx(0.002)
    assert "user data of 5 of 8 packets are not in this text" in notes


def test_a_log_of_dire_wolf_counts_packets_by_source_and_says_what_it_lacks(metrics) -> None:
    names = "chan,utime,isotime,source,heard,level,error,dti,name"
    lines = [f"0,{1_645_889_817 + 10 * at},,N0CALL-9,N0CALL-9,50,0,!,N0CALL-9" for at in range(5)]
    found, notes = metrics("\n".join([names, *lines]))

    assert "this log has neither destinations, shown as NODEST" in notes
    assert found["packets"]["value"] == 5


def test_text_without_times_is_refused_with_the_option_that_adds_them(sojourn, tmp_path) -> None:
    (tmp_path / "heard").write_text("[0.3] N0CALL>APRS,WIDE1-1:text\n")

    done = sojourn("analyse", "heard")

    assert done.returncode == 2
    assert "Dire Wolf prints them with -T" in " ".join(done.stderr.replace("│", " ").split())
