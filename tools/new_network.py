"""Scaffolds a network after `queue`: its folder, its keys and a row in both registries. usage: new_network.py NAME"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NETWORKS = ROOT / "crates/networks/src"
KEYS = ROOT / "crates/scenario/src/keys"


def main(kind: str) -> None:
    """Writes the files, refusing to touch a network that exists."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", kind):
        sys.exit(f"NAME={kind}: lower-case words joined by hyphens, as in packet-radio")
    module = kind.replace("-", "_")
    if (NETWORKS / module).exists() or (KEYS / f"{module}.rs").exists():
        sys.exit(f"{kind} is already there")
    written = [*copy_folder(module, kind), copy_keys(module, kind)]
    add_row(KEYS / "mod.rs", module)
    add_row(NETWORKS / "lib.rs", module)
    for path in written:
        print(path.relative_to(ROOT))
    print(f"Next: say what {kind} models and leaves out in crates/networks/src/{module}/mod.rs, declare its keys in")
    print(f"crates/scenario/src/keys/{module}.rs, then `make docs` and `make test`.")


def renamed(text: str, module: str, kind: str) -> str:
    """The template's text under the new name, in each of its spellings; the engine's event queue keeps its own."""
    camel = "".join(word.capitalize() for word in module.split("_"))
    text = re.sub(r"(?<=keys::)queue\b|(?<=crate::)queue\b", module, text)
    text = re.sub(r"\bQUEUE\b", module.upper(), text)
    text = re.sub(r"\bQueueNetwork\b", f"{camel}Network", text)
    return re.sub(r'(?<=")queue(?=")|(?<=\\")queue(?=\\")', kind, text)


def copy_folder(module: str, kind: str) -> list[Path]:
    """The network's own folder."""
    written = []
    for source in sorted((NETWORKS / "queue").rglob("*.rs")):
        target = NETWORKS / module / source.relative_to(NETWORKS / "queue")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(renamed(source.read_text(encoding="utf-8"), module, kind), encoding="utf-8")
        written.append(target)
    return written


def copy_keys(module: str, kind: str) -> Path:
    """The declaration of its keys."""
    target = KEYS / f"{module}.rs"
    target.write_text(renamed((KEYS / "queue.rs").read_text(encoding="utf-8"), module, kind), encoding="utf-8")
    return target


def add_row(registry: Path, module: str) -> None:
    """Names the module beside `queue` wherever the registry names that."""
    lines = []
    for line in registry.read_text(encoding="utf-8").splitlines(keepends=True):
        lines.append(line)
        if re.search(r"\bpub mod queue;", line):
            lines.append(line.replace("queue", module))
    text = "".join(lines)
    text = re.sub(r"&queue::QUEUE\b", f"&queue::QUEUE, &{module}::{module.upper()}", text)
    text = re.sub(r"(static \w+: \[&[^;\]]+; )(\d+)\]", lambda m: f"{m[1]}{int(m[2]) + 1}]", text)
    registry.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
