"""Writes docs/reference from the registries of the built tool; `--check` fails where a page is stale.

Pages without the mark of a generated page, such as the glossary, are left alone.
"""

import ast
import inspect
import json
import os
import re
import subprocess
import sys
from functools import cached_property
from pathlib import Path
from typing import Any, get_type_hints

from sqlalchemy import Column

import sojourn
from sojourn.bindings import call_json
from sojourn.scenario import Options
from sojourn.store.schema import metadata

ORDER = ("network", "medium", "station", "flow", "channel", "probe", "background", "run", "expect", "question")
REFERENCE = Path(__file__).resolve().parents[1] / "docs/reference"
MARK = "<!-- Written by tools/generate_reference.py (make docs); change the declarations it reads. -->\n\n"


def main() -> int:
    """Writes the pages, or compares them with the existing ones."""
    pages = {name: MARK + text for name, text in all_pages().items()}
    if "--check" in sys.argv[1:]:
        present = {path.name: path.read_text(encoding="utf-8") for path in generated()}
        stale = sorted(name for name in pages.keys() | present.keys() if pages.get(name) != present.get(name))
        for name in stale:
            print(f"docs/reference/{name} is stale: make docs", file=sys.stderr)
        return bool(stale)
    for path in generated():
        path.unlink()
    for name, text in pages.items():
        (REFERENCE / name).write_text(text, encoding="utf-8")
    return 0


def generated() -> list[Path]:
    """The pages that an earlier run wrote."""
    return [path for path in REFERENCE.glob("*.md") if path.read_text(encoding="utf-8").startswith(MARK)]


def all_pages() -> dict[str, str]:
    """Every page by file name."""
    networks = call_json("networks")
    pages = {f"{network['kind']}.md": network_page(network) for network in networks}
    return pages | {
        "README.md": contents(networks),
        "metrics.md": metrics_page(call_json("metrics")),
        "figures.md": figures_page(call_json("figure_kinds"), call_json("answer_kinds")),
        "transports.md": transports_page(call_json("transports")),
        "commands.md": commands_page(),
        "python.md": python_page(),
        "store.md": store_page(),
    }


def contents(networks: list[dict[str, Any]]) -> str:
    """The table of contents."""
    rows = "".join(f"- [`{n['kind']}`]({n['kind']}.md): {n['summary']}\n" for n in networks)
    others = ("Metrics", "Transports", "Commands", "Machine output", "Python", "Store", "Glossary")
    return f"# Reference\n\n{rows}" + "".join(f"- [{name}]({name.lower().replace(' ', '-')}.md)\n" for name in others)


def transports_page(transports: list[dict[str, Any]]) -> str:
    """One row per transport."""
    text = "# Transports\n\nWhat `sojourn measure URL`, `sojourn agent URL` and `sojourn listen URL` take. "
    text += "For packet radio, `agent` and `listen` omit the remote station (`/CALL`) and its path; "
    text += "`port` is a radio port of the TNC, `local` the UDP port of this end.\n\n"
    text += "| URL | carries | needs | sources |\n|---|---|---|---|\n"
    for transport in transports:
        needs = transport["needs"] or ""
        needs = f"the capability {needs}" if needs.startswith("CAP_") else needs
        text += f"| `{transport['form']}` | {transport['summary']} | {needs} | {', '.join(transport['sources'])} |\n"
    return text


def network_page(network: dict[str, Any]) -> str:
    """A network's scope and limitations, then its keys by table."""
    kind = network["kind"]
    text = f"# `{kind}`\n\n{network['summary']}\n"
    for title, field in (("Models", "models"), ("Limitations", "leaves_out"), ("Sources", "sources")):
        text += f"\n## {title}\n\n" + "".join(f"- {item}\n" for item in network[field])
    text += f"\n## Keys\n\nTables of a scenario. A commented template: `sojourn new {kind}`.\n"
    tables = call_json("schema", kind)["properties"]
    shown: set[str] = set()
    for name in sorted(tables, key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name)):
        text += table_section(name, tables[name], shown)
    return text


def table_section(name: str, table: dict[str, Any], shown: set[str]) -> str:
    """One table of a scenario with a row per key, and the inline tables of its keys not yet in `shown`."""
    forms = table.get("anyOf", [table])
    body = max((form.get("items", form) for form in forms), key=lambda form: len(form.get("properties", {})))
    if not body.get("properties"):
        return ""
    head = f"[[{name}]]" if any(form.get("type") == "array" for form in forms) else f"[{name}]"
    help_text = table.get("description", body.get("description", ""))
    new = [section for section in inline_sections(body["properties"]) if section not in shown]
    shown.update(new)
    return f"\n### `{head}`\n\n{help_text}\n\n{key_table(body['properties'])}{''.join(new)}"


