"""The tables of the store, one description for SQLite and PostgreSQL.

Times are wall-clock time in microseconds since 1970, UTC, in columns that end in `_us`; values are in SI units. A
column that does not apply is null. Comments become `docs/reference/store.md`.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
)

REVISIONS = ("0001", "0002", "0003", "0004")
"""Revisions of the schema, the oldest first."""
QUANTILES = ("p50", "p90", "p95", "p99", "p999")

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    }
)


def _reference(name: str, to: str, **options: Any) -> Column[Any]:
    return Column(name, Integer, ForeignKey(f"{to}.id", ondelete="CASCADE"), nullable=False, **options)


loaded = Table(
    "loaded",
    metadata,
    Column("file", Text, primary_key=True, comment="Name of a file of records."),
    Column("records", Integer, nullable=False, comment="Records of it that were loaded."),
    comment="Which files of records were loaded, and how far, so that none is loaded twice.",
)

scenarios = Table(
    "scenarios",
    metadata,
    Column("id", Integer, primary_key=True, comment="Number."),
    Column("hash", Text, nullable=False, unique=True, comment="SHA-256 of the text."),
    Column("text", Text, nullable=False, comment="TOML, without secrets."),
    comment="Texts of scenarios, measurements and studies, each once.",
)

runs = Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True, comment="Number, which `sojourn history show` takes."),
    Column("uuid", Text, nullable=False, unique=True, comment="The record's own identity."),
    Column("command", Text, nullable=False, comment="`run`, `sweep`, `find`, `study`, `measure` or `monitor`."),
    Column("name", Text, nullable=False, comment="Name of the study, or of the document without its ending."),
    Column("network", Text, comment="Kind of the network."),
    Column("world", Text, comment="`simulated` or `live`."),
    Column("peer", Text, comment="URL measured, without a password."),
    Column("scenario_id", Integer, ForeignKey("scenarios.id"), comment="The document."),
    Column("scenario_hash", Text, comment="Hash of the checked points, as in results.json."),
    Column("version", Text, comment="Version of Sojourn."),
    Column("commit", Text, comment="Commit of the build."),
    Column("build", Text, comment="Identity of the build, as the cache of replications uses it."),
    Column("host", Text, comment="Name of the machine."),
    Column("platform", Text, comment="Processor and operating system."),
    Column("processors", Integer, comment="Logical processors."),
    Column("regime", Text, comment="Host regime of a measurement: calibration and state of the host, as JSON."),
    Column("settings", Text, comment="The request with its overrides, as JSON, without secrets."),
    Column("seed", BigInteger, comment="Seed of the random streams."),
    Column("replications", Integer, comment="Most replications of a point."),
    Column("begin_us", BigInteger, nullable=False, comment="When it began."),
    Column("elapsed_s", Double, comment="How long it took, by a clock that does not step; null of a monitor."),
    Column("well", Boolean, nullable=False, comment="Whether no point failed and no expectation was missed."),
    Column("answer", Text, comment="The answer of `find`, as JSON."),
    Column("folder", Text, comment="Folder of the results, as an absolute path on that host."),
    Column("checksum", Text, comment="Checksum of all rows of the run; `sojourn history check` compares it."),
    comment="A command and what it ran with.",
)
Index(None, runs.c.begin_us)
Index(None, runs.c.name, runs.c.begin_us)

tags = Table(
    "tags",
    metadata,
    _reference("run_id", "runs", primary_key=True, comment="The run."),
    Column("tag", Text, primary_key=True, comment="A word of the user's."),
    comment="Tags of runs.",
)

points = Table(
    "points",
    metadata,
    Column("id", Integer, primary_key=True, comment="Number."),
    _reference("run_id", "runs", comment="The run."),
    Column("position", Integer, nullable=False, comment="Place in the plan, from 0."),
    Column("experiment", Text, nullable=False, comment="Experiment of a study, or phase of a measurement."),
    Column("settings", Text, nullable=False, comment="Values of the keys that vary, as JSON."),
    Column("status", Text, nullable=False, comment="`ok`, or why it failed."),
    Column("replications", Integer, comment="Replications."),
    Column("scenario_hash", Text, comment="Hash of the checked scenario."),
    comment="Points of runs: one setting of the keys that vary.",
)
Index(None, points.c.run_id)

metrics = Table(
    "metrics",
    metadata,
    _reference("point_id", "points", primary_key=True, comment="The point."),
    Column("name", Text, primary_key=True, comment="Name of the metric, as `sojourn metrics` lists it."),
    Column("unit", Text, nullable=False, comment="SI unit."),
    Column("value", Double, comment="Mean of a distribution or a level, value of a scalar."),
    Column("value_low", Double, comment="Lower end of its 95 % confidence interval."),
    Column("value_high", Double, comment="Upper end of its 95 % confidence interval."),
    Column("count", BigInteger, comment="Samples."),
    Column("sent", BigInteger, comment="Messages sent, answered or not."),
    Column("sd", Double, comment="Standard deviation of the samples."),
    Column("min", Double, comment="Smallest sample."),
    Column("max", Double, comment="Largest sample."),
    *[
        Column(f"{quantile}{end}", Double, comment=f"{words} {quantile}.")
        for quantile in QUANTILES
        for end, words in (
            ("", "Quantile"),
            ("_low", "Lower end of the interval of"),
            ("_high", "Upper end of that of"),
        )
    ],
    comment="Metrics of points.",
)
Index(None, metrics.c.name)

verdicts = Table(
    "verdicts",
    metadata,
    _reference("point_id", "points", primary_key=True, comment="The point."),
    Column("condition", Text, primary_key=True, comment="The expectation, as written."),
    Column("verdict", Text, nullable=False, comment="`met`, `missed` or `undecided`."),
    Column("value", Double, comment="Value it is based on."),
    comment="Verdicts of [expect].",
)

targets = Table(
    "targets",
    metadata,
    Column("id", Integer, primary_key=True, comment="Number."),
    Column("key", Text, nullable=False, unique=True, comment="Host of the monitor, name and URL."),
    Column("host", Text, nullable=False, comment="Host of the monitor."),
    Column("name", Text, nullable=False, comment="Name of the target."),
    Column("url", Text, nullable=False, comment="URL of the target, without a password."),
    comment="Targets of monitors; one that several monitors of a host have in turn is one.",
)
Index(None, targets.c.name)

run_targets = Table(
    "run_targets",
    metadata,
    _reference("run_id", "runs", primary_key=True, comment="The monitor."),
    _reference("target_id", "targets", primary_key=True, comment="The target."),
    comment="Which targets a monitor had.",
)

windows = Table(
    "windows",
    metadata,
    _reference("run_id", "runs", primary_key=True, comment="The monitor."),
    Column("number", BigInteger, primary_key=True, autoincrement=False, comment="Number of the line of the monitor."),
    _reference("target_id", "targets", comment="The target."),
    Column("begin_us", BigInteger, nullable=False, comment="Begin."),
    Column("end_us", BigInteger, nullable=False, comment="End."),
    Column("sent", Integer, nullable=False, comment="Requests sent, or due while there was no session."),
    Column("answered", Integer, nullable=False, comment="Requests answered in time."),
    Column("in_outage", Boolean, nullable=False, comment="Whether the target was in an outage at its end."),
    Column("loaded", Boolean, nullable=False, comment="Whether the path was loaded."),
    Column("mean", Double, comment="Mean response time."),
    Column("min", Double, comment="Smallest response time."),
    Column("max", Double, comment="Largest response time."),
    *[Column(name, Double, comment=f"Response time, quantile {name}.") for name in QUANTILES],
    Column("metrics", Text, comment="The other metrics as JSON: mean or value by name, `NAME.p99` of distributions."),
    Column("histogram", LargeBinary, comment="Response times in log-linear bins; `sojourn.store.histogram` reads it."),
    comment="Windows of monitors.",
)
Index(None, windows.c.target_id, windows.c.begin_us)
Index(None, windows.c.begin_us)

outages = Table(
    "outages",
    metadata,
    _reference("run_id", "runs", primary_key=True, comment="The monitor."),
    _reference("target_id", "targets", primary_key=True, comment="The target."),
    Column("begin_us", BigInteger, primary_key=True, autoincrement=False, comment="Begin."),
    Column("end_us", BigInteger, comment="End; null while it lasts, or where the monitor ended before."),
    Column("duration_s", Double, comment="Length."),
    Column("cause", Text, comment="Last error of the network, the operating system or the peer."),
    comment="Outages of targets.",
)
Index(None, outages.c.target_id, outages.c.begin_us)

alerts = Table(
    "alerts",
    metadata,
    _reference("run_id", "runs", primary_key=True, comment="The monitor."),
    Column("number", BigInteger, primary_key=True, autoincrement=False, comment="Number of the line of the monitor."),
    _reference("target_id", "targets", comment="The target."),
    Column("at_us", BigInteger, nullable=False, comment="End of the window that decided."),
    Column("event", Text, nullable=False, comment="`raised` or `cleared`."),
    Column("condition", Text, nullable=False, comment="The condition, as written."),
    Column("value", Double, comment="Its value in that window."),
    comment="Alerts of monitors.",
)
Index(None, alerts.c.target_id, alerts.c.at_us)

conditions = Table(
    "conditions",
    metadata,
    _reference("run_id", "runs", primary_key=True, comment="The monitor."),
    _reference("target_id", "targets", primary_key=True, comment="The target."),
    Column("condition", Text, primary_key=True, comment="The condition, as written."),
    comment="Conditions that monitors judged each window of a target by.",
)

rollups = Table(
    "rollups",
    metadata,
    _reference("target_id", "targets", primary_key=True, comment="The target."),
    Column("period", Text, primary_key=True, comment="`hour` or `day`."),
    Column("begin_us", BigInteger, primary_key=True, autoincrement=False, comment="Begin of the hour or the day."),
    Column("loaded", Boolean, primary_key=True, comment="Whether the path was loaded in these windows."),
    Column("windows", Integer, nullable=False, comment="Windows that it replaces."),
    Column("windows_in_outage", Integer, nullable=False, comment="Of those, in an outage at their end."),
    Column("sent", BigInteger, nullable=False, comment="Requests sent or due."),
    Column("answered", BigInteger, nullable=False, comment="Requests answered in time."),
    Column("total", Double, nullable=False, comment="Sum of the response times."),
    Column("min", Double, comment="Smallest response time."),
    Column("max", Double, comment="Largest response time."),
    *[Column(name, Double, comment=f"Response time, quantile {name}, of the histogram.") for name in QUANTILES],
    Column("histogram", LargeBinary, nullable=False, comment="Sum of the histograms of the windows."),
    comment="What windows become when they are old: their counts and histograms added.",
)
