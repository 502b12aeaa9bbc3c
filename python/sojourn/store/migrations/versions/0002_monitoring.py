"""Monitoring: targets, windows, outages, alerts and roll-ups."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Creates the tables."""
    op.create_table(
        "targets",
        sa.Column("id", sa.Integer(), nullable=False, comment="Number."),
        sa.Column("key", sa.Text(), nullable=False, comment="Host of the monitor, name and URL."),
        sa.Column("host", sa.Text(), nullable=False, comment="Host of the monitor."),
        sa.Column("name", sa.Text(), nullable=False, comment="Name of the target."),
        sa.Column("url", sa.Text(), nullable=False, comment="URL of the target, without a password."),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_targets")),
        sa.UniqueConstraint("key", name=op.f("uq_targets_key")),
        comment="Targets of monitors; one that several monitors of a host have in turn is one.",
    )
    op.create_index(op.f("ix_targets_name"), "targets", ["name"], unique=False)
    op.create_table(
        "rollups",
        sa.Column("target_id", sa.Integer(), nullable=False, comment="The target."),
        sa.Column("period", sa.Text(), nullable=False, comment="`hour` or `day`."),
        sa.Column(
            "begin_us", sa.BigInteger(), autoincrement=False, nullable=False, comment="Begin of the hour or the day."
        ),
        sa.Column("loaded", sa.Boolean(), nullable=False, comment="Whether the path was loaded in these windows."),
        sa.Column("windows", sa.Integer(), nullable=False, comment="Windows that it replaces."),
        sa.Column("windows_in_outage", sa.Integer(), nullable=False, comment="Of those, in an outage at their end."),
        sa.Column("sent", sa.BigInteger(), nullable=False, comment="Requests sent or due."),
        sa.Column("answered", sa.BigInteger(), nullable=False, comment="Requests answered in time."),
        sa.Column("total", sa.Double(), nullable=False, comment="Sum of the response times."),
        sa.Column("min", sa.Double(), nullable=True, comment="Smallest response time."),
        sa.Column("max", sa.Double(), nullable=True, comment="Largest response time."),
        sa.Column("p50", sa.Double(), nullable=True, comment="Response time, quantile p50, of the histogram."),
        sa.Column("p90", sa.Double(), nullable=True, comment="Response time, quantile p90, of the histogram."),
        sa.Column("p99", sa.Double(), nullable=True, comment="Response time, quantile p99, of the histogram."),
        sa.Column("p999", sa.Double(), nullable=True, comment="Response time, quantile p999, of the histogram."),
        sa.Column("histogram", sa.LargeBinary(), nullable=False, comment="Sum of the histograms of the windows."),
        sa.ForeignKeyConstraint(["target_id"], ["targets.id"], name=op.f("fk_rollups_target_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("target_id", "period", "begin_us", "loaded", name=op.f("pk_rollups")),
        comment="What windows become when they are old: their counts and histograms added.",
    )
    op.create_table(
        "alerts",
        sa.Column("run_id", sa.Integer(), nullable=False, comment="The monitor."),
        sa.Column(
            "number", sa.BigInteger(), autoincrement=False, nullable=False, comment="Number of the line of the monitor."
        ),
        sa.Column("target_id", sa.Integer(), nullable=False, comment="The target."),
        sa.Column("at_us", sa.BigInteger(), nullable=False, comment="End of the window that decided."),
        sa.Column("event", sa.Text(), nullable=False, comment="`raised` or `cleared`."),
        sa.Column("condition", sa.Text(), nullable=False, comment="The condition, as written."),
        sa.Column("value", sa.Double(), nullable=True, comment="Its value in that window."),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_alerts_run_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["target_id"], ["targets.id"], name=op.f("fk_alerts_target_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "number", name=op.f("pk_alerts")),
        comment="Alerts of monitors.",
    )
    op.create_index(op.f("ix_alerts_target_id_at_us"), "alerts", ["target_id", "at_us"], unique=False)
    op.create_table(
        "conditions",
        sa.Column("run_id", sa.Integer(), nullable=False, comment="The monitor."),
        sa.Column("target_id", sa.Integer(), nullable=False, comment="The target."),
        sa.Column("condition", sa.Text(), nullable=False, comment="The condition, as written."),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_conditions_run_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["target_id"], ["targets.id"], name=op.f("fk_conditions_target_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", "target_id", "condition", name=op.f("pk_conditions")),
        comment="Conditions that monitors judged each window of a target by.",
    )
    op.create_table(
        "outages",
        sa.Column("run_id", sa.Integer(), nullable=False, comment="The monitor."),
        sa.Column("target_id", sa.Integer(), nullable=False, comment="The target."),
        sa.Column("begin_us", sa.BigInteger(), autoincrement=False, nullable=False, comment="Begin."),
        sa.Column(
            "end_us",
            sa.BigInteger(),
            nullable=True,
            comment="End; null while it lasts, or where the monitor ended before.",
        ),
        sa.Column("duration_s", sa.Double(), nullable=True, comment="Length."),
        sa.Column(
            "cause", sa.Text(), nullable=True, comment="Last error of the network, the operating system or the peer."
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_outages_run_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["target_id"], ["targets.id"], name=op.f("fk_outages_target_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "target_id", "begin_us", name=op.f("pk_outages")),
        comment="Outages of targets.",
    )
    op.create_index(op.f("ix_outages_target_id_begin_us"), "outages", ["target_id", "begin_us"], unique=False)
    op.create_table(
        "run_targets",
        sa.Column("run_id", sa.Integer(), nullable=False, comment="The monitor."),
        sa.Column("target_id", sa.Integer(), nullable=False, comment="The target."),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_run_targets_run_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["target_id"], ["targets.id"], name=op.f("fk_run_targets_target_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", "target_id", name=op.f("pk_run_targets")),
        comment="Which targets a monitor had.",
    )
    op.create_table(
        "windows",
        sa.Column("run_id", sa.Integer(), nullable=False, comment="The monitor."),
        sa.Column(
            "number", sa.BigInteger(), autoincrement=False, nullable=False, comment="Number of the line of the monitor."
        ),
        sa.Column("target_id", sa.Integer(), nullable=False, comment="The target."),
        sa.Column("begin_us", sa.BigInteger(), nullable=False, comment="Begin."),
        sa.Column("end_us", sa.BigInteger(), nullable=False, comment="End."),
        sa.Column("sent", sa.Integer(), nullable=False, comment="Requests sent, or due while there was no session."),
        sa.Column("answered", sa.Integer(), nullable=False, comment="Requests answered in time."),
        sa.Column("in_outage", sa.Boolean(), nullable=False, comment="Whether the target was in an outage at its end."),
        sa.Column("loaded", sa.Boolean(), nullable=False, comment="Whether the path was loaded."),
        sa.Column("mean", sa.Double(), nullable=True, comment="Mean response time."),
        sa.Column("min", sa.Double(), nullable=True, comment="Smallest response time."),
        sa.Column("max", sa.Double(), nullable=True, comment="Largest response time."),
        sa.Column("p50", sa.Double(), nullable=True, comment="Response time, quantile p50."),
        sa.Column("p90", sa.Double(), nullable=True, comment="Response time, quantile p90."),
        sa.Column("p99", sa.Double(), nullable=True, comment="Response time, quantile p99."),
        sa.Column("p999", sa.Double(), nullable=True, comment="Response time, quantile p999."),
        sa.Column(
            "metrics",
            sa.Text(),
            nullable=True,
            comment="The other metrics as JSON: mean or value by name, `NAME.p99` of distributions.",
        ),
        sa.Column(
            "histogram",
            sa.LargeBinary(),
            nullable=True,
            comment="Response times in log-linear bins; `sojourn.store.histogram` reads it.",
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_windows_run_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["target_id"], ["targets.id"], name=op.f("fk_windows_target_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "number", name=op.f("pk_windows")),
        comment="Windows of monitors.",
    )
    op.create_index(op.f("ix_windows_begin_us"), "windows", ["begin_us"], unique=False)
    op.create_index(op.f("ix_windows_target_id_begin_us"), "windows", ["target_id", "begin_us"], unique=False)
