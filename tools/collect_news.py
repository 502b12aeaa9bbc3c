"""Moves the fragments of changelog.d/ into CHANGELOG.md under a version. usage: collect_news.py VERSION"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KINDS = ("added", "changed", "fixed", "removed")


def section(version: str, fragments: list[Path]) -> str:
    """The changelog's text for one version: one heading per kind, one item per fragment."""
    text = f"\n## {version}\n"
    for kind in KINDS:
        news = [" ".join(f.read_text(encoding="utf-8").split()) for f in fragments if f.suffixes[0] == f".{kind}"]
        if news:
            text += f"\n### {kind.capitalize()}\n\n" + "".join(f"- {item}\n" for item in news)
    return text


def main(version: str) -> None:
    """Writes the section below the changelog's introduction and removes the fragments."""
    fragments = sorted((ROOT / "changelog.d").glob("*.md"))
    unknown = [f.name for f in fragments if f.suffixes[0][1:] not in KINDS]
    if unknown:
        sys.exit(f"name them <what>.<{'|'.join(KINDS)}>.md: {', '.join(unknown)}")
    changelog = ROOT / "CHANGELOG.md"
    introduction, mark, older = changelog.read_text(encoding="utf-8").partition("\n## ")
    changelog.write_text(introduction + section(version, fragments) + mark + older, encoding="utf-8")
    for fragment in fragments:
        fragment.unlink()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
