"""A figure as a file."""

from __future__ import annotations

import json
from pathlib import Path

from sojourn.errors import UserError
from sojourn.figures.vegalite import Chart

PNG_SCALE = 2.0
FORMATS = (".html", ".svg", ".png")


def write(chart: Chart, file: Path) -> None:
    """Writes a chart as PNG, SVG or a page that needs no network, by the ending of the file's name."""
    import vl_convert  # noqa: PLC0415

    if file.suffix not in FORMATS:
        raise UserError(f"{file}: a figure is a file that ends in {', '.join(FORMATS)}")
    text = json.dumps(chart.to_dict())
    if file.suffix == ".png":
        file.write_bytes(vl_convert.vegalite_to_png(text, scale=PNG_SCALE))
    elif file.suffix == ".svg":
        file.write_text(vl_convert.vegalite_to_svg(text), encoding="utf-8")
    else:
        file.write_text(vl_convert.vegalite_to_html(text, bundle=True), encoding="utf-8")
