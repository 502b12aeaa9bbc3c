"""Writes python/sojourn/kinds, the types of keys, from their declarations; `--check` fails where one is stale."""

import json
import keyword
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sojourn.bindings import call_json
from sojourn.keywords import arguments

KINDS = Path(__file__).resolve().parents[1] / "python/sojourn/kinds"
MARK = "# Written by tools/generate_kinds.py (make docs); change the declarations it reads.\n"
WIDTH = 120
PLAIN = {"integer": "int", "number": "float", "boolean": "bool"}
UNITS = {"s": "Time", "1/s": "Rate", "B": "Size", "bit/s": "BitRate", "Hz": "Frequency", "m": "Length"}
"""The name of the type of quantities, by their SI unit; `Quantity` for other units."""
TEXTS = (*UNITS.values(), "Quantity")


def main() -> int:
    """Writes the modules, or compares them with the existing ones."""
    modules = all_modules()
    if "--check" in sys.argv[1:]:
        present = {path.name: path.read_text(encoding="utf-8") for path in KINDS.glob("*.py")}
        stale = sorted(name for name in modules.keys() | present.keys() if modules.get(name) != present.get(name))
        for name in stale:
            print(f"python/sojourn/kinds/{name} is stale: make docs", file=sys.stderr)
        return bool(stale)
    KINDS.mkdir(exist_ok=True)
    for path in KINDS.glob("*.py"):
        path.unlink()
    for name, text in modules.items():
        (KINDS / name).write_text(text, encoding="utf-8")
    return 0


def all_modules() -> dict[str, str]:
    """Every module by file name."""
    networks = call_json("networks")
    modules = {f"{module_name(one['kind'])}.py": Module(one["kind"], one["summary"]).text() for one in networks}
    return modules | {"__init__.py": package([one["kind"] for one in networks])}


def module_name(kind: str) -> str:
    """A kind of network as Python can name it."""
    return kind.replace("-", "_")


def package(kinds: list[str]) -> str:
    """The arguments of `Scenario(...)`: those of each kind of network."""
    names = [module_name(kind) for kind in kinds]
    overloads = "".join(
        f"\n    @overload\n    def __init__(self, **arguments: Unpack[{name}.Arguments]) -> None: ...\n"
        for name in names
    )
    return f'''{MARK}"""The keys of scenarios as types, a module for each kind of network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, overload

if TYPE_CHECKING:
    from sojourn.kinds import {", ".join(names)}


class Arguments:
    """What a scenario is made of: a file, or the arguments of its kind of network."""

    @overload
    def __init__(self, path: str | Path, changes: Sequence[str] = (), /) -> None: ...
{overloads}
    def __init__(self, *file: Any, **arguments: Any) -> None:
        """A file and changes, or arguments."""
        self._begin(*file, given=arguments)

    def _begin(self, path: str | Path | None = None, changes: Sequence[str] = (), *, given: dict[str, Any]) -> None:
        """The scenario of a file, or of arguments."""
        raise NotImplementedError
'''