def key_table(keys: dict[str, Any]) -> str:
    """One row per key."""
    rows = [
        [f"`{name}`", accepted(key), default(key), key.get("description", ""), key.get("x-source", ""), world(key)]
        for name, key in keys.items()
    ]
    return markdown_table(["key", "value", "default", "meaning", "source", "world"], rows)


def inline_sections(keys: dict[str, Any]) -> list[str]:
    """The inline tables of keys: fixed ones, and those that depend on `kind`; keys that take the same ones together."""
    sections = []
    alike: dict[str, tuple[list[str], list[dict[str, Any]]]] = {}
    for name, key in keys.items():
        if "properties" in key:
            sections.append(f"\nKeys of `{name}`:\n\n{key_table(key['properties'])}")
        if forms := kinds_of(key):
            alike.setdefault(json.dumps(forms), ([], forms))[0].append(name)
    for names, forms in alike.values():
        others = "".join(f"`{name}`, " for name in names[:-1])
        for form in forms:
            inner = dict(form["properties"])
            kind = inner.pop("kind")["const"]
            table = key_table(inner) if inner else ""
            sections.append(
                f'\n{others}`{names[-1]} = {{ kind = "{kind}" }}`: {form.get("description", "")}\n\n{table}'
            )
    return sections


def kinds_of(key: dict[str, Any]) -> list[dict[str, Any]]:
    """The inline tables that a key takes, one for each `kind`."""
    return [form for form in key.get("anyOf", []) if "const" in form.get("properties", {}).get("kind", {})]


def accepted(key: dict[str, Any]) -> str:
    """The values a key accepts, as text."""
    words = [form for form in key.get("anyOf", []) if "const" in form]
    if words:
        return ", ".join(f"`{word['const']}` ({word['description']})" for word in words)
    if forms := kinds_of(key):
        plain = f"{key['x-range']}, or " if "x-range" in key else ""
        return f"{plain}a table of kind " + ", ".join(f"`{form['properties']['kind']['const']}`" for form in forms)
    if "properties" in key:
        return "a table"
    if key.get("type") == "boolean":
        return "`true`, `false`"
    return str(key.get("x-range") or key.get("type") or "")


def default(key: dict[str, Any]) -> str:
    """The default in scenario syntax, or how it depends on another key."""
    text = str(key.get("x-default", ""))
    return text if text.startswith("by ") or not text else f"`{text}`"


def world(key: dict[str, Any]) -> str:
    """Whether the key applies to simulated networks, live ones, or both."""
    return str(key.get("x-world", ""))


def metrics_page(metrics: list[dict[str, Any]]) -> str:
    """The registry of metrics."""
    rows = [
        [
            f"`{metric['name']}`",
            metric["label"],
            metric["unit"],
            metric["shape"],
            metric["better"] or "",
            metric["definition"],
            metric["measured_at"],
        ]
        for metric in metrics
    ]
    return (
        "# Metrics\n\nSimulated and live results use the same names. Fields of each shape: "
        "[intervals and quantiles](../concepts/intervals-and-quantiles.md).\n\n"
        + markdown_table(["metric", "label", "unit", "shape", "better", "definition", "measured"], rows)
    )


def figures_page(figures: dict[str, Any], answers: dict[str, Any]) -> str:
    """The kinds of figures and answers of a study, each with its options."""
    return (
        "# Figures and answers\n\nWhat a `[[figure]]` or `[[answer]]` of a `study.toml` may hold. "
        "A mistake is reported before anything runs.\n"
        + kinds_section("figure", figures)
        + kinds_section("answer", answers)
    )


def kinds_section(name: str, declared: dict[str, Any]) -> str:
    """The common options of figures or answers, then each kind with its own."""
    common = options_table(declared["common"])
    text = f"\n## `[[{name}]]`\n\nEvery {name} has a `kind` and takes these options.\n\n{common}"
    for kind in declared["kinds"]:
        table = f"\n{options_table(kind['options'])}" if kind["options"] else ""
        text += f'\n### `kind = "{kind["name"]}"`\n\n{kind["help"]}\n{table}'
    return text


def options_table(options: list[dict[str, Any]]) -> str:
    """One row per option."""
    rows = [
        [f"`{option['name']}`", option["value"], "yes" if option["required"] else "", option["help"]]
        for option in options
    ]
    return markdown_table(["option", "value", "required", "meaning"], rows)


def commands_page() -> str:
    """The help of every command, as the terminal shows it."""
    overview = help_of()
    sections = "".join(command_section(name) for name in listed_commands(overview))
    return f"# Commands\n\n```text\n{overview}```\n{sections}"


def command_section(*names: str) -> str:
    """The help of a command, and of the commands below it."""
    text = help_of(*names)
    below = "".join(command_section(*names, name) for name in listed_commands(text))
    return f"\n{'#' * (len(names) + 1)} `sojourn {' '.join(names)}`\n\n```text\n{text}```\n{below}"


