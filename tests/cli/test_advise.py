"""`advise` on a queue whose answers are known: a faster server is better."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from ..scenarios import QUEUE

FASTER = "faster: station.server.service.mean=8 ms"
FASTEST = "fastest: station.server.service.mean=6 ms"


@pytest.fixture
def advise(sojourn, tmp_path: Path):
    (tmp_path / "queue.toml").write_text(QUEUE, encoding="utf-8")

    def asked(*options: str):
        return sojourn("advise", "queue.toml", "--by", "response_time.mean", *options)

    return asked


def options(*texts: str) -> list[str]:
    return [part for text in texts for part in ("--option", text)]


def test_the_best_change_comes_first_with_how_sure_it_is_and_what_comes_next(advise) -> None:
    done = advise(*options(FASTER, FASTEST))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("The best is fastest: response_time.mean ")
    assert "with at least 95 % confidence." in done.stdout.replace("\n", " ")
    assert "Second: faster, which is " in done.stdout.replace("\n", " ")


def test_the_same_seed_gives_the_same_bytes_on_any_number_of_threads(advise, tmp_path: Path) -> None:
    found = []
    for jobs in ("1", "2", "5"):
        done = advise(*options(FASTER, FASTEST), "--jobs", jobs, "--out", f"out{jobs}")
        assert done.returncode == 0, done.stderr
        found.append((tmp_path / f"out{jobs}" / "results.json").read_bytes())
    assert found[0] == found[1] == found[2]
    assert (tmp_path / "out1" / "report.html").exists()


def test_the_cheapest_that_meets_the_condition_is_named_with_its_cost(advise) -> None:
    # M/M/1: 50 ms as it is, 22 ms and 11.5 ms
    done = advise(*options(f"{FASTER}, cost=2", f"{FASTEST}, cost=9"), "--until", "response_time.mean < 30 ms")
    assert done.returncode == 0, done.stderr
    said = done.stdout.replace("\n", " ")
    assert said.startswith("The cheapest that meets response_time.mean < 30 ms is faster, at a cost of 2:")
    assert "Dearer, and better: fastest (cost 9," in said
    assert "Out by a condition: the scenario as it is." in said


def test_where_none_meets_the_condition_the_exit_code_is_1_and_the_case_of_ci_fails(advise, tmp_path: Path) -> None:
    done = advise(*options(FASTER), "--until", "response_time.mean < 5 ms", "--junit", "advice.xml")
    assert done.returncode == 1
    assert done.stdout.startswith("No alternative meets response_time.mean < 5 ms.")
    suite = ET.parse(tmp_path / "advice.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1")


def test_what_the_budget_does_not_decide_is_not_called_an_answer(advise) -> None:
    done = advise(*options("same: station.server.service.mean=9.99 ms"), "--indifference", "0.01 ms", "--budget", "1k")
    assert done.returncode == 3
    assert done.stdout.startswith("Not decided within the budget: ")


def test_numbers_for_programs_have_every_alternative_and_what_became_of_it(advise) -> None:
    done = advise(*options(FASTER, FASTEST), "--format", "json")
    advice = json.loads(done.stdout)["advice"]
    assert (advice["outcome"], advice["objective"], advice["better"]) == ("selected", "response_time.mean", "lower")
    assert [one["name"] for one in advice["alternatives"]] == ["as it is", "faster", "fastest"]
    assert advice["replications"] == sum(one["replications"] for one in advice["alternatives"])


def test_a_mistake_in_an_option_is_shown_under_its_caret_before_anything_runs(advise) -> None:
    done = advise("--option", "faster: station.sever.service.mean=8 ms")
    assert done.returncode == 2
    assert "there is no station `sever`" in done.stderr
    assert "did you mean `server`?" in done.stderr
    assert "─────" in done.stderr


def test_without_options_the_changes_that_the_network_proposes_are_compared(advise) -> None:
    done = advise("--format", "json")
    advice = json.loads(done.stdout)["advice"]
    assert advice["proposed"] is True
    assert {"servers 2", "service-time 5 ms"} <= {one["name"] for one in advice["alternatives"]}
