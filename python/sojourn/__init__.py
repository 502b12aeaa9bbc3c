"""Sojourn, a response-time laboratory for networks.

The main path::

    import sojourn

    scenario = sojourn.load("site.toml")
    results = scenario.set("background.rate", "300 /s").run()
    results["response_time"].mean  # seconds
    results.frame()  # a polars data frame, one row per point and metric
    sojourn.chart(results, "budget")  # an Altair chart

Heavy modules are imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sojourn.errors import SojournError

if TYPE_CHECKING:
    from sojourn.figures import chart
    from sojourn.results import Results, read_results
    from sojourn.scenario import Scenario, load
    from sojourn.study import Study, load_study

__all__ = ["Results", "Scenario", "SojournError", "Study", "chart", "load", "load_study", "read_results"]

_HOMES = {
    "chart": "sojourn.figures",
    "Results": "sojourn.results",
    "read_results": "sojourn.results",
    "Scenario": "sojourn.scenario",
    "load": "sojourn.scenario",
    "Study": "sojourn.study",
    "load_study": "sojourn.study",
}


def __getattr__(name: str) -> object:
    """Imports a public name when it is first used, so that `import sojourn` is fast."""
    if name not in _HOMES:
        raise AttributeError(f"module 'sojourn' has no attribute {name!r}")
    import importlib  # noqa: PLC0415

    return getattr(importlib.import_module(_HOMES[name]), name)
