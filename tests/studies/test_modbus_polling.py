"""The frozen predictions of the study of Modbus: the commands beside them still give them."""

import json
import shlex
from pathlib import Path

import pytest

STUDY = Path(__file__).resolve().parents[2] / "studies" / "modbus-polling"
BLIND = json.loads((STUDY / "blind.json").read_text(encoding="utf-8"))


def answer_ms(point: dict, name: str) -> float:
    """What was asked, in milliseconds: a round trip, a cycle, or the time of a server."""
    metrics = point["metrics"]
    if name == "tokio-297":
        return 1e3 / metrics["transaction_rate"]["value"]
    if name == "nmodbus-203":
        return 1e3 * sum(metrics[f"delay_budget/{part}"]["mean"] for part in ("server-wait", "server"))
    return 1e3 * metrics["response_time"]["mean"]


@pytest.mark.parametrize("name", sorted(BLIND))
def test_a_prediction_is_what_its_command_gives_and_within_its_interval(sojourn, name):
    frozen = BLIND[name]
    tool, command, *arguments = shlex.split(frozen["command"])
    assert tool == "sojourn"
    (file,) = [argument for argument in arguments if argument.endswith(".toml")]
    arguments = [str(STUDY / Path(file).name) if argument == file else argument for argument in arguments]

    done = sojourn(command, *arguments)

    assert done.returncode == 0, done.stderr
    found = [answer_ms(point, name) for point in json.loads(done.stdout)["points"]]
    known = frozen["value"] if isinstance(frozen["value"], list) else [[None, frozen["value"]]]
    assert found == pytest.approx([value for _, value in known], abs=5e-4)
    intervals = frozen["interval"] if isinstance(frozen["interval"][0], list) else [frozen["interval"]]
    assert all(low <= value <= high for value, (low, high) in zip(found, intervals, strict=True))


def test_a_read_of_ten_registers_has_forty_characters_and_the_time_of_the_controller():
    """33 characters of frames and two silences of 3.5, of 11 bits, and 30 ms."""
    rates = (150, 300, 1200, 2400, 4800, 9600, 19_200, 38_400)
    for rate in rates:
        assert BLIND[f"micromod-{rate}"]["value"] == pytest.approx(40 * 11 / rate * 1e3 + 30, abs=5e-4)
