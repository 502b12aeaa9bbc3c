"""`sojourn analyse`: captures of real networks, with results of a simulation's names."""

import json
import struct

import pytest
from jsonschema import Draft202012Validator

from sojourn import schemas


@pytest.fixture
def capture(sojourn, tmp_path):
    """A capture of simulated LonTalk."""
    assert sojourn("new", "lontalk", "-o", "site.toml").returncode == 0
    short = ("--set", "run.duration=20 s", "--set", "run.warm_up=0 s", "--replications", "1")
    done = sojourn("run", "site.toml", *short, "--pcap", "site.pcap")
    assert done.returncode == 0, done.stderr
    return tmp_path / "site.pcap"


def test_a_capture_has_results_of_the_schema_a_table_and_files(sojourn, capture, tmp_path) -> None:
    done = sojourn("analyse", capture, "--format", "json", "--out", "out")

    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)
    Draft202012Validator(json.loads(schemas.text("results"))).validate(results)
    assert (results["world"], results["network"], results["study"]) == ("captured", "lontalk", "site.pcap")
    assert "A capture shows packets, not applications" in done.stderr
    assert {"flows.csv", "timeline.csv", "report.html"} <= {file.name for file in (tmp_path / "out").iterdir()}

    table = sojourn("analyse", capture).stdout

    assert "lontalk: " in table
    assert "conversation" in table

    compared = sojourn("compare", "out", "out", "--format", "json")

    assert compared.returncode == 0, compared.stderr


def test_a_condition_that_is_missed_is_exit_status_1_and_a_pipe_gives_the_same_numbers(sojourn, capture) -> None:
    missed = sojourn("analyse", capture, "--expect", "response_time.p50 < 1 us")
    assert missed.returncode == 1
    assert "response_time.p50" in missed.stdout + missed.stderr

    with capture.open("rb") as pipe:
        piped = sojourn("analyse", "-", "--format", "json", stdin=pipe)
    plain = sojourn("analyse", capture, "--format", "json")
    metrics = [json.loads(done.stdout)["points"][0]["metrics"] for done in (piped, plain)]
    assert metrics[0] == metrics[1]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty: it has 0 bytes"),
        (b"# a scenario", 'is in no known format: it begins with "# a scenario"; read are pcap, pcapng,'),
        (b"\x7fELF", "is in no known format: it begins with 7f 45 4c 46"),
        (b"BZh9", "compressed by bzip2"),
    ],
)
def test_what_is_no_capture_is_refused_in_one_sentence(sojourn, tmp_path, content, said) -> None:
    file = tmp_path / "a.pcap"
    file.write_bytes(content)

    done = sojourn("analyse", file)

    assert done.returncode == 2
    assert said in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr


def test_the_slowest_transactions_have_frames_and_what_happened_between_as_table_json_and_figure(
    sojourn, capture, tmp_path
) -> None:
    done = sojourn("analyse", capture, "--slowest", "3", "--format", "json", "--out", "out")

    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)
    Draft202012Validator(json.loads(schemas.text("results"))).validate(results)
    slowest = results["slowest"]
    times = [row["time"] for row in slowest]
    longest = results["points"][0]["metrics"]["response_time"]["max"]
    assert len(times) == 3
    assert times == sorted(times, reverse=True)
    assert times[0] == pytest.approx(longest)
    assert all(first < last for first, last in (row["frames"] for row in slowest))
    assert all(row["why"] for row in slowest)
    tables = json.loads((tmp_path / "out" / "capture.json").read_text())
    assert tables["slowest"] == slowest
    assert {"lost", "retried"} <= tables.keys()
    assert "<svg" in (tmp_path / "out" / "slowest.svg").read_text()

    table = sojourn("analyse", capture, "--slowest", "3").stdout

    assert "slowest" in table
    assert "-".join(str(frame) for frame in slowest[0]["frames"]) in table
    assert "slowest" not in sojourn("analyse", capture).stdout


