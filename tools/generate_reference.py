"""Writes docs/reference from what the built tool says of itself; `--check` fails where a page is stale."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from sojourn.bindings import call_json

REFERENCE = Path(__file__).resolve().parents[1] / "docs/reference"
MARK = "<!-- Written by tools/generate_reference.py (make docs); changes belong into the declarations it reads. -->\n\n"


def main() -> int:
    """Writes the pages, or compares them with those that are there."""
    pages = {name: MARK + text for name, text in all_pages().items()}
    if "--check" in sys.argv[1:]:
        present = {path.name: path.read_text(encoding="utf-8") for path in REFERENCE.glob("*.md")}
        stale = sorted(name for name in pages.keys() | present.keys() if pages.get(name) != present.get(name))
        for name in stale:
            print(f"docs/reference/{name} is stale: make docs", file=sys.stderr)
        return bool(stale)
    REFERENCE.mkdir(exist_ok=True)
    for path in REFERENCE.glob("*.md"):
        path.unlink()
    for name, text in pages.items():
        (REFERENCE / name).write_text(text, encoding="utf-8")
    return 0


def all_pages() -> dict[str, str]:
    """Every page by file name."""
    networks = call_json("networks")
    pages = {f"{network['kind']}.md": network_page(network) for network in networks}
    return pages | {
        "README.md": contents(networks),
        "metrics.md": metrics_page(call_json("metrics")),
        "commands.md": commands_page(),
    }


def contents(networks: list[dict[str, Any]]) -> str:
    """The page that leads to the others."""
    rows = "".join(f"- [`{n['kind']}`]({n['kind']}.md): {n['summary']}\n" for n in networks)
    return f"# Reference\n\n{rows}- [Metrics](metrics.md)\n- [Commands](commands.md)\n"


def network_page(network: dict[str, Any]) -> str:
    """What a network models and leaves out, then its keys, table by table."""
    kind = network["kind"]
    text = f"# `{kind}`\n\n{network['summary']}\n"
    for title, field in (("Models", "models"), ("Leaves out", "leaves_out"), ("Sources", "sources")):
        text += f"\n## {title}\n\n" + "".join(f"- {item}\n" for item in network[field])
    text += f"\n## Keys\n\nTables as a scenario holds them. A commented scenario to start from: `sojourn new {kind}`.\n"
    for name, table in call_json("schema", kind)["properties"].items():
        text += table_section(name, table)
    return text


def table_section(name: str, table: dict[str, Any]) -> str:
    """One table of a scenario with a row per key, and the inline tables its keys hold."""
    many = table.get("type") == "array"
    body = table["items"] if many else table
    if "properties" not in body:
        return ""
    head = f"[[{name}]]" if many else f"[{name}]"
    text = (
        f"\n### `{head}`\n\n{table.get('description', body.get('description', ''))}\n\n{key_table(body['properties'])}"
    )
    return text + inline_sections(body["properties"])


def key_table(keys: dict[str, Any]) -> str:
    """One row per key."""
    rows = [
        [f"`{name}`", accepted(key), default(key), key.get("description", ""), key.get("x-source", "")]
        for name, key in keys.items()
    ]
    return markdown_table(["key", "value", "default", "meaning", "source"], rows)


def inline_sections(keys: dict[str, Any]) -> str:
    """The inline tables that keys hold: fixed ones, and those whose `kind` says which keys they have."""
    text = ""
    for name, key in keys.items():
        if "properties" in key:
            text += f"\n`{name}` holds:\n\n{key_table(key['properties'])}"
        for variant in key.get("oneOf", []):
            inner = dict(variant.get("properties", {}))
            kind = inner.pop("kind", {}).get("const")
            if kind:
                text += f'\n`{name} = {{ kind = "{kind}" }}`: {variant.get("description", "")}\n\n'
                text += key_table(inner) if inner else ""
    return text


def accepted(key: dict[str, Any]) -> str:
    """What values a key takes, in words."""
    if "x-accepts" in key:
        return str(key["x-accepts"])
    if "enum" in key:
        return ", ".join(f"`{value}`" for value in key["enum"])
    return str(key.get("type", ""))


def default(key: dict[str, Any]) -> str:
    """The default as users write it."""
    if "x-default" in key:
        return str(key["x-default"])
    return f"`{json.dumps(key['default'], ensure_ascii=False)}`" if "default" in key else ""


def metrics_page(metrics: list[dict[str, Any]]) -> str:
    """The registry of metrics."""
    rows = [[f"`{m['name']}`", m["unit"], m["shape"], m["definition"], m.get("measured_at", "")] for m in metrics]
    return (
        "# Metrics\n\nThe same names for simulated and live. What the shapes hold: "
        "[intervals and quantiles](../concepts/intervals-and-quantiles.md).\n\n"
        + markdown_table(["metric", "unit", "shape", "definition", "measured"], rows)
    )


def commands_page() -> str:
    """The help of every command, as the terminal shows it."""
    overview = help_of()
    names = re.findall(r"^  ([a-z]+)  ", overview.split("Commands:\n")[1], re.MULTILINE)
    sections = "".join(f"\n## `sojourn {name}`\n\n```text\n{help_of(name)}```\n" for name in names)
    return f"# Commands\n\n```text\n{overview}```\n{sections}"


def help_of(*command: str) -> str:
    """What `--help` prints on a terminal of fixed width."""
    tool = Path(sys.prefix) / "bin/sojourn"
    plain = os.environ | {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}
    done = subprocess.run([tool, *command, "--help"], env=plain, capture_output=True, text=True, check=True)
    return "".join(line.rstrip() + "\n" for line in done.stdout.splitlines())


def markdown_table(head: list[str], rows: list[list[str]]) -> str:
    """A table; bars and line ends within cells are kept from breaking it."""
    cells = [[" ".join(str(cell).split()).replace("|", "\\|") for cell in row] for row in rows]
    lines = [head, ["---"] * len(head), *cells]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    sys.exit(main())