class Module:
    """The types of one kind of network."""

    def __init__(self, kind: str, summary: str) -> None:
        """Of a kind, with what it is in a sentence."""
        self.kind, self.summary = kind, summary
        self.classes: dict[str, str] = {}
        self.named: dict[str, str] = {}

    def text(self) -> str:
        """The module."""
        tables = call_json("schema", self.kind)["properties"]
        fields = [self.argument(one.name, one.key, tables[one.key]) for one in arguments(self.kind).values()]
        kind = f'    kind: Required[Literal["{self.kind}"]]\n    """The kind of network."""\n'
        name = '    name: str\n    """What results are called."""\n'
        changes = '    changes: Sequence[str]\n    """Changes on top, as `--set` takes them."""\n'
        top = (
            f'class Arguments(TypedDict, total=False):\n    """The arguments of `Scenario(kind="{self.kind}")`."""\n\n'
        )
        body = "\n\n".join([*self.classes.values(), top + kind + name + "".join(fields) + changes])
        aliases = "".join(
            f'{name}: TypeAlias = str\n"""{about}."""\n'
            for name, about in ALIASES.items()
            if re.search(rf"\b{name}\b", body)
        )
        used = [name for name in ("Any", "Literal", "Required", "TypeAlias", "TypedDict") if name in body + aliases]
        others = [name for name in ("Mapping", "Sequence") if re.search(rf"\b{name}\b", body)]
        doc = "\n".join(wrapped(f'"""{self.summary.rstrip(".")}."""', ""))
        record = "\nif TYPE_CHECKING:\n    from _typeshed import DataclassInstance\n"
        return (
            f"{MARK}{doc}\n\nfrom __future__ import annotations\n\n"
            f"from collections.abc import {', '.join(others)}\n"
            f"from typing import TYPE_CHECKING, {', '.join(used)}\n{record}\n{aliases}\n\n{body}"
        )

    def argument(self, name: str, key: str, declared: dict[str, Any]) -> str:
        """One argument."""
        if key == "network":  # its kind is an argument of its own
            keys = {one: value for one, value in declared["properties"].items() if one != "kind"}
            declared = declared | {"properties": keys, "required": []}
        hint = self.type_of(declared, class_name(key))
        return field(name, hint, declared.get("description", ""), declared, is_required=False)

    def type_of(self, declared: dict[str, Any], name: str) -> str:
        """The type of a key's values; `name` is that of the class where they are tables."""
        if "anyOf" in declared:
            unit = declared.get("x-unit")
            forms = [(form | {"x-unit": form.get("x-unit") or unit}, form) for form in declared["anyOf"]]
            return union([self.type_of(whole, self.form_name(name, form)) for whole, form in forms])
        words = declared.get("enum", [declared["const"]] if "const" in declared else [])
        if words and all(isinstance(word, str) for word in words):
            return f"Literal[{', '.join(json.dumps(word, ensure_ascii=False) for word in words)}]"
        kind = "integer" if words else str(declared.get("type"))
        if kind == "array":
            items = {"x-unit": declared.get("x-unit"), **declared.get("items", {})}
            return f"Sequence[{self.type_of(items, name)}]"
        if kind == "object":
            return self.table(declared, name)
        return text_type(declared) if kind == "string" else PLAIN.get(kind, "Any")

    def form_name(self, name: str, form: dict[str, Any]) -> str:
        """The name of the class of one of several forms: by its `kind`."""
        kind = form.get("properties", {}).get("kind", {}).get("const")
        if isinstance(kind, str):
            return f"{class_name(kind)}{name}"
        return f"{name}Table" if form.get("type") == "object" else name

    def table(self, declared: dict[str, Any], name: str) -> str:
        """The type of a table: a class of its own, and any dataclass."""
        properties = declared.get("properties")
        if not properties:
            members = declared.get("additionalProperties")
            inner = self.type_of(members, f"{name}Member") if isinstance(members, dict) else "Any"
            return f"Mapping[str, {inner}]"
        if isinstance(declared.get("additionalProperties"), dict):
            return "Mapping[str, Any]"  # its members have names of the user's own
        fingerprint = json.dumps({key: value for key, value in declared.items() if key != "x-unit"}, sort_keys=True)
        if fingerprint not in self.named:
            self.named[fingerprint] = ""  # in its place before those within
            free = self.free(name)
            self.named[fingerprint] = free
            self.classes[free] = ""
            required = declared.get("required", [])
            fields = [
                (
                    key,
                    self.type_of(one, class_name(key)),
                    one,
                    key in required,
                )
                for key, one in properties.items()
            ]
            text = definition(free, declared.get("description", ""), fields)
            del self.classes[free]
            self.classes[free] = text
        return f"{self.named[fingerprint]} | DataclassInstance"

    def free(self, name: str) -> str:
        """The name, or one with a number behind it where it is taken."""
        taken = {*self.classes, "Arguments", *TEXTS}
        return name if name not in taken else next(f"{name}{n}" for n in range(2, 1000) if f"{name}{n}" not in taken)


