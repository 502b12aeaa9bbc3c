"""Replications computed by the workers of a Dask cluster.

A job hands out batches of replications and takes their answers: `Driver` submits the batches to the cluster, and
`worker.compute` runs on the workers. Text and numbers travel, no code: workers have Sojourn installed, in the same
build. What arrives is stored in the cache of this host at once.
"""

from sojourn.cluster.driver import Driver

__all__ = ["Driver"]
