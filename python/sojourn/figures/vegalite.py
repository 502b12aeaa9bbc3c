"""The part of Vega-Lite that figures use, as plain data: charts are values, and each method gives a changed copy.

    marks = Chart(rows).mark("point", filled=True)
    layer(marks.encode(x=Field("x:Q", title="Time (s)"), y="y:Q"), rule).properties(width=620).to_dict()

Names and properties are those of Vega-Lite, https://vega.github.io/vega-lite/docs. Altair, which reads the same
specifications, takes longer to import than a report takes to draw; `sojourn.chart` gives its charts to notebooks.
"""

from __future__ import annotations

from typing import Any

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.4.1.json"
TYPES = {"Q": "quantitative", "N": "nominal", "O": "ordinal", "T": "temporal"}
"""Types of fields by the letter behind a field's name, as in "value:Q"."""
SECONDARY = ("x2", "y2")
"""Channels whose type is that of the first end."""

Rows = list[dict[str, Any]]


class Part(dict[str, Any]):
    """A part of a specification with its properties."""

    def __init__(self, **properties: Any) -> None:
        """Takes properties by their names in Vega-Lite."""
        super().__init__(properties)


class Scale(Part):
    """From values to positions, colours, shapes or dashes."""


class Axis(Part):
    """Ticks, labels and grid of a scale of positions."""


class Legend(Part):
    """Symbols and labels of another scale."""


class Title(Part):
    """The title of a chart or a panel."""

    def __init__(self, text: str | list[str], **properties: Any) -> None:
        """A list is a text of several lines."""
        super().__init__(text=text, **properties)


class Field(Part):
    """A column of the rows with its type, as "value:Q", and how a channel shows it."""

    def __init__(self, column: str, **properties: Any) -> None:
        """Reads the name and, behind a colon, the letter of the type."""
        name, _, letter = column.partition(":")
        super().__init__(field=name, **({"type": TYPES[letter]} if letter else {}), **properties)


def value(constant: Any) -> Part:
    """A value that is the same for all rows: a colour, or a position in pixels."""
    return Part(value=constant)


class Chart:
    """A chart, of rows or of other charts."""

    def __init__(self, rows: Rows | None = None, **specification: Any) -> None:
        """Rows become part of the specification as they are; copies share them."""
        data = {} if rows is None else {"data": {"values": rows}}
        self.specification: dict[str, Any] = data | specification

    def mark(self, kind: str, **properties: Any) -> Chart:
        """The same with this kind of mark."""
        return self._with(mark={"type": kind, **properties})

    def encode(self, **channels: str | Part | list[Part]) -> Chart:
        """The same with these channels; a text is a field without more, a list fields of a tooltip."""
        given = {name: _channel(name, what) for name, what in channels.items()}
        return self._with(encoding=self.specification.get("encoding", {}) | given)

    def filtered(self, expression: str) -> Chart:
        """The same with the rows for which an expression of Vega holds."""
        return self._with(transform=[*self.specification.get("transform", ()), {"filter": expression}])

    def properties(self, **properties: Any) -> Chart:
        """The same with sizes, a title or other properties."""
        return self._with(**properties)

    def resolve_scale(self, **channels: str) -> Chart:
        """The same with the scales of these channels `shared` by the charts in it, or `independent`."""
        return self._with(resolve={"scale": channels})

    def to_dict(self) -> dict[str, Any]:
        """The specification of a chart that is not part of another one."""
        return {"$schema": SCHEMA, **self.specification}

    def _with(self, **changes: Any) -> Chart:
        return Chart(**self.specification | changes)


def layer(*charts: Chart) -> Chart:
    """Charts over each other."""
    return Chart(layer=[chart.specification for chart in charts])


def vconcat(*charts: Chart, spacing: float) -> Chart:
    """Charts below each other."""
    return Chart(vconcat=[chart.specification for chart in charts], spacing=spacing)


def concat(*charts: Chart, columns: int, **properties: Any) -> Chart:
    """Charts in rows of this many."""
    return Chart(concat=[chart.specification for chart in charts], columns=columns, **properties)


def _channel(name: str, what: str | Part | list[Part]) -> Part | list[Part]:
    field = Field(what) if isinstance(what, str) else what
    if name in SECONDARY and isinstance(field, Part):
        return Part(**{key: given for key, given in field.items() if key != "type"})
    return field
