"""Sojourn, a response-time laboratory for networks.

The main path::

    import sojourn

    scenario = sojourn.load("site.toml")  # or sojourn.Scenario(kind="lontalk", stations=[...], ...)
    results = scenario.set("background.rate", "300 /s").run()
    results["response_time"].mean  # seconds
    results.frame()  # a polars data frame, one row per point and metric
    sojourn.chart(results, "budget")  # an Altair chart

    sojourn.find(scenario, "background.rate=50:500 /s", "response_time.p99 < 100 ms")
    sojourn.compare("out/before", "out/after")
    sojourn.open("out/site")  # results that were written before

Heavy modules are imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sojourn.errors import SojournError

if TYPE_CHECKING:
    from sojourn.advised import Advice
    from sojourn.api import advise, compare, find, open, run, sweep
    from sojourn.comparison import Comparison
    from sojourn.figures import chart
    from sojourn.point import Metric, Point
    from sojourn.results import Results
    from sojourn.scenario import Scenario, load
    from sojourn.search import Search
    from sojourn.study import Study, load_study

__all__ = [
    "Advice",
    "Comparison",
    "Metric",
    "Point",
    "Results",
    "Scenario",
    "Search",
    "SojournError",
    "Study",
    "advise",
    "chart",
    "compare",
    "find",
    "load",
    "load_study",
    "open",
    "run",
    "sweep",
]

_HOMES = {
    "Advice": "sojourn.advised",
    "Comparison": "sojourn.comparison",
    "Metric": "sojourn.point",
    "Point": "sojourn.point",
    "Results": "sojourn.results",
    "Scenario": "sojourn.scenario",
    "Search": "sojourn.search",
    "Study": "sojourn.study",
    "advise": "sojourn.api",
    "chart": "sojourn.figures",
    "compare": "sojourn.api",
    "find": "sojourn.api",
    "load": "sojourn.scenario",
    "load_study": "sojourn.study",
    "open": "sojourn.api",
    "run": "sojourn.api",
    "sweep": "sojourn.api",
}


def __dir__() -> list[str]:
    """The public names, for completion; they are imported on first use."""
    return sorted(__all__)


def __getattr__(name: str) -> object:
    """Imports a public name when it is first used, so that `import sojourn` is fast."""
    if name not in _HOMES:
        raise AttributeError(f"module 'sojourn' has no attribute {name!r}")
    import importlib  # noqa: PLC0415

    return getattr(importlib.import_module(_HOMES[name]), name)
