"""Scaffolds a network after `queue`: its folder, its keys and a row in both registries. usage: new_network.py NAME"""

import re
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
    registries = ("keys/mod.rs", "keys/registry.rs", "rules/mod.rs")
    for registry in (NETWORKS / "lib.rs", *(SCENARIO / name for name in registries)):
        add_row(registry, module)
    print(f"Next: say what {kind} models and leaves out in crates/networks/src/{module}/mod.rs, declare its keys in")
    print(f"crates/scenario/src/keys/{module}.rs, then `make docs` and `make test`.")


def templates() -> list[Path]:
    """The files of `queue`: its folder, its keys with the scenario that `new` writes, its rules."""
    declared = [SCENARIO / name for name in ("keys/queue.rs", "keys/queue.toml", "rules/queue.rs")]
    return [*sorted((NETWORKS / "queue").rglob("*.rs")), *declared]


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


def add_row(registry: Path, module: str) -> None:
    """Adds the module next to `queue` wherever the registry lists that."""
    text = registry.read_text(encoding="utf-8")
    text = re.sub(r"^pub mod queue;\n", f"pub mod queue;\npub mod {module};\n", text, flags=re.MULTILINE)
    text = text.replace("&queue::QueueNetwork", f"&queue::QueueNetwork, &{module}::{camel(module)}Network")
    row = re.compile(r"^ *\(&queue::QUEUE, rules::queue::check\),\n", re.MULTILINE)
    text = row.sub(lambda m: m[0] + m[0].replace("queue", module).replace("QUEUE", module.upper()), text)
    text = re.sub(r"^(use super::\{.*)\bqueue\b", rf"\1queue, {module}", text, flags=re.MULTILINE)
    text = re.sub(r"(static \w+: \[&[^;\]]+; )(\d+)\]", lambda m: f"{m[1]}{int(m[2]) + 1}]", text)
    registry.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
