"""The names that scripts outside the project rely on: the study's results hold the contract."""

import copy
import importlib.util
import json
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def load_checker():
    spec = importlib.util.spec_from_file_location("contract_check", HERE / "check.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CONTRACT = json.loads((HERE / "contract.json").read_text())
check = load_checker().check


@pytest.fixture(scope="module")
def results(tiny_study):
    return json.loads((tiny_study / "results.json").read_text())


def test_the_lontalk_study_holds_the_contract(results):
    assert check(results, CONTRACT) == []


def test_the_voice_study_holds_the_contract(voice_study):
    assert check(json.loads((voice_study / "results.json").read_text()), CONTRACT) == []


def test_the_study_of_an_adapter_holds_the_contract(adapter_study):
    assert check(json.loads((adapter_study / "results.json").read_text()), CONTRACT) == []


def test_the_packet_radio_study_holds_the_contract(packet_radio_study):
    assert check(json.loads((packet_radio_study / "results.json").read_text()), CONTRACT) == []


def test_a_missing_point_breaks_the_contract(results):
    broken = copy.deepcopy(results)
    del broken["points"][0]

    assert any(line.startswith("no point") for line in check(broken, CONTRACT))


def test_a_renamed_metric_breaks_the_contract(results):
    broken = copy.deepcopy(results)
    metrics = broken["points"][-1]["metrics"]
    metrics["response-time"] = metrics.pop("response_time")

    assert any("response_time" in line for line in check(broken, CONTRACT))
