"""The report in a browser without a network: every figure drawn, nothing on the console, nothing requested."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sojourn import web

pytestmark = pytest.mark.peer("chromium", package="chromium")


def opened(browser, page_file: Path, width: int = 1280):
    """The loaded page, offline, with its console output and requests."""
    context = browser.new_context(offline=True, viewport={"width": width, "height": 900})
    page = context.new_page()
    console: list[str] = []
    requests: list[str] = []
    page.on("console", lambda message: console.append(message.text))
    page.on("pageerror", lambda error: console.append(str(error)))
    # the workers of the live part come out of the page itself
    page.on("request", lambda request: requests.append(request.url) if not request.url.startswith("blob:") else None)
    page.goto(page_file.as_uri())
    # the page's policy keeps conditions in JavaScript from being waited for
    page.wait_for_selector("body:not(:has(.chart:not(:has(svg.marks))))", timeout=60_000)
    return page, console, requests


def test_the_report_of_a_study_draws_every_figure_without_requests(browser, tiny_study: Path) -> None:
    page, console, requests = opened(browser, tiny_study / "report.html")
    drawn = page.evaluate("document.querySelectorAll('figure .chart svg.marks').length")
    count_marks = "figure => figure.querySelectorAll('.chart svg.marks [class*=mark-] path').length"
    marks = page.evaluate(f"[...document.querySelectorAll('figure')].map({count_marks})")
    assert drawn >= 10
    assert all(count > 0 for count in marks), "a figure has axes but no marks"
    assert console == []
    assert requests == [(tiny_study / "report.html").as_uri()]


def test_the_sections_are_in_order(browser, tiny_study: Path) -> None:
    page, _, _ = opened(browser, tiny_study / "report.html")
    sections = page.evaluate("[...document.querySelectorAll('main > section')].map(s => s.id)")
    live = ["live"] if web.engine() else []
    assert sections == ["answer", *live, "findings", "figures", "tables", "validity", "setup", "provenance"]


def test_the_answer_is_two_lines_a_small_table_and_a_figure(browser, tiny_study: Path) -> None:
    page, _, _ = opened(browser, tiny_study / "report.html")
    count = "selector => document.querySelectorAll(`#answer ${selector}`).length"
    assert [page.evaluate(count, one) for one in ("p.headline", "table", "figure")] == [2, 1, 1]
    assert page.evaluate(count, "tr") <= 8
    assert "calibration" not in page.inner_text("#answer")
    assert "that it predicts agree" in page.inner_text("#answer")


def test_tables_of_experiments_give_ranges_as_written(browser, tiny_study: Path) -> None:
    page, _, _ = opened(browser, tiny_study / "report.html")
    assert "background.rate = 50:500:50 /s" in page.inner_text("#setup")


@pytest.mark.parametrize("width", [390, 1280])
def test_charts_and_open_tables_fit_a_phone_and_a_screen(browser, tiny_study: Path, width: int) -> None:
    page, _, _ = opened(browser, tiny_study / "report.html", width)
    beyond = page.evaluate(
        """() => [...document.querySelectorAll("svg.marks, figcaption, p")]
             .filter(element => element.getBoundingClientRect().right > innerWidth + 1).length"""
    )
    assert beyond == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_verdict_of_published_values_is_not_cut(browser, tiny_study: Path) -> None:
    page, _, _ = opened(browser, tiny_study / "report.html")
    cut = """(() => {
      const box = document.querySelector("table.published").parentElement;
      return box.scrollWidth > box.clientWidth;
    })()"""
    assert not page.evaluate(cut)
    page.set_viewport_size({"width": 680, "height": 900})  # A4 less margins
    page.emulate_media(media="print")
    assert not page.evaluate(cut)


def test_a_point_of_a_line_has_a_tooltip_with_its_value_and_unit(browser, tiny_study: Path) -> None:
    page, _, _ = opened(browser, tiny_study / "report.html")
    said = page.evaluate(
        "[...document.querySelectorAll('svg.marks [aria-label]')].map(e => e.getAttribute('aria-label'))"
    )
    assert any("300 packets/s" in label and " ms" in label for label in said)


def test_no_title_exceeds_its_figure(browser, tiny_study: Path) -> None:
    page, _, _ = opened(browser, tiny_study / "report.html")
    outside = page.evaluate(
        """[...document.querySelectorAll('figure .chart svg.marks')].flatMap(svg => {
             const frame = svg.getBoundingClientRect();
             return [...svg.querySelectorAll('text')].filter(text => text.textContent.trim()).filter(text => {
               const box = text.getBoundingClientRect();
               const across = box.left < frame.left - 1 || box.right > frame.right + 1;
               return across || box.top < frame.top - 1 || box.bottom > frame.bottom + 1;
             }).map(text => text.textContent);
           })"""
    )
    assert outside == []


def test_the_printed_report_keeps_its_figures(browser, tiny_study: Path) -> None:
    page, _, _ = opened(browser, tiny_study / "report.html")
    page.emulate_media(media="print")
    visible = page.evaluate(
        "[...document.querySelectorAll('figure .chart svg.marks')].every(svg => svg.getBoundingClientRect().width > 0)"
    )
    assert visible
    assert page.evaluate("getComputedStyle(document.querySelector('nav')).display") == "none"


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_a_report_meets_wcag(
    browser: Any, report: Path, violations: Callable[[Any], list[str]], scheme: str, width: int
) -> None:
    page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    page.goto(report.as_uri())
    page.wait_for_selector("body:not(:has(.chart:not(:has(svg.marks))))", timeout=60_000)
    if web.engine():
        page.wait_for_selector("#live .key", timeout=60_000)
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    assert violations(page) == []
    page.close()


def luminance(colour: str) -> float:
    """Relative luminance of `rgb(...)`, as WCAG 2.2 defines it."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_figures_show_stands_out_from_the_page_in_either_scheme(
    browser: Any, tiny_study: Path, scheme: str
) -> None:
    page = browser.new_page(color_scheme=scheme)
    page.goto((tiny_study / "report.html").as_uri())
    page.wait_for_selector("body:not(:has(.chart:not(:has(svg.marks))))", timeout=60_000)
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (luminance(paper) > 0.5) == (scheme == "light")
    assert page.evaluate("getComputedStyle(document.querySelector('svg.marks')).backgroundColor") in (
        "rgba(0, 0, 0, 0)",
        paper,
        "rgb(255, 255, 255)" if scheme == "light" else "",
    )
    colours = "(of, what) => [...document.querySelectorAll(of)].map(one => getComputedStyle(one)[what])"
    texts = set(page.evaluate(f"({colours})('svg.marks text', 'fill')"))
    assert min(contrast(colour, paper) for colour in texts) >= 4.5
    lines = set(page.evaluate(f"({colours})('svg.marks .mark-line path', 'stroke')"))
    assert "rgb(0, 114, 178)" in lines or scheme == "dark", "the colours of the file"
    if scheme == "dark":
        assert min(contrast(colour, paper) for colour in lines) >= 3, lines
        page.emulate_media(media="print")
        assert max(map(luminance, page.evaluate(f"({colours})('svg.marks text', 'fill')"))) < 0.2, "ink on paper"
    page.close()


