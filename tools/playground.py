"""Writes the playground: one page that holds everything, target/playground/index.html, and the licences of what it has.

Its script was bundled before (`npm run bundle` in web/); `make playground` does both.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import deflate

import bundled
from sojourn import cards, web

ROOT = Path(__file__).resolve().parents[1]
WEB = ROOT / "web"
SOURCES = WEB / "playground"
CARDS = ROOT / "python" / "sojourn" / "workbench" / "templates"
"""What shows installations here and in the workbench."""
TARGET = ROOT / "target" / "playground"
BUNDLED = ROOT / "target" / "playground.js"
KINDS = {
    "lontalk": "LonTalk",
    "modbus": "Modbus",
    "ip": "IP hosts and links",
    "switched-lan": "Ethernet or ATM switches",
    "can": "CAN buses",
    "mstp": "BACnet MS/TP",
    "fddi": "FDDI rings",
    "fddi-adapter": "an FDDI adapter",
    "packet-radio": "packet radio",
    "queue": "queues",
}


def main() -> int:
    """Writes the page; 1 where something that it needs was not built."""
    engine = web.captures()
    if engine is None or not BUNDLED.exists():
        print(
            f"playground: {'the simulation' if engine is None else BUNDLED} is missing: make playground",
            file=sys.stderr,
        )
        return 1
    gallery = tomllib.loads((SOURCES / "gallery.toml").read_text(encoding="utf-8"))["group"]
    script = BUNDLED.read_text(encoding="utf-8")
    library = web.vega()
    packages = bundled.packages(BUNDLED.with_suffix(".json"))
    context = {
        "policy": web.policy(gzip.decompress(library).decode(), script, web.loader()),
        "style": (SOURCES / "playground.css").read_text(encoding="utf-8")
        + web.source("editor.css")
        + web.source("cards.css")
        + web.source("captures.css"),
        "groups": gallery,
        "kinds": KINDS.items(),
        "installations": cards.installations(),
        "version": tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]["version"],
        "licence": "MIT licence",
        "examples": inside_script([example(one) for group in gallery for one in group["example"]]),
        "fillable": inside_script(cards.fillable()),
        "profiles": inside_script(
            {
                str(file.relative_to(ROOT)): file.read_text(encoding="utf-8")
                for file in sorted(ROOT.glob("profiles/*/*.toml"))
            }
        ),
        "engine": web.encoded(engine),
        "worker": web.source(web.WORKER),
        "library": web.encoded(library),
        "program": compressed(script.encode()),
        "loader": web.loader(),
    }
    TARGET.mkdir(parents=True, exist_ok=True)
    (TARGET / "index.html").write_text(rendered(context), encoding="utf-8")
    (TARGET / "licences.txt").write_text(bundled.notices(packages), encoding="utf-8")
    return 0


def compressed(content: bytes) -> str:
    """What `packed.js` unpacks, as small as can be."""
    return web.encoded(bytes(deflate.gzip_compress(content, 12)))


def rendered(context: dict[str, Any]) -> str:
    """The page."""
    import jinja2  # noqa: PLC0415

    loader = jinja2.FileSystemLoader([SOURCES, CARDS])
    environment = jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined)
    return environment.get_template("index.html.j2").render(context)


def example(entry: dict[str, Any]) -> dict[str, Any]:
    """An example with its scenario as text, without what its file says of the command line."""
    text = (ROOT / entry["file"]).read_text(encoding="utf-8")
    for key, value in entry.get("set", []):
        text = re.sub(rf"^{key} = .*$", f'{key} = "{value}"', text, flags=re.MULTILINE)
    asked = {name: str(entry.get(name, "")) for name in ("key", "values", "until", "value")}
    return {name: entry[name] for name in ("id", "question", "about")} | {
        "text": text,
        "ask": {"kind": entry["do"]} | asked,
    }


def inside_script(content: object) -> str:
    """JSON that cannot end the element that holds it."""
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")


if __name__ == "__main__":
    sys.exit(main())
