"""Comparison of results: with other results, point by point and paired where they use common random numbers; with
published values; and with a testbed.
"""

from sojourn.comparison.measured import MEASURED, Pair, in_words, pairs, same_order
from sojourn.comparison.paired import Difference, difference
from sojourn.comparison.published import Match, against_published
from sojourn.comparison.quantiles import Gap
from sojourn.comparison.two import Comparison, compare_results

__all__ = [
    "MEASURED",
    "Comparison",
    "Difference",
    "Gap",
    "Match",
    "Pair",
    "against_published",
    "compare_results",
    "difference",
    "in_words",
    "pairs",
    "same_order",
]
