"""Scaffolds a network after `queue`: its folder, its keys, its rows in the registries. usage: new_network.py NAME"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NETWORKS = ROOT / "crates/networks/src"
SCENARIO = ROOT / "crates/scenario/src"


def main(kind: str) -> None:
    """Writes the files; refuses to overwrite an existing network."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", kind):
        sys.exit(f"NAME={kind}: lower-case words joined by hyphens, as in packet-radio")
    module = kind.replace("-", "_")
    if (NETWORKS / module).exists() or (SCENARIO / f"keys/{module}.rs").exists():
        sys.exit(f"{kind} exists already")
    for source in templates():
        target = Path(str(source).replace("queue", module))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(renamed(source.read_text(encoding="utf-8"), module, kind), encoding="utf-8")
        print(target.relative_to(ROOT))
    seed_the_fuzzer(kind)
    registries = ("keys/mod.rs", "keys/registry.rs", "keys/event.rs", "rules/mod.rs")
    for registry in (NETWORKS / "lib.rs", *(SCENARIO / name for name in registries)):
        add_row(registry, module, kind)
    # `mod` and `use` into order
    subprocess.run(["cargo", "fmt", "--all"], cwd=ROOT, check=True)
    print(f"Next: say what {kind} models and leaves out in crates/networks/src/{module}/network.rs, and declare its")
    print(f"keys in crates/scenario/src/keys/{module}.rs; `make docs` renews its page docs/reference/{kind}.md.")


def templates() -> list[Path]:
    """The files of `queue`: its folder, its keys with the scenario that `new` writes, its rules."""
    declared = [SCENARIO / name for name in ("keys/queue.rs", "keys/queue.toml", "rules/queue.rs")]
    return [*sorted((NETWORKS / "queue").rglob("*.rs")), *declared]


def seed_the_fuzzer(kind: str) -> None:
    """Gives the corpus of the scenario reader its document of the new network."""
    corpus = ROOT / "fuzz/corpus/scenario_document"
    text = (corpus / "queue").read_text(encoding="utf-8")
    (corpus / kind).write_text(text.replace('"queue"', f'"{kind}"'), encoding="utf-8")
    print((corpus / kind).relative_to(ROOT))


def renamed(text: str, module: str, kind: str) -> str:
    """The template's text under the new name, in each of its spellings; the engine's event queue keeps its own."""
    text = re.sub(r"(?<=keys::)queue\b|(?<=rules::)queue\b|(?<=crate::)queue\b", module, text)
    text = re.sub(r"\bQUEUE\b", module.upper(), text)
    text = re.sub(r"\bQueueNetwork\b", f"{camel(module)}Network", text)
    text = text.replace('"queue.toml"', f'"{module}.toml"')
    return re.sub(r'(?<=["`])queue(?=["`])', kind, text)


def camel(module: str) -> str:
    """As types are named: token_ring, TokenRing."""
    return "".join(word.capitalize() for word in module.split("_"))


def add_row(registry: Path, module: str, kind: str) -> None:
    """Adds the module next to `queue` wherever the registry lists that."""
    text = registry.read_text(encoding="utf-8")
    text = re.sub(r"^pub mod queue;\n", f"pub mod queue;\npub mod {module};\n", text, flags=re.MULTILINE)
    text = with_row(text, "        &queue::QueueNetwork,\n", f"        &{module}::{camel(module)}Network,\n")
    row = f"    (&{module}::{module.upper()}, rules::{module}::check),\n"
    text = with_row(text, "    (&queue::QUEUE, rules::queue::check),\n", row)
    # the actions of `[[event]]`
    actions = '        "queue" => OF_QUEUE,\n'
    text = text.replace(actions, actions + actions.replace("queue", kind))
    text = re.sub(r"^(use super::\{.*)\bqueue\b", rf"\1queue, {module}", text, flags=re.MULTILINE)
    registry.write_text(text, encoding="utf-8")


def with_row(text: str, template: str, row: str) -> str:
    """The text with `row` in its place by alphabet, in the table that has the row of the template."""
    if template not in text:
        return text
    lines = text.splitlines(keepends=True)
    first = last = lines.index(template)
    begins = template[: template.index("&") + 1]
    while lines[first - 1].startswith(begins):
        first -= 1
    while lines[last].startswith(begins):
        last += 1
    return "".join([*lines[:first], *sorted([*lines[first:last], row], key=module_of), *lines[last:]])


def module_of(row: str) -> str:
    """The module that a registry's row names."""
    return row[row.index("&") + 1 : row.index("::")]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