ALIASES = {
    "Time": 'A time, as "500 ms"',
    "Rate": 'A rate, as "20 /s"',
    "Size": 'A size, as "100 B"',
    "BitRate": 'A bit rate, as "50 Mbit/s"',
    "Frequency": 'A frequency, as "10 MHz"',
    "Length": 'A length, as "2 km"',
    "Quantity": 'A number with its unit, as "10 %"',
}


def text_type(declared: dict[str, Any]) -> str:
    """The type of a text: of a quantity by its unit."""
    return UNITS.get(declared.get("x-unit") or "", "Quantity") if is_quantity(declared) else "str"


def is_quantity(declared: dict[str, Any]) -> bool:
    """Whether a text is a number with a unit."""
    return str(declared.get("pattern", "")).startswith("^[+-]?[0-9]")


def union(forms: list[str]) -> str:
    """One of several types, each once; words together."""
    parts = list(dict.fromkeys(part for form in forms for part in form.split(" | ")))
    words = [part.removeprefix("Literal[").removesuffix("]") for part in parts if part.startswith("Literal[")]
    others = [part for part in parts if not part.startswith("Literal[") and part != "DataclassInstance"]
    last = ["DataclassInstance"] if "DataclassInstance" in parts else []
    if "float" in others and "int" in others:
        others.remove("int")
    return " | ".join([*([f"Literal[{', '.join(words)}]"] if words else []), *others, *last])


def class_name(key: str) -> str:
    """A key as the name of a class."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[-_]", key))


def definition(name: str, about: str, fields: list[tuple[str, str, dict[str, Any], bool]]) -> str:
    """One class; keys that are words of Python need the other form of definition."""
    if any(keyword.iskeyword(key) or not key.isidentifier() for key, *_ in fields):
        rows = "".join(
            f'{comment(one)}        "{key}": {quoted(needed(hint, required))},\n' for key, hint, one, required in fields
        )
        return f'{name} = TypedDict(\n    "{name}",\n    {{\n{rows}    }},\n    total=False,\n)\n{docstring(about, "")}'
    rows = "".join(
        field(key, hint, one.get("description", ""), one, is_required=required) for key, hint, one, required in fields
    )
    return f"class {name}(TypedDict, total=False):\n{docstring(about or name, '    ')}\n{rows}"


def quoted(hint: str) -> str:
    """A type as text, since its classes may follow."""
    return json.dumps(hint, ensure_ascii=False) if '"' not in hint else f"'{hint}'"


def needed(hint: str, required: bool) -> str:
    """A type, of a key that has to be given or need not."""
    return f"Required[{hint}]" if required else hint


def field(name: str, hint: str, about: str, declared: dict[str, Any], *, is_required: bool) -> str:
    """A key, its type, and what it means."""
    return f"    {name}: {needed(hint, is_required)}\n{docstring(described(about, declared), '    ')}"


def comment(declared: dict[str, Any]) -> str:
    """What a key means, above it."""
    text = described(declared.get("description", ""), declared)
    return "".join(f"        # {line}\n" for line in textwrap.wrap(text, WIDTH - 10))


def described(about: str, declared: dict[str, Any]) -> str:
    """What a key means, its range and its default."""
    text = about or "Which of the forms it is."
    default = declared.get("x-default")
    facts = [declared.get("x-range", ""), f"default {json.loads(default)}" if default and is_json(default) else ""]
    given = "; ".join(fact for fact in facts if fact)
    return f"{text.rstrip('.')}. ({given})" if given else text


def is_json(text: str) -> bool:
    """Whether a default is a value, not a sentence."""
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def docstring(text: str, indent: str) -> str:
    """A text in three quotes."""
    plain = " ".join(text.split()).replace("\\", "\\\\").replace('"""', "'''")
    plain = plain[:1].upper() + plain[1:]
    plain = plain if plain.endswith((".", ")", "?")) else f"{plain}."
    return "".join(f"{line}\n" for line in wrapped(f'"""{plain}"""', indent))


def wrapped(text: str, indent: str) -> Iterator[str]:
    """Lines of the width of sources."""
    lines = textwrap.wrap(text, WIDTH - len(indent), break_long_words=False, break_on_hyphens=False)
    yield from (f"{indent}{line}" for line in lines)


if __name__ == "__main__":
    sys.exit(main())
