"""Pairs of requests and answers beside those of tshark: what is one pair, and what each finds alone."""

import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"
CLIENT, SERVER = "10.0.0.1/40000", "10.0.0.9/502"


@pytest.fixture
def tools(monkeypatch):
    monkeypatch.syspath_prepend(TOOLS)
    import beside_tshark  # noqa: PLC0415
    import tshark_messages  # noqa: PLC0415
    import tshark_pairs  # noqa: PLC0415

    yield beside_tshark, tshark_pairs, tshark_messages
    for name in ("beside_tshark", "tshark_pairs", "tshark_messages"):
        sys.modules.pop(name, None)


def _frames(pairs, stamps, protocols=("mbtcp",)):
    """Frames from 1, the odd ones of the client."""
    ends = [(CLIENT, SERVER), (SERVER, CLIENT)]
    return {
        number: pairs.Frame(stamp, set(protocols), ends[(number - 1) % 2])
        for number, stamp in enumerate(stamps, start=1)
    }


def test_several_answers_in_a_frame_are_pairs_of_their_own(tools):
    _, pairs, _ = tools
    cells = {"smb2.response_to": "3,4", "smb2.time": "0.25,0.125", "icmp.resp_to": "7", "icmp.resptime": "1.5"}

    assert sorted(pairs.responses(9, cells), key=lambda pair: pair.request) == [
        pairs.Pair("SMB 2", 3, 9, 0.25),
        pairs.Pair("SMB 2", 4, 9, 0.125),
        pairs.Pair("ICMP echo", 7, 9, 0.0015),
    ]


def test_a_repeated_request_counts_from_the_first_and_is_answered_once(tools):
    _, pairs, messages = tools
    request, answer = messages.Message("request", "a"), messages.Message("answer", "a")
    frames = _frames(pairs, [0.0, 1.0, 1.5, 1.75])

    found = list(pairs.paired("BACnet", [(1, request), (2, request), (3, answer), (4, answer)], frames))

    assert found == [pairs.Pair("BACnet", 1, 3, 1.5)]


def test_without_identifiers_requests_are_answered_in_order_by_the_first_part_of_each_answer(tools):
    _, pairs, messages = tools
    request = messages.Message("request", "a", in_order=True)
    part, answer = (messages.Message(role, "a", in_order=True) for role in ("part", "answer"))
    frames = _frames(pairs, [0.0, 0.5, 1.0, 2.0, 4.0])
    sent = [(1, part), (1, request), (2, request), (3, part), (4, answer), (5, answer)]

    assert list(pairs.paired("PostgreSQL", sent, frames)) == [
        pairs.Pair("PostgreSQL", 1, 3, 1.0),
        pairs.Pair("PostgreSQL", 2, 5, 3.5),
    ]


def test_messages_are_read_from_the_fields_of_their_layer(tools):
    *_, messages = tools
    there, back = (CLIENT, SERVER), (SERVER, CLIENT)
    asked = {"dnp3.al.func": ["1"], "dnp3.al.fir": ["1"], "dnp3.al.seq": ["3"], "dnp3.src": ["1"], "dnp3.dst": ["10"]}
    answered = asked | {"dnp3.al.func": ["129"], "dnp3.src": ["10"], "dnp3.dst": ["1"]}

    request, response = messages.dnp3(asked, there), messages.dnp3(answered, back)
    assert (request.role, response.role, request.key == response.key) == ("request", "answer", True)
    assert messages.dnp3(asked | {"dnp3.al.func": ["0"]}, there) is None, "a confirmation"
    at_most_once = {"mqtt.msgtype": ["3"], "mqtt.qos": ["0"]}
    assert messages.mqtt(at_most_once, there) is None
    published = messages.mqtt({"mqtt.msgtype": ["3"], "mqtt.qos": ["1"], "mqtt.msgid": ["7"]}, there)
    assert published.key == messages.mqtt({"mqtt.msgtype": ["4"], "mqtt.msgid": ["7"]}, back).key
    assert messages.iec104({"iec60870_asdu.causetx": ["10"]}, back) is None, "a termination"


def test_a_pair_of_the_last_frames_is_that_of_the_first_frames_of_the_same_messages(tools):
    beside, pairs, _ = tools
    frames = _frames(pairs, [0.0, 0.25, 0.5, 0.75])
    frames[4].segments = [2, 4]

    found = beside.matched(frames, [pairs.Pair("HTTP", 1, 4, 0.75)], [pairs.Pair("HTTP", 1, 2, 0.25)])

    assert (len(found.both), found.tshark, found.sojourn) == (1, [], [])
    assert beside.row("a", "HTTP", found) == beside.Row("a", "HTTP", 1, 0, 0, 0.5, None)


def test_a_pair_is_common_once_and_other_frames_are_not_common(tools):
    beside, pairs, _ = tools
    frames = _frames(pairs, [0.0, 0.25, 0.5, 0.75])
    tshark = [pairs.Pair("DNS", 1, 2, 0.25), pairs.Pair("DNS", 1, 2, 0.25), pairs.Pair("DNS", 3, 4, 0.25)]

    found = beside.matched(frames, tshark, [pairs.Pair("DNS", 1, 2, 0.25), pairs.Pair("DNS", 1, 4, 0.75)])

    assert [len(of) for of in (found.both, found.tshark, found.sojourn)] == [1, 2, 1]
    assert beside.row("a", "DNS", found).of_frames == 0.0


def test_frames_with_one_stamp_are_distinguished_by_their_numbers(tools):
    beside, pairs, _ = tools
    frames = _frames(pairs, [0.0, 0.0, 0.0, 0.0])

    found = list(beside.sojourn_pairs([(3, 4, 0.0, False), (None, 4, 0.0, False)], frames))

    assert found == [pairs.Pair("Modbus", 3, 4, 0.0)]
    other = [pairs.Pair("Modbus", 1, 2, 0.0)]
    assert beside.matched(frames, other, found) == beside.Comparison([], other, found)


def test_a_request_that_a_router_refuses_is_no_pair(tools):
    beside, pairs, _ = tools
    frames = _frames(pairs, [0.0, 0.5], ["dns"])
    frames[2].protocols = {"icmp", "dns"}

    assert list(beside.sojourn_pairs([(1, 2, 0.5, True)], frames)) == []


def test_the_table_counts_captures_and_pairs_of_a_protocol(tools):
    beside, *_ = tools
    rows = [beside.Row("a", "DNS", 5, 0, 0, 0.0, 0.0), beside.Row("a", "HTTP", 2, 1, 0, 0.0, 0.0)]
    rows += [beside.Row("b", "DNS", 7, 0, 3, 0.0, 0.0), beside.Row("c", "HTTP", 1, 0, 0, 0.0, 0.0)]

    lines = beside.table(rows).splitlines()

    assert "| DNS | 2 | 1 | 12 | 0 | 3 |" in lines
    assert lines[-1] == "| all | 3 | 1 | 15 | 1 | 3 |"
