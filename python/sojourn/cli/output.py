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
    """Writes a message to standard error."""
    sys.stderr.write(f"{text}\n")


def data(text: str) -> None:
    """Writes text to standard output, with a final newline."""
    sys.stdout.write(text if text.endswith("\n") else f"{text}\n")
    sys.stdout.flush()


def table(rows: Sequence[Sequence[str]], head: Sequence[str]) -> str:
    """Aligned columns: the first left-aligned, numeric ones right-aligned."""
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
    """Writes a data frame as CSV or Parquet."""
    if form is Format.csv:
        data(rows.write_csv())
        return
    if sys.stdout.isatty():
        raise UserError("Parquet is binary: redirect it to a file, as in `--format parquet > results.parquet`")
    rows.write_parquet(sys.stdout.buffer)


def results(outcome: Outcome, form: Format) -> None:
    """Writes the results of a job as JSON (identical to `results.json`), CSV or Parquet."""
    if form is Format.json:
        data(outcome.results_text)
    elif outcome.results is not None:
        frame(outcome.results.frame(), form)


def warnings(outcome: Outcome) -> None:
    """Writes the warnings and failures of a job."""
    for warning in outcome.warnings:
        say(f"note: {warning}")
    for failure in outcome.failures:
        say(f"failed: {failure['message']}")


def verdicts(outcome: Outcome) -> None:
    """Writes the verdict of each [expect] line; over several points, how many met it and which did not."""
    if outcome.results is None:
        return
    from sojourn.answers.expected import expected  # noqa: PLC0415

    for line in expected(outcome.verdicts, outcome.results.axes):
        say(f"expected {line}")


def _numeric(cells: Sequence[str]) -> bool:
    return all(not cell or cell[0] in "0123456789-–+<" for cell in cells)
