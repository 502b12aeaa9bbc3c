"""A checksum of each run; what was recorded before gets its own when the tables have changed."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Adds the column."""
    op.add_column(
        "runs",
        sa.Column(
            "checksum",
            sa.Text(),
            nullable=True,
            comment="Checksum of all rows of the run; `sojourn history check` compares it.",
        ),
    )
