"""Refuses circles of imports among the modules of a crate: modules that need each other are one module."""

import re
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

USE = re.compile(r"\buse\s+((?:crate|super|self)\b[^;]*);")
PATH = re.compile(r"\b((?:crate|super)(?:::\w+)+)")
COMMENT = re.compile(r"//[^\n]*")
TESTS = re.compile(r"#\[cfg\(test\)\]\s*(?:pub\(\w+\)\s*)?mod \w+ \{")


def module_name(file: Path, source: Path) -> str:
    """The path of a module within its crate: "io::clock"; empty for the root."""
    parts = list(file.relative_to(source).with_suffix("").parts)
    return "::".join(part for part in parts if part not in ("mod", "lib"))


def paths(tree: str) -> Iterator[str]:
    """The paths of a use tree: "a::{b, c::d}" as "a::b" and "a::c::d"."""
    head, brace, rest = tree.partition("{")
    if not brace:
        yield head.split(" as ")[0].strip()
        return
    depth, begin, body = 0, 0, rest.rstrip().removesuffix("}")
    for index, character in enumerate(body + ","):
        depth += (character == "{") - (character == "}")
        if character == "," and depth == 0:
            yield from paths(head.strip() + body[begin:index].strip())
            begin = index + 1


def absolute(path: str, module: str) -> list[str]:
    """A path from the root of the crate, without `crate`, `self` and `super`."""
    first, *rest = [part for part in path.split("::") if part]
    inside = module.split("::") if module else []
    if first == "crate":
        return rest
    if first == "self":
        return inside + rest
    levels = 1
    while rest[:1] == ["super"]:
        levels, rest = levels + 1, rest[1:]
    return inside[: len(inside) - levels] + rest


def imports(source: Path) -> dict[str, set[str]]:
    """The modules that each module of a crate imports from; tests may import anything."""
    files = {module_name(file, source): file for file in source.rglob("*.rs")}
    found: dict[str, set[str]] = {module: set() for module in files}
    for module, file in files.items():
        if not module or module.rpartition("::")[2] in ("tests", "testing"):
            continue
        text = TESTS.split(COMMENT.sub("", file.read_text()))[0]
        for tree in USE.findall(text) + PATH.findall(text):
            for path in paths(tree):
                parts = absolute(path, module)
                known = ("::".join(parts[:end]) for end in range(len(parts), 0, -1))
                needed = next((name for name in known if name in files), module)
                found[module] |= {needed} - {module}
    return found


def circle(graph: dict[str, set[str]]) -> list[str]:
    """The modules of a circle, the first repeated as the last; empty if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def main() -> int:
    """Prints a circle of each crate that has one; 1 if any does."""
    root = Path(__file__).resolve().parent.parent
    crates = sorted([*(root / "crates").iterdir(), *(root / "networks").iterdir()])
    circles = {crate.name: circle(imports(crate / "src")) for crate in crates}
    for crate, modules in circles.items():
        if modules:
            print(f"{crate}: modules import each other in a circle: {' <- '.join(modules)}", file=sys.stderr)
    return int(any(circles.values()))


if __name__ == "__main__":
    sys.exit(main())
