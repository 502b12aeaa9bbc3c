"""What samples say of a value is decided by one rule, in Python and in the scripts of pages."""

import json
from pathlib import Path
from typing import Any

import pytest

from sojourn import web
from sojourn.uncertainty import uncertainty

CASES = json.loads((Path(__file__).parents[1] / "uncertainty.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=[case["case"] for case in CASES])
def test_figures_tables_and_sentences_take_it_from_the_metric(case: dict[str, Any]) -> None:
    known = uncertainty(case["metric"], case["field"])
    assert {"kind": known.kind, "value": known.value, "low": known.low, "high": known.high} == case["expect"]


@pytest.mark.peer("chromium", package="chromium")
def test_pages_take_the_same_from_it(browser: Any) -> None:
    page = browser.new_page()
    page.add_script_tag(content=web.script("uncertainty.js") + "\nwindow.uncertainty = uncertainty;", type="module")
    page.wait_for_function("window.uncertainty !== undefined")
    found = page.evaluate("cases => cases.map(one => uncertainty(one.metric, one.field))", CASES)
    assert found == [case["expect"] for case in CASES]
    page.close()


@pytest.mark.peer("chromium", package="chromium")
def test_pages_show_shares_in_percent_times_in_seconds_and_overload_apart(browser: Any) -> None:
    page = browser.new_page()
    names = "verdictText, plain, fitting, notes"
    page.add_script_tag(
        content=web.script("uncertainty.js", "shown.js") + f"\nwindow.shown = {{{names}}};", type="module"
    )
    page.wait_for_function("window.shown !== undefined")
    lost = {"text": "loss < 1 %", "verdict": "missed", "value": 0.103, "unit": "%"}
    assert page.evaluate("one => shown.verdictText(one)", lost) == ["✗ missed", "(10.3 %)"]
    assert (
        page.evaluate("one => shown.verdictText(one)", lost | {"text": "mos > 4", "value": 3.7, "unit": "1"})[1]
        == "(3.7)"
    )
    # results as in the rest of a report, keys as they are written
    assert page.evaluate("() => [shown.plain(104, 's'), shown.fitting(900, 's')]") == ["104 s", ["min", 60]]
    overloaded = "desk: more arrives at server (1 /s) than it serves (0.667 /s): no steady state"
    assert page.evaluate("texts => shown.notes(texts, 'desk')", [overloaded, "desk: runs are short"]) == {
        "overload": "More arrives at server (1 /s) than it serves (0.667 /s): no steady state.",
        "others": "Runs are short.",
    }
    page.close()


@pytest.mark.peer("chromium", package="chromium")
def test_pages_say_at_least_and_not_reached(browser: Any) -> None:
    page = browser.new_page()
    script = web.script("uncertainty.js", "shown.js") + "\nwindow.fieldText = fieldText;"
    page.add_script_tag(content=script, type="module")
    page.wait_for_function("window.fieldText !== undefined")
    metric = {"unit": "s", "count": 287, "sent": 295, "mean": 0.113, "ci95": [0.099, 0.127], "not_reached": ["p99"]}
    metric |= {"p99": None, "p99_ci95": [0.145, None], "p90": 0.14, "p90_ci95": [0.0218, None]}
    said = page.evaluate("metric => ['mean', 'p90', 'p99'].map(field => fieldText(metric, field))", metric)
    assert said == [["113 ms", "(99 … 127)"], ["140 ms", "(at least 21.8)"], ["not reached", "(2.71 % failed)"]]
    page.close()
