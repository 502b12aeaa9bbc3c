"""Installations in the page: their fields give the text of `sojourn new`, and refuse what it refuses in its words."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sojourn import cards
from sojourn.errors import UserError
from sojourn.installations import Installation, find_installation, names

from .conftest import PAGE, ROOT, wait

Violations = Callable[[Any], list[str]]
pytestmark = pytest.mark.peer("chromium", package="chromium")
SCRIPT = (ROOT / "web" / "playground" / "installations.js").read_text(encoding="utf-8")
FILLED = """async ({script, data, name, all}) => {
  const { problems, scenario } = await import(`data:text/javascript,${encodeURIComponent(script)}`);
  const one = data.installations[name];
  return all.map(values => ({ problems: problems(one, values, data.units), text: scenario(one, values) }));
}"""
WRONG = (
    *("", "0", "-1", "2.5", "020", "1e3", "zwei", "it's", 'say "so"', 'it\'s "so"', "back\\slash", "5 bananas"),
    *("20 ms", "50 Mbit", "2 Gbit/s", "7 day", "1.", ".5", "5  m s", "9" * 22, "9" * 400, "µs", "NaN", "constructor"),
)
"""Of fields that have a number; a choice takes what it offers."""
OTHER = {
    "building": {"vavs": "80", "cycle": "10 s", "channel": "TP/XF-1250", "alarm": "0.4 s", "asked": "100"},
    "campus": {"clients": "30", "channels": "6", "length": "100 km", "ttrt": "8 ms", "response": "75 ms"},
    "clinic": {"screens": "120", "uplink": "100 Mbit/s", "page": "128 KiB", "queue": "fifo", "asked": "40 Mbit/s"},
    "factory": {"devices": "9", "cycle": "2 ms", "trunk": "1 Gbit/s", "response": "500 µs", "queue": "fifo"},
    "home": {"uploads": "1", "uplink": "1000 kbit/s", "queue": "codel", "lag": "80 ms", "distance": "0 ms"},
    "logger": {"loggers": "2", "interval": "1 h", "reading": "256 B", "rate": "9600 bit/s", "age": "1 min"},
    "meter-string": {"meters": "28", "registers": "10", "rate": "19200 bit/s", "cycle": "10 s", "age": "20 s"},
    "office": {"phones": "35", "backups": "10", "uplink": "50 Mbit/s", "queue": "fifo", "mos": "4", "codec": "opus-28"},
    "plc-drives": {"drives": "8", "interval": "50 ms", "cycle": "1 s", "rate": "115200 bit/s", "response": "25 ms"},
    "radio": {"users": "20", "interval": "2 h", "message": "1.5 KiB", "response": "2 min", "asked": "20"},
    "scada-gateway": {"computers": "2", "devices": "5", "registers": "40", "rate": "9600 bit/s", "cycle": "4 s"},
    "vav-trunk": {"controllers": "20", "bit-rate": "76800 bit/s", "cycle": "30 s", "max-master": "60", "asked": "50"},
}


@pytest.fixture
def blank(browser: Any) -> Iterator[Any]:
    page = browser.new_page()
    yield page
    page.close()


def cases(one: Installation) -> Iterator[dict[str, str]]:
    """Values of each field at its limits and wrong ones, alone and beside another."""
    yield from ({}, {field.name: field.default for field in one.fields}, OTHER[one.name])
    for field in one.fields:
        yield from ({field.name: value} for value in field.words or (field.low, field.high, *WRONG))
    yield {field.name: "wrong" for field in one.fields if not field.words}


@pytest.mark.parametrize("name", names())
def test_a_page_writes_and_refuses_values_as_the_command_line_does(blank: Any, name: str) -> None:
    one, data = find_installation(name), json.loads(json.dumps(cards.fillable()))
    all_values = list(cases(one))
    answers = blank.evaluate(FILLED, {"script": SCRIPT, "data": data, "name": name, "all": all_values})
    written = 0
    for values, answer in zip(all_values, answers, strict=True):
        assert answer["problems"] == one.problems(values), values
        if not answer["problems"]:
            assert answer["text"] == one.scenario(values), values
            written += 1
    assert written >= len(one.fields)


@pytest.mark.playground
def test_what_a_card_opens_is_byte_for_byte_what_new_writes(opened: Callable[..., Any]) -> None:
    page = opened()
    for name, values in [("office", {}), *OTHER.items()]:
        fill(page, name, values)
        page.click(f"#new-{name} button")
        page.wait_for_selector("#work", state="visible")
        page.wait_for_selector("#problems .good", timeout=60_000)
        with page.expect_download() as saved:
            page.click("#save")
        assert saved.value.suggested_filename == f"{name}.toml"
        assert saved.value.path().read_bytes() == find_installation(name).scenario(values).encode()
        page.click(".brand")
        page.wait_for_selector("#gallery", state="visible")


@pytest.mark.playground
def test_a_card_is_answered_for_the_numbers_that_are_filled_in(opened: Callable[..., Any]) -> None:
    page = opened()
    fill(page, "home", {"uplink": "10 Mbit/s", "asked": "6 Mbit/s"})
    page.press("#home-asked", "Enter")
    wait(page)
    assert page.inner_text("h1#title") == "Does a slower link do?"
    assert page.inner_text("#headline").startswith("✓ Yes: with medium.uplink.rate = 6 Mbit/s. ")
    assert page.inner_text("#command") == "sojourn find home.toml"
    assert page.get_attribute("#values", "placeholder") == "0.5:50 Mbit/s"
    address = page.url
    page.reload()
    wait(page)
    assert page.url == address
    assert page.inner_text("#headline").startswith("✓ Yes: with medium.uplink.rate = 6 Mbit/s. ")


@pytest.mark.playground
@pytest.mark.parametrize("width", [1280, 390])
def test_a_wrong_value_is_refused_beside_its_field(
    opened: Callable[..., Any], violations: Violations, width: int
) -> None:
    page = opened()
    page.set_viewport_size({"width": width, "height": 800})
    fill(page, "office", {"phones": "2000", "uplink": "50 Mbit"})
    page.click("#new-office button")
    page.get_by_text("phones is 1 to 300, not 2000").wait_for()
    assert page.inner_text("#office-uplink-wrong") == "uplink is 1 Mbit/s to 1 Gbit/s, as '20 Mbit/s', not '50 Mbit'"
    assert page.evaluate("document.activeElement.id") == "office-phones"
    assert page.get_attribute("#office-backups", "aria-invalid") == "false"
    assert page.is_visible("#gallery")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(page) == []
    page.click("#theme")
    assert violations(page) == []


@pytest.mark.playground
def test_values_that_do_not_go_together_are_refused_with_the_words_of_the_check(browser: Any, tmp_path: Path) -> None:
    campus = find_installation("campus")
    fields = tuple(replace(field, low="4 ms") if field.name == "ttrt" else field for field in campus.fields)
    with pytest.raises(UserError) as refused:
        replace(campus, fields=fields).scenario({"ttrt": "4 ms"})
    copy = tmp_path / "index.html"
    text = PAGE.read_text(encoding="utf-8")
    assert text.count('"low":"6 ms"') == 1
    copy.write_text(text.replace('"low":"6 ms"', '"low":"4 ms"'), encoding="utf-8")
    page = browser.new_page()
    page.goto(copy.as_uri())
    fill(page, "campus", {"ttrt": "4 ms"})
    page.click("#new-campus button")
    page.get_by_text("these values do not go together").wait_for(timeout=60_000)
    assert page.inner_text("#new-campus p.wrong") == str(refused.value)
    page.close()


def fill(page: Any, name: str, values: dict[str, str]) -> None:
    """Opens the card of an installation and fills in its fields, the others with their defaults."""
    if page.get_attribute(f"#new-{name}", "open") is None:
        page.click(f"#new-{name} summary")
    for field in find_installation(name).fields:
        place, value = f"#{name}-{field.name}", values.get(field.name, field.default)
        page.select_option(place, value) if field.words else page.fill(place, value)
