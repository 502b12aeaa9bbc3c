"""Loaded by a worker of a test: it has another build than everybody else."""

from sojourn.cluster import worker

worker.build = lambda: ("0123456789abcdef", "9.9.9 (other)")


def compute(batch: str) -> bytes:
    raise worker.OtherBuild("tcp://late:1", *worker.build())


worker.compute = compute
