"""The 95 % quantile beside the others; of what was recorded before it is null."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

COLUMNS = {
    "metrics": {
        "p95": "Quantile p95.",
        "p95_low": "Lower end of the interval of p95.",
        "p95_high": "Upper end of that of p95.",
    },
    "windows": {"p95": "Response time, quantile p95."},
    "rollups": {"p95": "Response time, quantile p95, of the histogram."},
}


def upgrade() -> None:
    """Adds the columns."""
    for table, columns in COLUMNS.items():
        for name, comment in columns.items():
            op.add_column(table, sa.Column(name, sa.Double(), nullable=True, comment=comment))
