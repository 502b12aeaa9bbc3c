"""A dashboard of Grafana for a monitor or a mesh, from the families that it serves."""

from __future__ import annotations

from typing import Any

from sojourn.prometheus.families import FAMILIES, Family, Query

SCHEMA = 39
"""Of dashboards since Grafana 10.4; later ones migrate it."""
SOURCE = {"type": "prometheus", "uid": "${source}"}
WIDE, HIGH, COLUMNS = 12, 8, 24
OPACITY = (35, 25, 15, 10)
"""Of the band below each percentile, in percent."""


def dashboard(title: str, *, mesh: bool) -> dict[str, Any]:
    """The dashboard, as it is imported; the data source is chosen there."""
    labels = ("from", "to") if mesh else ("target",)
    panels: list[dict[str, Any]] = []
    for number, family in enumerate(FAMILIES):
        wide = COLUMNS if family.form == "smoke" else WIDE
        panels.append(_panel(family, labels) | {"id": number + 1, "gridPos": {"w": wide, "h": HIGH}})
    _placed(panels)
    return {
        "title": title,
        "uid": None,
        "schemaVersion": SCHEMA,
        "version": 1,
        "editable": True,
        "tags": ["sojourn"],
        "time": {"from": "now-6h", "to": "now"},
        "refresh": "30s",
        "templating": {"list": [_source(), *(_variable(label) for label in labels)]},
        "annotations": {"list": []},
        "panels": panels,
    }


def expression(query: Query, labels: tuple[str, ...], chosen: str = "${%s:regex}") -> str:
    """A query for the targets chosen: `chosen` with the name of each label's variable."""
    selector = ",".join(f'{label}=~"{chosen % label if "%" in chosen else chosen}"' for label in labels)
    return query.expression.replace("OF", selector).replace("BY", ", ".join(labels))


def _panel(family: Family, labels: tuple[str, ...]) -> dict[str, Any]:
    name = " to ".join(f"{{{{{label}}}}}" for label in labels)
    targets = [
        {
            "refId": chr(ord("A") + number),
            "datasource": SOURCE,
            "expr": expression(query, labels),
            "legendFormat": query.legend.replace("NAME", name),
            "format": "heatmap" if family.form == "heatmap" else "table" if family.form == "table" else "time_series",
            "instant": family.form == "table",
        }
        for number, query in enumerate(family.queries)
    ]
    panel = {"title": family.title, "description": family.about, "datasource": SOURCE, "targets": targets}
    panel["type"] = "timeseries" if family.form == "smoke" else family.form
    panel["fieldConfig"] = {"defaults": {"unit": family.unit, "custom": {}}, "overrides": []}
    if family.form == "smoke":
        # one panel for each target: bands of several would cover each other
        panel |= {"repeat": labels[-1], "repeatDirection": "v", "fieldConfig": _bands(family)}
        panel["title"] = f"{family.title}: " + " to ".join(f"${label}" for label in labels)
    if family.form == "heatmap":
        panel["options"] = {"calculate": False, "yAxis": {"unit": family.unit}, "cellGap": 0}
    return panel


def _bands(family: Family) -> dict[str, Any]:
    """The median as a line, and each band between a percentile and the one below it."""
    names = [query.legend for query in family.queries]
    overrides = [_override(names[0], {"custom.lineWidth": 2})]
    for below, name, opacity in zip(names, names[1:], OPACITY, strict=False):
        overrides.append(
            _override(name, {"custom.lineWidth": 0, "custom.fillBelowTo": below, "custom.fillOpacity": opacity})
        )
    defaults = {"unit": family.unit, "custom": {"scaleDistribution": {"type": "log", "log": 10}}}
    return {"defaults": defaults, "overrides": overrides}


def _override(name: str, properties: dict[str, Any]) -> dict[str, Any]:
    found = [{"id": identity, "value": value} for identity, value in properties.items()]
    return {"matcher": {"id": "byName", "options": name}, "properties": found}


def _source() -> dict[str, Any]:
    return {"name": "source", "label": "Data source", "type": "datasource", "query": "prometheus"}


def _variable(label: str) -> dict[str, Any]:
    found = {"name": label, "type": "query", "datasource": SOURCE, "refresh": 2, "multi": True, "includeAll": True}
    return found | {"query": f"label_values(sojourn_target_up, {label})", "current": {"text": "All", "value": "$__all"}}


def _placed(panels: list[dict[str, Any]]) -> None:
    """Places the panels in rows, from left to right."""
    x = y = 0
    for panel in panels:
        place = panel["gridPos"]
        if x + place["w"] > COLUMNS:
            x, y = 0, y + HIGH
        place |= {"x": x, "y": y}
        x += place["w"]
