"""What samples say of a value is decided by one rule, in Python and in the scripts of pages."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from sojourn import units, web
from sojourn.catalogue import metric
from sojourn.uncertainty import uncertainty

CASES = json.loads((Path(__file__).parents[1] / "uncertainty.json").read_text())
NUMBERS = json.loads((Path(__file__).parents[1] / "numbers.json").read_text(encoding="utf-8"))


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
    names = "verdictText, plain, fitting, notes, withInterval"
    page.add_script_tag(
        content=web.script("uncertainty.js", "numbers.js", "shown.js") + f"\nwindow.shown = {{{names}}};", type="module"
    )
    page.wait_for_function("window.shown !== undefined")
    lost = {"text": "loss < 1 %", "verdict": "missed", "value": 0.103, "unit": "%"}
    assert page.evaluate("one => shown.verdictText(one)", lost) == ["✗ missed", "(10.3 %)"]
    assert (
        page.evaluate("one => shown.verdictText(one)", lost | {"text": "mos > 4", "value": 3.7, "unit": "1"})[1]
        == "(3.70)"
    )
    assert page.evaluate("() => shown.withInterval(0.0153, [0.0133, 0.0173], '%')") == ["1.53 %", "(1.33 … 1.73)"]
    # results as in the rest of a report, keys as they are written
    assert page.evaluate("() => [shown.plain(104, 's'), shown.fitting(900, 's')]") == ["104 s", ["min", 60]]
    overloaded = "desk: more arrives at server (1 /s) than it serves (0.667 /s): no steady state"
    assert page.evaluate("texts => shown.notes(texts, 'desk')", [overloaded, "desk: runs are short"]) == {
        "overload": "More arrives at server (1 /s) than it serves (0.667 /s): no steady state.",
        "others": "Runs are short.",
    }
    page.close()


@pytest.mark.peer("chromium", package="chromium")
def test_pages_write_numbers_as_rust_does(browser: Any) -> None:
    page = browser.new_page()
    names = "plain, significant, rounded, shownUnit, inOneUnit"
    page.add_script_tag(content=web.script("numbers.js") + f"\nwindow.numbers = {{{names}}};", type="module")
    page.wait_for_function("window.numbers !== undefined")
    cases = [case | {"declared": metric(case.get("metric", "")).get("shown_unit")} for case in NUMBERS]
    cases = [case for case in cases if case["of"] in ("value", "significant", "rounded", "ends")]
    chance = random.Random(7)
    for _ in range(3000):
        value = chance.choice([1, -1]) * 10 ** chance.uniform(-9, 9)
        # a tie of two decimals, as of 0.125
        tie = chance.randrange(100_000) / 8 / 10 ** chance.randrange(3)
        unit, of = chance.choice([("s", ""), ("bit/s", ""), ("1", "loss"), ("1/s", "throughput_l3"), ("1", "mos")])
        declared, low = metric(of).get("shown_unit"), value * chance.uniform(0.9, 1)
        cases.append({"of": "value", "value": value, "unit": unit, "declared": declared})
        cases[-1]["text"] = units.format_value(value, unit, of)
        for one in (value, tie):
            cases.append({"of": "significant", "value": one, "text": units.significant(one)})
            cases.append({"of": "rounded", "value": one, "digits": 3, "text": units.rounded(one, 3)})
        cases.append({"of": "ends", "value": value, "ends": [low, value], "unit": unit, "declared": declared})
        cases[-1]["text"] = units.format_ends(value, (low, value), unit, of)
    shown = """one => {
      const unit = numbers.shownUnit(one.unit ?? "1", one.declared), digits = one.digits ?? 3;
      if (one.of === "value") return numbers.plain(one.value, unit, one.beside ?? 0, digits);
      if (one.of === "significant") return numbers.significant(one.value ?? Infinity, digits);
      if (one.of === "rounded") return numbers.rounded(one.value, digits);
      const found = numbers.inOneUnit(one.value, one.ends, unit);
      const { value, low, high } = found;
      const span = low === high && high === value ? value
        : !high ? `at least ${low}` : one.ends[0] === 0 && one.value === 0 ? `at most ${high}` : `${low} to ${high}`;
      const text = one.value === null ? span : span === value ? value : `${value} (${span})`;
      return `${text} ${found.unit}`.trim();
    }"""
    ours = [case for case in cases if "like" not in case]
    found = page.evaluate(f"cases => cases.map({shown})", ours)
    assert [(case, text) for case, text in zip(ours, found, strict=True) if text != case["text"]] == []
    page.close()


@pytest.mark.peer("chromium", package="chromium")
def test_pages_say_at_least_and_not_reached(browser: Any) -> None:
    page = browser.new_page()
    script = web.script("uncertainty.js", "numbers.js", "shown.js") + "\nwindow.fieldText = fieldText;"
    page.add_script_tag(content=script, type="module")
    page.wait_for_function("window.fieldText !== undefined")
    metric = {"unit": "s", "count": 287, "sent": 295, "mean": 0.113, "ci95": [0.099, 0.127], "not_reached": ["p99"]}
    metric |= {"p99": None, "p99_ci95": [0.145, None], "p90": 0.14, "p90_ci95": [0.0218, None]}
    said = page.evaluate("metric => ['mean', 'p90', 'p99'].map(field => fieldText(metric, field))", metric)
    assert said == [["113 ms", "(99 … 127)"], ["140 ms", "(at least 21.8)"], ["not reached", "(2.71 % failed)"]]
    page.close()
