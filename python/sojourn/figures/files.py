"""A figure as a file."""

from __future__ import annotations

import gzip
import json
from html import escape
from pathlib import Path
from typing import Any

from sojourn import web
from sojourn.errors import UserError
from sojourn.extras import require

PNG_SCALE = 2.0
FORMATS = (".html", ".svg", ".png")
SCRIPTS = ("packed.js", "uncertainty.js", "numbers.js", "shown.js", "chart.js", "figures.js")
"""What draws the figures of a page, each after those that it imports."""
PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<meta http-equiv="Content-Security-Policy" content="{policy}">
<link rel="icon" href="data:,">
<style>
body {{ margin: 0 auto; max-width: 980px; padding: 1rem; font: 15px/1.55 Helvetica, Arial, sans-serif; }}
figure {{ margin: 0; }}
.chart + figcaption {{ max-width: 46rem; font-size: .8rem; }}
.chart {{ display: block; width: 100%; min-height: 200px; }}
@media screen and (prefers-color-scheme: dark) {{
  body {{ color: #e8e8e8; background: #181818; }}
  .chart {{ color-scheme: only light; padding: .5rem; background: #fff; border-radius: 4px; }}
}}
</style>
</head>
<body>
<figure>
<figcaption><b>{title}</b></figcaption>
<div class="chart" role="group" aria-label="{title}"></div>
<figcaption>{caption}</figcaption>
<script type="text/plain">{figure}</script>
</figure>
<script type="text/plain" id="figures-library">{library}</script>
<script type="text/plain" id="program">{program}</script>
<script type="module">{loader}</script>
</body>
</html>
"""


def check(file: Path) -> None:
    """Refuses a name of another ending, and the formats whose extra is missing."""
    if file.suffix not in FORMATS:
        raise UserError(f"{file}: a figure is a file that ends in {', '.join(FORMATS)}")
    if file.suffix != ".html":
        require("vl_convert", "PNG and SVG files")


def write(specification: dict[str, Any], file: Path) -> None:
    """Writes a figure as PNG, SVG or a page that needs no network, by the ending of the file's name."""
    check(file)
    if file.suffix == ".html":
        file.write_text(page(specification), encoding="utf-8")
        return
    import vl_convert  # noqa: PLC0415

    text = json.dumps(specification)
    if file.suffix == ".png":
        file.write_bytes(vl_convert.vegalite_to_png(text, scale=PNG_SCALE))
    else:
        file.write_text(vl_convert.vegalite_to_svg(text), encoding="utf-8")


def title(specification: dict[str, Any]) -> str:
    """The title of a figure."""
    return str(specification["title"]["text"])


def caption(specification: dict[str, Any]) -> str:
    """What a figure shows: runs, seed, intervals and marks."""
    lines = specification["title"].get("subtitle") or ""
    return lines if isinstance(lines, str) else " ".join(lines)


def untitled(specification: dict[str, Any]) -> dict[str, Any]:
    """A figure for a page that shows title and caption itself."""
    return {key: value for key, value in specification.items() if key != "title"}


def embedded(specification: dict[str, Any]) -> str:
    """A figure as such a page holds it for `figures.js`."""
    text = json.dumps(untitled(specification), separators=(",", ":"), ensure_ascii=False)
    return web.packed(text.encode())


def page(specification: dict[str, Any]) -> str:
    """A page of one figure, which it draws itself."""
    library, program, loader = web.vega(), f"{web.script(*SCRIPTS)}\nawait figures();\n", web.loader()
    return PAGE.format(
        title=escape(title(specification)),
        caption=escape(caption(specification)),
        figure=embedded(specification),
        policy=web.policy(gzip.decompress(library).decode(), program, loader),
        library=web.encoded(library),
        program=web.packed(program.encode()),
        loader=loader,
    )