def test_the_menu_of_a_figure_is_beside_it_and_on_the_page(browser: Any, tiny_study: Path) -> None:
    for width in (1280, 390):
        page, _, _ = opened(browser, tiny_study / "report.html", width)
        page.wait_for_selector("body:not(:has(.chart:not(:has(summary[aria-label]))))")
        ends = page.evaluate(
            """() => [...document.querySelectorAll(".chart")].map(one => {
                 const place = of => one.querySelector(of).getBoundingClientRect();
                 const [figure, menu] = [place("svg.marks"), place("summary")];
                 return [menu.left - figure.right, menu.right];
               })"""
        )
        assert all(-40 <= gap <= 40 for gap, _ in ends), ends
        assert all(right <= width for _, right in ends), ends
        page.context.close()


MARKS = "g[class*='role-mark'] > [aria-label]"


@pytest.mark.nightly
@pytest.mark.parametrize("study", ["voice_study", "adapter_study", "packet_radio_study"])
def test_a_figure_of_the_page_has_the_points_of_its_file(
    browser: Any, request: pytest.FixtureRequest, study: str
) -> None:
    folder = request.getfixturevalue(study)
    page, _, _ = opened(browser, folder / "report.html")
    labels = f'root => [...root.querySelectorAll("{MARKS}")].map(one => one.ariaLabel).sort()'
    for file in sorted((folder / "figures").glob("*.svg")):
        drawn = page.eval_on_selector(f"[id='figure-{file.stem}']", labels)
        page.evaluate(
            "text => { window.kept = new DOMParser().parseFromString(text, 'image/svg+xml'); }", file.read_text()
        )
        assert drawn == page.evaluate(f"({labels})(window.kept)"), file.name
    page.context.close()
