"""Writing numbers to standard output: tables for people, JSON, CSV and Parquet for programs."""

from __future__ import annotations

import csv
import io
import re
import sys
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sojourn import resources
from sojourn.cli.options import Format
from sojourn.errors import UserError
from sojourn.requirements import RANK

if TYPE_CHECKING:
    import polars

    from sojourn.jobs import Outcome

LEAST = 40
"""Columns below which nothing is folded."""
NARROW = 80
"""Columns of a terminal of unknown width."""
VALUE_AND_UNIT = re.compile(r"(?<=[\d)]) (?=%|(?:[nµm]?s|min|h|[kMG]?bit/s|[kMG]?Hz)\b)")
NUMBER = re.compile(r"[\d.]+( ?[nµm]?s| min| h)?\b| and \d+ more points?")
NO_BREAK = "\u00a0"
WIDEST = 32
"""Most columns of a cell beside running text."""


def print_message(text: str = "") -> None:
    """Writes a message to standard error."""
    sys.stderr.write(f"{text}\n")


def data(text: str) -> None:
    """Writes text to standard output, with a final newline."""
    sys.stdout.write(text if text.endswith("\n") else f"{text}\n")
    sys.stdout.flush()


def width() -> int:
    """Columns that `COLUMNS` says, else those of the terminal; 80 where standard output is none."""
    import os  # noqa: PLC0415
    import shutil  # noqa: PLC0415

    said = os.environ.get("COLUMNS", "")
    if said.isdecimal() and int(said) > 0:
        return max(LEAST, int(said))
    return max(NARROW, shutil.get_terminal_size().columns) if sys.stdout.isatty() else NARROW


def filled(text: str, indent: str = "") -> str:
    """Running text in lines that fit the terminal, in which a value keeps its unit."""
    kept = VALUE_AND_UNIT.sub(NO_BREAK, text)
    lines = textwrap.fill(kept, width(), initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
    return lines.replace(NO_BREAK, " ")


def shortened(text: str, most: int) -> str:
    """A text in at most `most` columns, with an ellipsis where it is longer."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def table(rows: Sequence[Sequence[str]], head: Sequence[str], keys: int = 1) -> str:
    """Aligned columns, text left-aligned and numbers right-aligned; what exceeds the terminal's width is folded.

    A folded table is several below each other, each with the first `keys` columns.
    """
    columns = list(zip(head, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    right = [index > 0 and _numeric(column[1:]) for index, column in enumerate(columns)]

    def part(shown: Sequence[int]) -> str:
        def line(cells: Sequence[str]) -> str:
            aligned = (
                cells[index].rjust(widths[index]) if right[index] else cells[index].ljust(widths[index])
                for index in shown
            )
            return "  ".join(aligned).rstrip()

        return "\n".join([line(head), line(["-" * size for size in widths]), *map(line, rows)])

    return "\n\n".join(part(shown) for shown in _folded(widths, keys, width()))


def list_of(rows: Sequence[Sequence[str]], head: Sequence[str]) -> str:
    """Rows whose last column is running text, filled to the terminal's width beneath its own head."""
    widths = [max(map(len, column)) for column in list(zip(head, *rows, strict=True))[:-1]]
    # long columns leave the text too little room beside them: it stands below, as do they
    beside = [size for size in widths if size <= WIDEST]
    indent = sum(beside) + 2 * len(beside)
    lines = []
    for row in [list(head), ["-" * min(size, WIDEST) for size in widths] + ["-" * len(head[-1])], *map(list, rows)]:
        cells = [cell.ljust(size) for cell, size in zip(row, widths, strict=False) if size <= WIDEST]
        texts = [cell for cell, size in zip(row, widths, strict=False) if size > WIDEST] + [row[-1]]
        first, *more = [line for text in texts for line in textwrap.wrap(text, width() - indent)] or [""]
        lines += ["  ".join([*cells, first]).rstrip(), *(" " * indent + line for line in more)]
    return "\n".join(lines)


def _folded(widths: Sequence[int], keys: int, room: int) -> list[list[int]]:
    """The columns of each part of a table, in order."""
    first = list(range(min(keys, len(widths))))
    parts = [list(first)]
    for index in range(len(first), len(widths)):
        taken = sum(widths[column] + 2 for column in parts[-1]) + widths[index]
        if taken > room and len(parts[-1]) > len(first):
            parts.append(list(first))
        parts[-1].append(index)
    return parts


def numbers(rows: Sequence[Mapping[str, object]], form: Format) -> None:
    """Writes rows as CSV or Parquet, with the columns of all of them."""
    if form is Format.csv:
        _csv(rows)
        return
    import polars as pl  # noqa: PLC0415

    _parquet(pl.DataFrame(rows, infer_schema_length=None))


def _csv(rows: Sequence[Mapping[str, object]]) -> None:
    text = io.StringIO()
    names = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: str(cell).lower() if isinstance(cell, bool) else cell for name, cell in row.items()})
    data(text.getvalue())


def _parquet(frame: polars.DataFrame) -> None:
    if sys.stdout.isatty():
        raise UserError("Parquet is binary: redirect it to a file, as in `--format parquet > results.parquet`")
    frame.write_parquet(sys.stdout.buffer)


def results(outcome: Outcome, form: Format) -> None:
    """Writes the results of a job as JSON (identical to `results.json`), CSV or Parquet."""
    if form is Format.json:
        data(outcome.results_text)
    elif outcome.results is not None:
        _csv(outcome.results.rows()) if form is Format.csv else _parquet(outcome.results.frame())


def note(text: str) -> None:
    """Writes what a user should know, to standard error; on a terminal in lines that fit it."""
    print_message(_on_a_terminal(f"note: {text}"))


def _on_a_terminal(text: str) -> str:
    """A message in lines that fit the terminal; as one line where a program reads it."""
    return filled(text) if sys.stderr.isatty() else text


def warnings(outcome: Outcome, *, each: bool = True) -> None:
    """Writes the warnings and failures of a job; of those that differ in numbers alone, unless `each`, the first."""
    results = outcome.results
    alone = results is not None and len(results) == 1 and resources.overload(results.points[0])
    # the table begins with that
    left = [warning for warning in outcome.warnings if not (alone and warning.endswith(alone))]
    alike: dict[str, list[str]] = {}
    for number, warning in enumerate(left):
        alike.setdefault(str(number) if each else NUMBER.sub("", warning), []).append(warning)
    for first, *more in alike.values():
        note(f"{first} (and {len(more)} more like this: --all)" if more else first)
    for failure in outcome.failures:
        print_message(f"failed: {failure['message']}")


def verdicts(outcome: Outcome, *, said: str = "") -> None:
    """Writes the verdict of each [expect] line; over several points, how many met it and which did not.

    Of the line that a sentence has answered, `said`, the verdict alone.
    """
    if outcome.results is None:
        return
    from sojourn.answers.expected import expected  # noqa: PLC0415

    words = [str(row["verdict"]) for row in outcome.verdicts if row["text"] == said]
    for line in expected(outcome.verdicts, outcome.results.axes):
        short = f"{said}: {next(word for word in RANK if word in words)}" if line.startswith(f"{said}: ") else line
        print_message(_on_a_terminal(f"expected {short if words else line}"))


def _numeric(cells: Sequence[str]) -> bool:
    return all(not cell or cell[0] in "0123456789-−–+<" for cell in cells)
