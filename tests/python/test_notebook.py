"""What a notebook shows, and what a script learns at once."""

from pathlib import Path

import pytest

import sojourn
from sojourn.errors import ScenarioError, UnknownName

ROOT = Path(__file__).parents[2]


@pytest.fixture
def queue() -> sojourn.Scenario:
    return sojourn.load(ROOT / "examples" / "queue-mm1.toml")


def test_results_show_whether_requirements_are_met_and_their_first_table(loaded) -> None:
    results = loaded({"D": {100.0: [15, 17]}})
    results.verdicts = [
        {"text": "response_time.mean < 20 ms", "verdict": "met", "value": 0.016, "interval": [0.015, 0.017], "set": {}},
        {"text": "failures = 0", "verdict": "undecided", "value": None, "set": {}},
    ]

    shown = results._repr_html_()

    assert "<strong>1 of 2 requirements is met, 1 undecided.</strong>" in shown
    assert "<td>response_time.mean &lt; 20 ms</td><td>met</td><td>16.0 ± 1.0 ms</td>" in shown
    assert "<th>metric</th>" in shown


def test_results_of_several_points_show_a_row_each(loaded) -> None:
    shown = loaded({"D": {100.0: [15, 16], 200.0: [17, 18]}})._repr_html_()

    assert shown.count("<tr>") == 3
    assert "requirement" not in shown


def test_names_in_results_are_escaped(loaded) -> None:
    results = loaded({"D": {100.0: [15, 17]}})
    results.raw["study"] = "<script>alert(1)</script>"

    assert "<script>" not in results._repr_html_()


def test_a_scenario_shows_its_title_its_changes_and_its_file_escaped(tmp_path: Path) -> None:
    text = (ROOT / "examples" / "queue-mm1.toml").read_text(encoding="utf-8")
    file = tmp_path / "mine.toml"
    file.write_text(text.replace('title = "', 'title = "<b>', 1), encoding="utf-8")

    shown = sojourn.load(file).set("run.seed", 7)._repr_html_()

    assert "<strong>&lt;b&gt;" in shown
    assert "<li>changed: run.seed=7</li>" in shown
    assert "<b>" not in shown


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("run.sed", "scenario.set('run.sed', ...): `run` has no key `sed`; did you mean `seed`?"),
        ("stations.x", "did you mean `station`?"),
        ("flow.visitors.arrivals.rate", "there is no flow `visitors`"),
    ],
)
def test_a_key_that_a_scenario_cannot_have_is_refused_by_the_call_that_sets_it(queue, key: str, said: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        queue.set(key, 3)
    assert said in str(refused.value)
    assert "command line" not in str(refused.value)


def test_any_key_that_there_is_can_be_set(queue) -> None:
    for key, value in {"title": "Mine", "run.seed": 3, "run.duration": "3 min"}.items():
        assert queue.set(key, value).changes[0].startswith(f"{key}=")


def test_a_wrong_value_is_said_to_be_of_the_call_that_set_it(queue) -> None:
    with pytest.raises(ScenarioError) as refused:
        queue.set("run.seed", "three").set("run.duration", "5 s").check()
    assert str(refused.value).startswith(
        "scenario.set('run.seed', ...): `seed` takes a whole number, not text in quotes"
    )
    assert refused.value.problems[0]["file"] == "scenario.set('run.seed', ...)"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("latency", "no metric 'latency' here; did you mean 'response_time'?"),
        ("respons_time", "did you mean 'response_time'?"),
        ("response_time.p99", "'p99' is a field: ['response_time'].field('p99')"),
    ],
)
def test_an_unknown_metric_is_named_with_the_one_that_is_meant(loaded, name: str, said: str) -> None:
    results = loaded({"D": {100.0: [15, 17]}})
    for lookup in (results, results.points[0], results.points[0].metrics):
        with pytest.raises(UnknownName) as unknown:
            lookup[name]
        assert said in str(unknown.value)
