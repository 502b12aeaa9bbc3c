"""Comparing results: with other results, point by point and paired where they share random numbers, or with
published numbers.
"""

from sojourn.compare.directions import better_when
from sojourn.compare.paired import Difference, difference
from sojourn.compare.published import Match, against_published
from sojourn.compare.two import Comparison, compare_results

__all__ = [
    "Comparison",
    "Difference",
    "Match",
    "against_published",
    "better_when",
    "compare_results",
    "difference",
]
