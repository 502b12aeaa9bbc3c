"""`find` on a queue whose answer is known: M/M/1 with a mean service of 10 ms answers in 10 ms / (1 - load)."""

import json

import pytest


@pytest.fixture
def find(sojourn):
    """Searches the arrival rate of the queue scenario that `new` writes, and returns what the command did."""
    assert sojourn("new", "queue", "-o", "queue.toml").returncode == 0

    def search(until: str, span: str = "10:95 /s", *more: str):
        size = ("--set", "run.duration=200 s", "--replications", "4")
        vary = f"flow.customers.arrivals.rate={span}"
        return sojourn("find", "queue.toml", "--vary", vary, "--until", until, *size, *more)

    return search


def test_the_largest_rate_is_where_theory_puts_it(find):
    done = find("response_time.mean < 20 ms", "10:95 /s", "--format", "csv")
    tried = [line.split(",") for line in done.stdout.splitlines()]

    assert done.returncode == 0, done.stderr
    found = float(" ".join(done.stderr.split()).split("20 ms is ")[1].split(" /s")[0])
    assert found == pytest.approx(50, rel=0.1)
    assert len(tried) > 5


def test_points_beyond_the_limit_that_miss_an_expectation_are_no_failure(find, tmp_path):
    path = tmp_path / "queue.toml"
    path.write_text(path.read_text().replace('"< 100 ms"', '"< 12 ms"'))

    assert find("response_time.mean < 20 ms").returncode == 0


@pytest.mark.parametrize(
    ("until", "said"), [("response_time.mean < 10 s", "whole range"), ("failures > 9", "does not hold anywhere")]
)
def test_a_condition_that_always_or_never_holds_is_reported_as_such(find, until, said):
    done = find(until, "10:50 /s")

    assert done.returncode == 0, done.stderr
    assert said in done.stdout


def test_a_metric_that_does_not_exist_is_refused_with_the_nearest(find):
    done = find("respnse_time.mean < 20 ms")

    assert done.returncode == 2
    assert "response_time" in done.stderr


def test_the_points_tried_are_results_like_any_other(find):
    done = find("response_time.mean < 20 ms", "10:95 /s", "--format", "json")

    rates = [point["set"]["flow.customers.arrivals.rate"] for point in json.loads(done.stdout)["points"]]
    assert rates == sorted(rates)
    assert min(rates) == 10
    assert max(rates) == 95


def test_a_question_in_the_scenario_is_answered_at_the_top_of_the_report(find, sojourn, tmp_path):
    question = (
        '\n[question]\ntext = "Twice as many?"\nvary = "flow.customers.arrivals.rate=10:95 /s"\nasked = "90 /s"\n'
    )
    path = tmp_path / "queue.toml"
    path.write_text(path.read_text() + question)

    size = ("--until", "response_time.mean < 20 ms", "--set", "run.duration=100 s", "--replications", "3")
    done = sojourn("find", "queue.toml", *size, "--out", "out")

    assert done.returncode == 0, done.stderr
    assert done.stdout.split("Twice as many?\n")[1].lstrip().startswith("No: with flow.customers.arrivals.rate = 90 /s")
    page = (tmp_path / "out/report.html").read_text()
    section = page[page.index('<section id="answer">') : page.index('<section id="figures">')]
    headline, question = section.index('"headline">No: with'), section.index("Twice as many?")
    assert headline < question < section.index("<b>Limit.</b>")
