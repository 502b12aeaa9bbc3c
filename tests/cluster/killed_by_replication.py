"""Loaded by a worker of a test: replication 3 of each point ends it, as one that needs more memory than there is."""

import json
import os

from sojourn.cluster import worker

whole = getattr(worker, "whole", worker.compute)
"""Dask loads this more than once."""
worker.whole = whole


def compute(batch: str) -> bytes:
    if any(3 in run["replications"] for run in json.loads(batch)["runs"]):
        os._exit(1)
    return whole(batch)


worker.compute = compute