def test_a_call_has_its_wait_and_the_loss_and_rating_of_its_stream(sojourn, tmp_path) -> None:
    (tmp_path / "call.pcap").write_bytes(call())

    done = sojourn("analyse", "call.pcap", "--format", "json", "--out", "out")

    assert done.returncode == 0, done.stderr
    metrics = json.loads(done.stdout)["points"][0]["metrics"]
    assert metrics["post_dial_delay"]["max"] == pytest.approx(0.5)
    assert metrics["loss/0x00000007"]["value"] == pytest.approx(0.02)
    assert metrics["loss"]["value"] == pytest.approx(0.02)
    assert metrics["jitter_rfc3550"]["value"] == pytest.approx(0.0, abs=1e-9)
    assert 3.8 < metrics["mos"]["value"] < 4.3
    rows = json.loads((tmp_path / "out" / "capture.json").read_text())
    assert [(row["encoding"], row["codec"], row["lost"]) for row in rows["streams"]] == [("PCMA", "g711", 2)]
    assert [(row["outcome"], row["post_dial_delay_s"]) for row in rows["calls"]] == [("busy", 0.5)]
    assert {"calls.csv", "streams.csv"} <= {file.name for file in (tmp_path / "out").iterdir()}

    table = sojourn("analyse", "call.pcap").stdout

    assert "0x00000007" in table
    assert "busy (486)" in table


def frame(milliseconds: int, hosts: tuple[int, int], ports: tuple[int, int], data: bytes) -> bytes:
    """A record of a datagram between hosts of 10.0.0.0/24, for pcap of link type 101."""
    datagram = struct.pack(">HHHH", *ports, 8 + len(data), 0) + data
    addresses = bytes([10, 0, 0, hosts[0], 10, 0, 0, hosts[1]])
    packet = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(datagram), 0, 0, 64, 17, 0) + addresses + datagram
    seconds, rest = divmod(milliseconds, 1000)
    return struct.pack("<IIII", seconds, rest * 1000, len(packet), len(packet)) + packet


def test_who_serves_is_in_the_results_with_what_shows_it_and_may_be_stated(sojourn, tmp_path) -> None:
    # NFS asked from a privileged port; between ports of no common service, the host that IANA has no service for asks
    asked, answered = struct.pack(">10I", 7, 0, 2, 100_003, 3, 0, 0, 0, 0, 0), struct.pack(">6I", 7, 1, 0, 0, 0, 0)
    frames = [
        frame(0, (1, 2), (796, 2049), asked), frame(5, (2, 1), (2049, 796), answered),
        frame(10, (2, 1), (8100, 8123), b"b"),
        frame(20, (1, 2), (8123, 8100), b"a"), frame(23, (2, 1), (8100, 8123), b"b"),
    ]  # fmt: skip
    (tmp_path / "a.pcap").write_bytes(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65_535, 101) + b"".join(frames))

    def roles(*stated: str) -> list[tuple[str, str]]:
        done = sojourn("analyse", "a.pcap", "--format", "json", *stated)
        assert done.returncode == 0, done.stderr
        results = json.loads(done.stdout)
        Draft202012Validator(json.loads(schemas.text("results"))).validate(results)
        return sorted((role["server"], role["by"]) for role in results["roles"])

    nfs = ("10.0.0.2", "the port of a common service")
    assert roles() == [("10.0.0.2", "IANA's registry of ports"), nfs]
    assert roles("--server", "8123/udp") == [("10.0.0.1", "--server"), nfs]
    assert roles("--server", "8123/tcp") == roles()


def call() -> bytes:
    """A call that is refused after half a second, and a stream of 100 packets of G.711, of which two are lost."""
    fields = b"\r\nVia: SIP/2.0/UDP a;branch=z9hG4bK1\r\nCall-ID: 1@a\r\nCSeq: 1 INVITE\r\n\r\n"
    frames = [
        frame(0, (1, 2), (5060, 5060), b"INVITE sip:b@b SIP/2.0" + fields),
        frame(500, (2, 1), (5060, 5060), b"SIP/2.0 486 Busy Here" + fields),
    ]
    for number in (number for number in range(100) if number not in (40, 41)):
        media = struct.pack(">BBHII", 0x80, 8, number, 160 * number, 7) + bytes(160)
        frames.append(frame(1000 + 20 * number, (1, 2), (4000, 4002), media))
    return struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65_535, 101) + b"".join(frames)
