"""A report for readers by keyboard, by screen reader, in the dark and on a phone."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sojourn import web

pytestmark = pytest.mark.peer("chromium", package="chromium")


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
