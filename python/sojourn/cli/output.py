"""Writing numbers to standard output: tables for people, JSON, CSV and Parquet for programs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sojourn.cli.options import Format
from sojourn.errors import UserError

if TYPE_CHECKING:
    import polars

    from sojourn.jobs import Outcome


def say(text: str = "") -> None:
    """Talk: a line on standard error."""
    sys.stderr.write(f"{text}\n")


def data(text: str) -> None:
    """Data: text on standard output, ending in a new line."""
    sys.stdout.write(text if text.endswith("\n") else f"{text}\n")
    sys.stdout.flush()


def table(rows: Sequence[Sequence[str]], head: Sequence[str]) -> str:
    """Aligned columns: the first to the left, numbers to the right."""
    columns = list(zip(head, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    right = [index > 0 and _numeric(column[1:]) for index, column in enumerate(columns)]

    def line(cells: Sequence[str]) -> str:
        aligned = (
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(cells, widths, right, strict=True)
        )
        return "  ".join(aligned).rstrip()

    return "\n".join([line(head), line(["-" * width for width in widths]), *map(line, rows)])


def frame(rows: polars.DataFrame, form: Format) -> None:
    """A data frame as CSV or Parquet."""
    if form is Format.csv:
        data(rows.write_csv())
        return
    if sys.stdout.isatty():
        raise UserError("Parquet is no text: send it to a file, as in `--format parquet > results.parquet`")
    rows.write_parquet(sys.stdout.buffer)


def results(outcome: Outcome, form: Format) -> None:
    """The results of a job in a form for programs; JSON is `results.json` to the byte."""
    if form is Format.json:
        data(outcome.results_text)
    elif outcome.results is not None:
        frame(outcome.results.frame(), form)


def warnings(outcome: Outcome) -> None:
    """What the job had to remark, and the points that failed."""
    for warning in outcome.warnings:
        say(f"note: {warning}")
    for failure in outcome.failures:
        say(f"failed: {failure['message']}")


def verdicts(outcome: Outcome) -> None:
    """The [expect] lines with their verdicts, one line each; over several points, how many met it and where not."""
    if outcome.results is None:
        return
    from sojourn.answers.expected import expected  # noqa: PLC0415

    for line in expected(outcome.verdicts, outcome.results.axes):
        say(f"expected {line}")


def _numeric(cells: Sequence[str]) -> bool:
    return all(not cell or cell[0] in "0123456789-–+<" for cell in cells)
