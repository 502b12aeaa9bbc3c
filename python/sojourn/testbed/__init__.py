"""A testbed of network namespaces on this host for the live half of a study, created for a run and removed after it.

`plan` lists the commands that create it, `site` runs them, `measuring` runs the tool at both ends, `record` stores the
results, and `study` combines these for a study.
"""

from sojourn.testbed.record import with_measured
from sojourn.testbed.study import chosen, fitted_costs, measure_study, side_by_side

__all__ = ["chosen", "fitted_costs", "measure_study", "side_by_side", "with_measured"]
