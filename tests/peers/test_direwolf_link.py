"""AX.25 links with another program's link layer: connect, transfer, disconnect with Dire Wolf, over simulated air."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.peer("direwolf", package="direwolf"),
    pytest.mark.peer("ip", package="iproute2"),
    pytest.mark.network_namespaces,
]

ROOT = Path(__file__).resolve().parents[2]
PAIR = Path(__file__).with_name("direwolf_pair.py")


def transferred(peer: str, version: str, count: int) -> str:
    """What our station says while it sends bytes to a station that sends them back."""
    build = ("cargo", "build", "--quiet", "--locked", "--package", "sojourn-live", "--example", "ax25_over_kiss")
    subprocess.run(build, cwd=ROOT, check=True, timeout=600)
    station = (str(ROOT / "target/debug/examples/ax25_over_kiss"), "127.0.0.1:8001", "AAA-2", peer, version, str(count))
    command = ["unshare", "--net", sys.executable, str(PAIR), *station]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"disconnected (Requested); {count} of {count} bytes came back" in done.stdout
    return done.stdout


def frames(said: str) -> list[str]:
    return re.findall(r"^ *[\d.]+ ([<>] .*)$", said, re.MULTILINE)


def test_dire_wolf_and_we_speak_v2_0_byte_for_byte():
    dialogue = frames(transferred("BBB-1", "v2.0", 2000))

    assert dialogue[:2] == ["> AAA-2>BBB-1: SABM P", "< BBB-1>AAA-2: UA F"]
    assert dialogue[-2:] == ["> AAA-2>BBB-1: DISC P", "< BBB-1>AAA-2: UA F"]
    assert any(re.match(r"> AAA-2>BBB-1: I 7,", frame) for frame in dialogue), "numbers go up to 7 and round"


def test_dire_wolf_and_we_speak_v2_2_and_agree_on_parameters():
    said = transferred("BBB-1", "v2.2", 2000)

    dialogue = frames(said)
    assert dialogue[:2] == ["> AAA-2>BBB-1: SABME P", "< BBB-1>AAA-2: UA F"]
    assert "connected (V2_2)" in said
    assert {"> AAA-2>BBB-1: XID P", "< BBB-1>AAA-2: XID F"} <= set(dialogue)
    assert any(re.match(r"> AAA-2>BBB-1: I 15,", frame) for frame in dialogue), "numbers go beyond 7"


def test_a_digipeater_joins_us_and_dire_wolf():
    dialogue = frames(transferred("AAA-9,BBB-1", "v2.0", 500))

    assert "< AAA-2>AAA-9,BBB-1*: SABM P" in dialogue, "the digipeater repeats us"
    assert "< AAA-9>AAA-2,BBB-1*: UA F" in dialogue
