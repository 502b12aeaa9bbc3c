"""The live panel of reports in a cell of a notebook: JupyterLab, VS Code, marimo.

::

    panel = scenario.widget()
    panel  # sliders; what is moved is simulated in the page, without this process
    panel.scenario  # the scenario with what was moved, to run here
    panel.point["metrics"]["response_time"]["p99"]  # what the page shows
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from sojourn import web
from sojourn.bindings import call_json
from sojourn.errors import RunFailed, UserError
from sojourn.extras import require
from sojourn.stored import stored

require("anywidget", "widgets of notebooks")

import anywidget  # noqa: E402 - of an extra
import traitlets  # noqa: E402

if TYPE_CHECKING:
    from sojourn.results import Results
    from sojourn.scenario import Scenario

SCRIPTS = (
    "packed.js",
    "engine.js",
    "uncertainty.js",
    "numbers.js",
    "shown.js",
    "chart.js",
    "influence.js",
    "timeline.js",
    "panel.js",
    "live.js",
    "widget.js",
)


def _script() -> str:
    """The module that anywidget loads."""
    style = (files("sojourn.report") / "page.css").read_text(encoding="utf-8")
    return (
        f"{web.script(*SCRIPTS)}\nexport default widget({json.dumps(style)}, {json.dumps(web.source(web.WORKER))});\n"
    )


class Panel(anywidget.AnyWidget):
    """Sliders of a scenario's numbers, and what the page simulates with them beside the scenario as written."""

    _esm = _script()
    data = traitlets.Dict().tag(sync=True)
    """What is simulated, as `live.js` has it."""
    engine = traitlets.Bytes().tag(sync=True)
    vega = traitlets.Bytes().tag(sync=True)
    settings = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """What was moved, as `--set` takes it."""
    point = traitlets.Dict().tag(sync=True)
    """What the page shows of these settings: metrics and verdicts, as a point of `results.json` has them."""

    def __init__(self, scenario: Scenario, keys: Sequence[str], results: Results | None) -> None:
        """Checks the scenario and the keys, with `ScenarioError` for what is wrong with them."""
        engine = web.engine()
        if engine is None:
            raise RunFailed(f"a widget needs the simulation for pages: {web.HOW}")
        document = scenario.document()
        if document is None:
            raise UserError("a measurement has no stations to simulate: widget() is of a scenario")
        for key in keys:
            call_json("parameter", str(scenario.path), list(scenario.changes), key)
        # what a figure over time is drawn of
        has_events = "[[event]]" in str(document["text"])
        super().__init__(
            data=_data(document, keys, results), engine=engine, vega=web.vega() if has_events else b"", settings=[]
        )
        self._written = scenario

    @property
    def scenario(self) -> Scenario:
        """The scenario with what was moved."""
        found = self._written
        for setting in self.settings:
            key, _, value = setting.partition("=")
            found = found.set(key, value)
        return found


def _data(document: dict[str, Any], keys: Sequence[str], results: Results | None) -> dict[str, Any]:
    """What the page simulates, beside the results where some are given and else beside the scenario as written."""
    request = {**document, "over": [], "runs": {}}
    experiment: dict[str, Any] = {"id": "", "request": request, "keys": list(keys), "ranges": {}, "words": {}}
    if results is None:
        shown = {"origin": "As written", "experiments": [{**experiment, "stored": []}]}
    else:
        request["runs"] = {"seed": results.raw["seed"], "replications": results.points[0].raw["replications"]}
        shown = {
            "origin": "Computed",
            "experiments": [{**experiment, "stored": [stored(one) for one in results.points]}],
        }
    return {**shown, "is_twin": False, "is_captured": False}
