"""Real hosts to measure a study on: network namespaces of this one, made for a run and removed after it.

`plan` says what makes them, `site` makes and removes them, `measuring` runs the tool at both ends, `record` keeps what
came of it, and `study` does all of it for a study.
"""

from sojourn.testbed.record import with_measured
from sojourn.testbed.study import chosen, fitted_costs, measure_study, side_by_side

__all__ = ["chosen", "fitted_costs", "measure_study", "side_by_side", "with_measured"]