def listed_commands(text: str) -> list[str]:
    """The names of the commands that a help lists."""
    return re.findall(r"^  ([a-z]+)  ", text.partition("Commands:\n")[2], re.MULTILINE)


def store_page() -> str:
    """The tables of the store of results, as they are declared."""
    text = (
        "# Store\n\nThe tables behind `sojourn history`, the same in SQLite and PostgreSQL, for `sojourn history sql` "
    )
    text += (
        "and other programs. Times are wall-clock time in microseconds since 1970, UTC, in columns that end in `_us`: "
    )
    text += (
        "`datetime(begin_us / 1e6, 'unixepoch')` in SQLite, `to_timestamp(begin_us / 1e6)` in PostgreSQL. Values are "
    )
    text += "in SI units; a column that does not apply is null.\n"
    for table in metadata.sorted_tables:
        rows = [[f"`{column.name}`", type_of(column), column.comment or ""] for column in table.columns]
        text += f"\n## `{table.name}`\n\n{table.comment}\n\n" + markdown_table(["column", "type", "meaning"], rows)
    return text


def type_of(column: Column[Any]) -> str:
    """The type of a column, whether it is part of the key, and what it refers to."""
    words = [str(column.type).lower(), *(["key"] if column.primary_key else [])]
    words += [f"of `{key.column.table.name}`" for key in column.foreign_keys]
    return ", ".join(words)


def python_page() -> str:
    """The public names of the package: functions first, then classes with their members."""
    public = [(name, getattr(sojourn, name)) for name in sojourn.__all__]
    functions = [function_section(name, item) for name, item in public if inspect.isfunction(item)]
    classes = [class_section(name, item) for name, item in public if inspect.isclass(item)]
    options = f"\n## Options\n\n{inspect.getdoc(Options)}\n\n" + "".join(
        f"- `{name}: {type_name(hint)}`: {about_option(name)}\n" for name, hint in get_type_hints(Options).items()
    )
    return f"# Python\n\n```python\nimport sojourn\n```\n{''.join([*functions, options, *classes])}"


def type_name(hint: Any) -> str:
    """A type as sources write it."""
    return hint.__name__ if isinstance(hint, type) else str(hint).replace("pathlib.", "")


def about_option(name: str) -> str:
    """What an option means: the text below it in the source."""
    body = ast.parse(inspect.getsource(Options)).body[0]
    assert isinstance(body, ast.ClassDef)
    pairs = zip(body.body, body.body[1:], strict=False)
    below = {
        one.target.id: after.value.value
        for one, after in pairs
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
    }
    return str(below[name])


def function_section(name: str, item: Any) -> str:
    """A function with its signature and documentation."""
    return f"\n## `sojourn.{name}`\n\n```python\n{name}{signature(item)}\n```\n\n{inspect.getdoc(item)}\n"


def class_section(name: str, item: type) -> str:
    """A class with its documentation, attributes and methods."""
    rows = []
    for member, value in vars(item).items():
        if member.startswith("_") and member != "__getitem__":
            continue
        if isinstance(value, property | cached_property):
            rows.append([f"`{member}`", first_line(value)])
        elif isinstance(value, classmethod | staticmethod) or inspect.isfunction(value):
            function = getattr(value, "__func__", value)
            called = "[name]" if member == "__getitem__" else f".{member}{signature(function)}"
            rows.append([f"`{called}`", first_line(function)])
    table = markdown_table(["member", "meaning"], rows) if rows else ""
    about = (inspect.getdoc(item) or "").replace("::\n\n", "")  # what follows is indented, in Markdown as well
    return f"\n## `sojourn.{name}`\n\n{about}\n\n{table}"


def signature(function: Any) -> str:
    """The signature of a function without the object it belongs to."""
    return re.sub(r"^\((cls|self)(, )?", "(", str(inspect.signature(function))).replace("'", "")


def first_line(item: Any) -> str:
    """The first paragraph of a documentation."""
    return " ".join((inspect.getdoc(item) or "").split("\n\n")[0].split())


def help_of(*command: str) -> str:
    """The output of `--help` on a terminal of fixed width."""
    tool = Path(sys.prefix) / "bin/sojourn"
    plain = os.environ | {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}
    done = subprocess.run([tool, *command, "--help"], env=plain, capture_output=True, text=True, check=True)
    return "".join(line.rstrip() + "\n" for line in done.stdout.splitlines())


def markdown_table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table with bars and line ends in cells escaped."""
    cells = [[" ".join(str(cell).split()).replace("|", "\\|") for cell in row] for row in rows]
    lines = [head, ["---"] * len(head), *cells]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    sys.exit(main())
