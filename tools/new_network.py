"""Writes a network to begin with, networks/NAME, and its row in the catalogue. usage: new_network.py NAME"""

import subprocess
import sys
from pathlib import Path
from string import Template

ROOT = Path(__file__).resolve().parents[1]
SHAPE = Path(__file__).with_name("new_network")
"""What is written, with $kind, $module and $type in the places of its name."""
CATALOGUE = ROOT / "crates/catalogue"
DEPENDENCIES = "[dependencies]\n"
ROWS = "Catalogue(&[\n"


def main(kind: str) -> None:
    """Writes the files; refuses to overwrite an existing network."""
    words = kind.split("-")
    if not all(word.isascii() and word.isalnum() and word.islower() and word[0].isalpha() for word in words):
        sys.exit(f"NAME={kind}: lower-case words joined by hyphens, as in packet-radio")
    folder = ROOT / "networks" / kind
    if folder.exists():
        sys.exit(f"{kind} exists already")
    names = {"kind": kind, "module": kind.replace("-", "_"), "type": "".join(word.capitalize() for word in words)}
    for source in sorted(file for file in SHAPE.rglob("*") if file.is_file()):
        target = folder / source.relative_to(SHAPE)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(Template(source.read_text(encoding="utf-8")).substitute(names), encoding="utf-8")
        print(target.relative_to(ROOT))
    add_row(names)
    # rows into order, the lock file up to date
    subprocess.run(["cargo", "fmt", "--all"], cwd=ROOT, check=True)
    lock = ["cargo", "metadata", "--format-version", "1", "--offline"]
    subprocess.run(lock, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    print(f"Next: `cargo test -p sojourn-{kind}`; then say in networks/{kind}/README.md what it models and leaves out.")


def add_row(names: dict[str, str]) -> None:
    """The network's row in the catalogue, and the crate that it is in."""
    insert(CATALOGUE / "src/lib.rs", ROWS, Template("    &sojourn_$module::${type}Network,\n").substitute(names))
    crate = Template('sojourn-$kind = { path = "../../networks/$kind" }\n').substitute(names)
    insert(CATALOGUE / "Cargo.toml", DEPENDENCIES, crate)


def insert(file: Path, before: str, text: str) -> None:
    """Inserts a text right after another, which must be there once."""
    begin, found, end = file.read_text(encoding="utf-8").partition(before)
    if not found:
        sys.exit(f"{file.relative_to(ROOT)} has no `{before.strip()}`")
    file.write_text(begin + found + text + end, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
