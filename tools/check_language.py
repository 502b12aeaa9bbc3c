"""Refuses the words and sentence shapes of tools/banned_words.toml in text that git does not ignore.

Words are refused in prose, help, identifiers and file names; shapes in prose and help.

usage: check_language.py [--count] [PATH ...]      --count: how often each word and each of the field's terms occurs
"""

import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LIST = Path(__file__).with_name("banned_words.toml")
SUFFIXES = {".rs", ".py", ".pyi", ".md", ".toml", ".j2", ".sh", ".c", ".cc", ".h"}
# The list itself, the tests of this tool, locks, and data kept as it was given.
LEFT_OUT = (
    "tools/banned_words.toml",
    "tests/tools/test_tools.py",
    "tests/contract/contract.json",
)
TERMS = (
    "cwnd", "ssthresh", "rto", "rtt", "srtt", "goodput", "percentile", "head-of-line", "coordinated omission",
    "in flight", "bytes in flight", "one-way delay", "timeout", "tail drop", "nic", "gso", "netem", "backoff",
    "listener", "jitter buffer",
)  # fmt: skip


@dataclass(frozen=True)
class Banned:
    """A group of words or a sentence shape, and what to write instead."""

    pattern: re.Pattern[str]
    use: str
    is_shape: bool


def read_list(path: Path = LIST) -> tuple[list[Banned], re.Pattern[str]]:
    """The banned words and sentence shapes, and the pattern of all phrases in which they are allowed."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    rows = table["banned"] + table["shape"]
    allowed = sorted({phrase for row in rows for phrase in row.get("allow", [])}, key=len, reverse=True)
    return [Banned(row_pattern(row), row["use"], "pattern" in row) for row in rows], words_pattern(allowed)


def row_pattern(row: dict[str, Any]) -> re.Pattern[str]:
    """The words of a row, or its sentence shape: between words, in any case, not in names."""
    if "words" in row:
        return words_pattern(row["words"])
    return re.compile(rf"(?<![A-Za-z_])(?:{row['pattern']})(?![A-Za-z_])", re.IGNORECASE)


def words_pattern(words: list[str]) -> re.Pattern[str]:
    """Any of the words, whole, in any case; a space also matches a hyphen."""
    alternatives = "|".join(re.escape(word).replace(r"\ ", "[ -]") for word in words) or r"(?!)"
    return re.compile(rf"(?<![A-Za-z])(?:{alternatives})(?![A-Za-z])", re.IGNORECASE)


def words_of(line: str) -> str:
    """The line with its snake_case and CamelCase names taken apart into words with hyphens between them."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", line).replace("_", "-")


def text_files(paths: list[str]) -> list[Path]:
    """Text files below the paths, or all of them: those that git tracks and those that it does not ignore."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *paths]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    names = [name for name in listed.stdout.split("\0") if name and name not in LEFT_OUT]
    return [ROOT / name for name in names if Path(name).suffix in SUFFIXES and (ROOT / name).is_file()]


def texts(files: list[Path]) -> Iterator[tuple[str, str]]:
    """Name and text of each file that still exists."""
    for file in files:
        try:
            yield str(file.relative_to(ROOT)), file.read_text(encoding="utf-8")
        except FileNotFoundError:
            continue  # removed since it was listed


def findings(files: list[Path]) -> Iterator[tuple[str, str, Banned]]:
    """Place, text and group of every banned word or shape in names and lines of the files."""
    groups, allowed = read_list()
    for name, content in texts(files):
        lines = [name, *content.splitlines()]
        for number, line in enumerate(lines):
            prose, names = allowed.sub("", line), allowed.sub("", words_of(line))
            for group in groups:
                for match in group.pattern.finditer(prose if group.is_shape else names):
                    yield f"{name}:{number}" if number else name, match[0].lower().replace("-", " "), group


def count(files: list[Path]) -> None:
    """Prints how often each banned word and each of the field's terms occurs."""
    banned = Counter(word for _, word, _ in findings(files))
    text = "\n".join(words_of(content) for _, content in texts(files))
    terms = {term: len(words_pattern([term]).findall(text)) for term in TERMS}
    for word, times in [*banned.most_common(), ("all banned words", banned.total()), *terms.items()]:
        print(f"{times:6} {word}")


def main(arguments: list[str]) -> int:
    """Prints each banned word or shape with its place and what to write instead; 1 if there is one."""
    files = text_files([argument for argument in arguments if argument != "--count"])
    if "--count" in arguments:
        count(files)
        return 0
    found = [f"{place}: '{word}': write {group.use}" for place, word, group in findings(files)]
    for line in found:
        print(line, file=sys.stderr)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
