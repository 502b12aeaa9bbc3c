"""The common part of `run`, `sweep`, `find` and `study`: run a job with its progress, then write its outcome."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING

from sojourn.cli import interruption, output
from sojourn.cli.progress import ProgressLine
from sojourn.errors import RunFailed
from sojourn.extras import has, missing
from sojourn.jobs import Outcome, run_job
from sojourn.secret import shown_document

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from sojourn.results import Results
    from sojourn.scenario import Scenario
    from sojourn.study import Study


def simulate(request: Mapping[str, object], *, no_store: bool = False, notes: bool = True) -> Outcome:
    """Runs a request and records it; progress, warnings and failures go to standard error, but no warning of a first
    screen, which has them below its table."""
    from sojourn.store.recording import record_run  # noqa: PLC0415

    with ProgressLine() as progress:
        outcome = run_job(request, progress, progress.message, interruption.hold_back)
    if not no_store:
        record_run(outcome, output.note)
    if notes or outcome.results is None:
        output.warnings(outcome)
    return outcome


def elapsed_s(outcome: Outcome) -> float | None:
    """How long the replications of a run took; None where they were read from the cache."""
    count, cached = (int(outcome.provenance.get(name) or 0) for name in ("replications", "from_cache"))
    took = outcome.provenance.get("elapsed_s")
    return None if took is None or count <= cached else float(took) * count / (count - cached)


def where(
    jobs: int | None, cluster: str | None, shard: str | None, out: Path | None, checkpoint: Path | None = None
) -> dict[str, object]:
    """What computes, and where its results go: those of a shard are the entries of a cache."""
    folder = {"out": out} if shard is None else {"cache": out}
    return {"jobs": jobs, "cluster": cluster, "shard": shard, "checkpoint": checkpoint, **folder}


def shard_done(outcome: Outcome, shard: str, out: Path | None) -> int:
    """Reports how much a shard computed, and into which cache."""
    from sojourn import replications  # noqa: PLC0415

    count, cached = outcome.provenance["replications"], outcome.provenance["from_cache"]
    folder = out or replications.folder()
    output.print_message(f"shard {shard}: {count} replications in {folder}, {cached} of them from before")
    return 1 if outcome.failures else 0


def judged(outcome: Outcome) -> list[tuple[str, str]]:
    """The metrics and fields that the expectations, or the conditions of a search, ask for."""
    texts = [str(row["text"]) for row in outcome.verdicts]
    texts += str((outcome.answer or {}).get("text") or "").split(" and ")
    found = []
    # a rate is not a metric of the points
    for text in (text for text in dict.fromkeys(texts) if text and not text.startswith("risk(")):
        name, _, field = text.split(" ", 1)[0].rpartition(".")
        found.append((name, field) if name else (field, "value"))
    return list(dict.fromkeys(found))


@contextmanager
def kept(
    outcome: Outcome,
    out: Path | None,
    study: Study | None = None,
    scenario: Scenario | None = None,
    formats: Sequence[str] = (),
) -> Iterator[None]:
    """Keeps it, if there is a folder, after what is printed here, whether that is read to its end or not."""
    interruption.hold_back()
    try:
        yield
    finally:
        if out is not None:
            keep(outcome, out, study, scenario, formats)


def keep(
    outcome: Outcome,
    out: Path,
    study: Study | None = None,
    scenario: Scenario | None = None,
    formats: Sequence[str] = (),
) -> None:
    """Writes what accompanies `results.json`: verdicts, the scenario that the report simulates and samples; with the
    extra also the report, and figures if asked.

    Everything is computed by then: the first Ctrl-C leaves it to be written, a second one ends that.
    """
    results = outcome.results
    if results is None:
        return
    if has("polars"):
        import_module("polars")  # before, for its handler of Ctrl-C
    interruption.hold_back()
    try:
        _write(outcome, out, scenario)
        results.sampled.write(results.points, results.axes, out)
        if has("jinja2"):
            _draw(results, out, study, formats)
        else:
            output.print_message(f"wrote {out / 'results.json'}; {missing('jinja2', 'figures and a report')}")
    except _write_errors() as error:
        why = getattr(error, "strerror", None) or error
        raise RunFailed(
            f"cannot write to {out}: {why}; what is written is kept, and once there is space `sojourn report {out}` "
            "continues from it"
        ) from None


def _write_errors() -> tuple[type[Exception], ...]:
    """What writing raises on a full disk; data frames have an error of their own."""
    if not has("polars"):
        return (OSError,)
    import polars as pl  # noqa: PLC0415

    return (OSError, pl.exceptions.PolarsError)


def _write(outcome: Outcome, out: Path, scenario: Scenario | None) -> None:
    import json  # noqa: PLC0415

    out.mkdir(parents=True, exist_ok=True)
    if outcome.verdicts:
        (out / "verdicts.json").write_text(json.dumps(outcome.verdicts, indent=1), encoding="utf-8")
    if outcome.answer is not None:
        (out / "find.json").write_text(json.dumps(outcome.answer, indent=1), encoding="utf-8")
    if scenario is not None:
        (out / "scenario.toml").write_text(shown_document(scenario.expanded()), encoding="utf-8")
    document = scenario.document() if scenario is not None else None
    if document is not None:
        (out / "document.json").write_text(json.dumps(document, indent=1), encoding="utf-8")
    else:
        (out / "document.json").unlink(missing_ok=True)  # of results that were here before


def _draw(results: Results, out: Path, study: Study | None, formats: Sequence[str]) -> None:
    from sojourn.report import write_report  # noqa: PLC0415

    with ProgressLine() as progress:
        progress.show("drawing figures")
        page = write_report(results, out, study, formats, progress.show)
    output.print_message(f"wrote {out / 'results.json'} and the report {page}")
