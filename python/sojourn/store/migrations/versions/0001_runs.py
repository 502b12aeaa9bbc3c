"""Runs: their documents, points, metrics and verdicts."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Creates the tables."""
    op.create_table(
        "loaded",
        sa.Column("file", sa.Text(), nullable=False, comment="Name of a file of records."),
        sa.Column("records", sa.Integer(), nullable=False, comment="Records of it that were loaded."),
        sa.PrimaryKeyConstraint("file", name=op.f("pk_loaded")),
        comment="Which files of records were loaded, and how far, so that none is loaded twice.",
    )
    op.create_table(
        "scenarios",
        sa.Column("id", sa.Integer(), nullable=False, comment="Number."),
        sa.Column("hash", sa.Text(), nullable=False, comment="SHA-256 of the text."),
        sa.Column("text", sa.Text(), nullable=False, comment="TOML, without secrets."),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_scenarios")),
        sa.UniqueConstraint("hash", name=op.f("uq_scenarios_hash")),
        comment="Texts of scenarios, measurements and studies, each once.",
    )
    op.create_table(
        "runs",
        sa.Column("id", sa.Integer(), nullable=False, comment="Number, which `sojourn history show` takes."),
        sa.Column("uuid", sa.Text(), nullable=False, comment="The record's own identity."),
        sa.Column(
            "command", sa.Text(), nullable=False, comment="`run`, `sweep`, `find`, `study`, `measure` or `monitor`."
        ),
        sa.Column(
            "name", sa.Text(), nullable=False, comment="Name of the study, or of the document without its ending."
        ),
        sa.Column("network", sa.Text(), nullable=True, comment="Kind of the network."),
        sa.Column("world", sa.Text(), nullable=True, comment="`simulated` or `live`."),
        sa.Column("peer", sa.Text(), nullable=True, comment="URL measured, without a password."),
        sa.Column("scenario_id", sa.Integer(), nullable=True, comment="The document."),
        sa.Column("scenario_hash", sa.Text(), nullable=True, comment="Hash of the checked points, as in results.json."),
        sa.Column("version", sa.Text(), nullable=True, comment="Version of Sojourn."),
        sa.Column("commit", sa.Text(), nullable=True, comment="Commit of the build."),
        sa.Column(
            "build", sa.Text(), nullable=True, comment="Identity of the build, as the cache of replications uses it."
        ),
        sa.Column("host", sa.Text(), nullable=True, comment="Name of the machine."),
        sa.Column("platform", sa.Text(), nullable=True, comment="Processor and operating system."),
        sa.Column("processors", sa.Integer(), nullable=True, comment="Logical processors."),
        sa.Column(
            "regime",
            sa.Text(),
            nullable=True,
            comment="Host regime of a measurement: calibration and state of the host, as JSON.",
        ),
        sa.Column(
            "settings", sa.Text(), nullable=True, comment="The request with its overrides, as JSON, without secrets."
        ),
        sa.Column("seed", sa.BigInteger(), nullable=True, comment="Seed of the random streams."),
        sa.Column("replications", sa.Integer(), nullable=True, comment="Most replications of a point."),
        sa.Column("begin_us", sa.BigInteger(), nullable=False, comment="When it began."),
        sa.Column(
            "elapsed_s",
            sa.Double(),
            nullable=True,
            comment="How long it took, by a clock that does not step; null of a monitor.",
        ),
        sa.Column(
            "well", sa.Boolean(), nullable=False, comment="Whether no point failed and no expectation was missed."
        ),
        sa.Column("answer", sa.Text(), nullable=True, comment="The answer of `find`, as JSON."),
        sa.Column(
            "folder", sa.Text(), nullable=True, comment="Folder of the results, as an absolute path on that host."
        ),
        sa.ForeignKeyConstraint(["scenario_id"], ["scenarios.id"], name=op.f("fk_runs_scenario_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
        sa.UniqueConstraint("uuid", name=op.f("uq_runs_uuid")),
        comment="A command and what it ran with.",
    )
    op.create_index(op.f("ix_runs_begin_us"), "runs", ["begin_us"], unique=False)
    op.create_index(op.f("ix_runs_name_begin_us"), "runs", ["name", "begin_us"], unique=False)
    op.create_table(
        "points",
        sa.Column("id", sa.Integer(), nullable=False, comment="Number."),
        sa.Column("run_id", sa.Integer(), nullable=False, comment="The run."),
        sa.Column("position", sa.Integer(), nullable=False, comment="Place in the plan, from 0."),
        sa.Column("experiment", sa.Text(), nullable=False, comment="Experiment of a study, or phase of a measurement."),
        sa.Column("settings", sa.Text(), nullable=False, comment="Values of the keys that vary, as JSON."),
        sa.Column("status", sa.Text(), nullable=False, comment="`ok`, or why it failed."),
        sa.Column("replications", sa.Integer(), nullable=True, comment="Replications."),
        sa.Column("scenario_hash", sa.Text(), nullable=True, comment="Hash of the checked scenario."),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_points_run_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_points")),
        comment="Points of runs: one setting of the keys that vary.",
    )
    op.create_index(op.f("ix_points_run_id"), "points", ["run_id"], unique=False)
    op.create_table(
        "tags",
        sa.Column("run_id", sa.Integer(), nullable=False, comment="The run."),
        sa.Column("tag", sa.Text(), nullable=False, comment="A word of the user's."),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_tags_run_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "tag", name=op.f("pk_tags")),
        comment="Tags of runs.",
    )
    op.create_table(
        "metrics",
        sa.Column("point_id", sa.Integer(), nullable=False, comment="The point."),
        sa.Column("name", sa.Text(), nullable=False, comment="Name of the metric, as `sojourn metrics` lists it."),
        sa.Column("unit", sa.Text(), nullable=False, comment="SI unit."),
        sa.Column("value", sa.Double(), nullable=True, comment="Mean of a distribution or a level, value of a scalar."),
        sa.Column("value_low", sa.Double(), nullable=True, comment="Lower end of its 95 % confidence interval."),
        sa.Column("value_high", sa.Double(), nullable=True, comment="Upper end of its 95 % confidence interval."),
        sa.Column("count", sa.BigInteger(), nullable=True, comment="Samples."),
        sa.Column("sent", sa.BigInteger(), nullable=True, comment="Messages sent, answered or not."),
        sa.Column("sd", sa.Double(), nullable=True, comment="Standard deviation of the samples."),
        sa.Column("min", sa.Double(), nullable=True, comment="Smallest sample."),
        sa.Column("max", sa.Double(), nullable=True, comment="Largest sample."),
        sa.Column("p50", sa.Double(), nullable=True, comment="Quantile p50."),
        sa.Column("p50_low", sa.Double(), nullable=True, comment="Lower end of the interval of p50."),
        sa.Column("p50_high", sa.Double(), nullable=True, comment="Upper end of that of p50."),
        sa.Column("p90", sa.Double(), nullable=True, comment="Quantile p90."),
        sa.Column("p90_low", sa.Double(), nullable=True, comment="Lower end of the interval of p90."),
        sa.Column("p90_high", sa.Double(), nullable=True, comment="Upper end of that of p90."),
        sa.Column("p99", sa.Double(), nullable=True, comment="Quantile p99."),
        sa.Column("p99_low", sa.Double(), nullable=True, comment="Lower end of the interval of p99."),
        sa.Column("p99_high", sa.Double(), nullable=True, comment="Upper end of that of p99."),
        sa.Column("p999", sa.Double(), nullable=True, comment="Quantile p999."),
        sa.Column("p999_low", sa.Double(), nullable=True, comment="Lower end of the interval of p999."),
        sa.Column("p999_high", sa.Double(), nullable=True, comment="Upper end of that of p999."),
        sa.ForeignKeyConstraint(["point_id"], ["points.id"], name=op.f("fk_metrics_point_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("point_id", "name", name=op.f("pk_metrics")),
        comment="Metrics of points.",
    )
    op.create_index(op.f("ix_metrics_name"), "metrics", ["name"], unique=False)
    op.create_table(
        "verdicts",
        sa.Column("point_id", sa.Integer(), nullable=False, comment="The point."),
        sa.Column("condition", sa.Text(), nullable=False, comment="The expectation, as written."),
        sa.Column("verdict", sa.Text(), nullable=False, comment="`met`, `missed` or `undecided`."),
        sa.Column("value", sa.Double(), nullable=True, comment="Value it is based on."),
        sa.ForeignKeyConstraint(["point_id"], ["points.id"], name=op.f("fk_verdicts_point_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("point_id", "condition", name=op.f("pk_verdicts")),
        comment="Verdicts of [expect].",
    )
