"""The plugin that pytest loads by its entry point: `response_time` as a fixture and as a marker.

Where Sojourn is installed, every run of pytest loads this: nothing else is imported before a test asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from sojourn.timed.measured import ResponseTime

NAME = "response_time"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of response-time tests."""
    group = parser.getgroup("response time", "response-time tests (sojourn)")
    group.addoption(
        "--response-time-baseline",
        metavar="DIR",
        help="Compare with the baselines in this folder: requirements such as '< baseline + 10 %%'.",
    )
    group.addoption(
        "--response-time-record",
        action="store_true",
        help="Measure for the whole time of each test, and keep its times in the folder of baselines.",
    )
    group.addoption(
        "--response-time-undecided",
        choices=("fail", "skip"),
        help="What becomes of a test whose requirement is not decided in time. [fail]",
    )
    parser.addini("response_time_baseline", "Folder of the baselines of response times.")
    parser.addini("response_time_undecided", "fail or skip: what becomes of an undecided response-time test.")


def pytest_configure(config: pytest.Config) -> None:
    """Declares the marker."""
    config.addinivalue_line(
        "markers",
        "response_time(p99='< 20 ms', within='10 s', rate=None, undecided='fail', pauses=True): call the test until "
        "its response time is decided; with the fixture of this name: the arguments of its calls",
    )


@pytest.fixture
def response_time(request: pytest.FixtureRequest) -> ResponseTime:
    """Calls a function until a requirement on its response time is decided: `response_time(call, p99="< 20 ms")`."""
    return _of(request.node, dict(_marked(request.node) or {}))


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Calls a marked test again and again."""
    __tracebackhide__ = True
    given = _marked(pyfuncitem)
    if given is None or NAME in pyfuncitem.fixturenames:
        return None
    from sojourn.timed.measured import repeated  # noqa: PLC0415

    names = pyfuncitem._fixtureinfo.argnames
    call = repeated(pyfuncitem.obj, {name: pyfuncitem.funcargs[name] for name in names})
    _of(pyfuncitem, {}).run(call, given)
    return True


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The line of every response-time test that passed; those of the others stand with their failures."""
    lines = list(_passed(terminalreporter))
    if lines:
        terminalreporter.section("response times")
        for line in lines:
            terminalreporter.write_line(line)


def _passed(reporter: pytest.TerminalReporter) -> Iterator[str]:
    for report in reporter.stats.get("passed", []):
        for name, line in getattr(report, "user_properties", []):
            if name == NAME:
                yield f"{report.nodeid}: {line}"


def _marked(item: pytest.Item) -> dict[str, object] | None:
    """The keyword arguments of the marker, those of the nearest one first; None without it."""
    markers = list(item.iter_markers(NAME))
    return {name: value for marker in reversed(markers) for name, value in marker.kwargs.items()} if markers else None


def _of(item: pytest.Item, defaults: dict[str, object]) -> ResponseTime:
    from sojourn.errors import UserError  # noqa: PLC0415
    from sojourn.timed.measured import ResponseTime, Settings  # noqa: PLC0415

    config = item.config
    folder = config.getoption("--response-time-baseline") or config.getini("response_time_baseline")
    record = bool(config.getoption("--response-time-record"))
    if record and not folder:
        raise UserError("--response-time-record needs the folder of baselines: --response-time-baseline DIR")
    undecided = config.getoption("--response-time-undecided") or config.getini("response_time_undecided") or "fail"
    settings = Settings(str(undecided), config.rootpath / Path(folder) if folder else None, record)

    def note(line: str) -> None:
        item.user_properties.append((NAME, line))

    return ResponseTime(item.nodeid, settings, note, defaults)
